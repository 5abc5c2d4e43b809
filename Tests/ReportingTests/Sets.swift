import AnalyticsContract
import TestSupport
import Testing

@testable import Reporting

@Suite struct Sets {
  @Test func setsDoWhatPlainSetsDo() throws {
    var random = SeededGenerator(seed: "installation sets")
    for _ in 0..<50 {
      let (left, right) = (numbers(&random), numbers(&random))
      let (first, second) = (set(left), set(right))
      #expect(first.count == Int64(left.count) && first.keys == left.sorted())
      #expect(first.intersectionCount(second) == Int64(left.intersection(right).count))
      #expect(InstallationSet.union([first, second]).keys == left.union(right).sorted())
      #expect(InstallationSet.union([]).isEmpty)
      let copy = try #require(first.serialized().withUnsafeBytes { InstallationSet(serialized: $0) })
      #expect(copy == first)
      copy.subtract(second)
      #expect(copy.keys == left.subtracting(right).sorted())
      copy.formUnion(second)
      #expect(copy.keys == left.union(right).sorted())
    }
  }

  @Test func bytesThatAreNoSetAreRefused() {
    let bytes = set([1, 2, 3, 70_000, 4_000_000_000]).serialized()
    for length in 0..<bytes.count {
      #expect(bytes[..<length].withUnsafeBytes { InstallationSet(serialized: $0) } == nil)
    }
    #expect((bytes + [0]).withUnsafeBytes { InstallationSet(serialized: $0) } == nil)
  }

  @Test func additionsComeBackAsFarAsTheyAreWanted() {
    var additions = SetAdditions()
    let day = CalendarDay(iso8601: "2026-11-29")!
    for kind in SetKind.allCases {
      for offset in Int32(-1)...1 {
        for key in UInt32(1)...3 {
          additions.add(key &* 1_000_000_007, to: SetKey(kind, day.advanced(by: offset), label: "2.0.\(offset)"))
        }
      }
    }
    let bytes = additions.encoded()
    var all = SetAdditions()
    #expect(bytes.withUnsafeBytes { all.decode($0) { _, _ in true } })
    #expect(all.keys == additions.keys)
    var some = SetAdditions()
    #expect(bytes.withUnsafeBytes { some.decode($0) { kind, wanted in kind == .ai && wanted == day } })
    #expect(some.keys == additions.keys.filter { $0.key.kind == .ai && $0.key.day == day })
    // Whatever is cut off, nothing is read beyond the end.
    for length in 0..<bytes.count {
      var cut = SetAdditions()
      _ = bytes[..<length].withUnsafeBytes { cut.decode($0) { _, _ in true } }
      #expect(cut.keys.count <= additions.keys.count)
    }
  }

  @Test func kindsArePermanent() {
    #expect(SetKind.allCases.map(\.rawValue) == Array(0...11))
    #expect(SetKind.activeInApp.rawValue == 1 && SetKind.usageReported.rawValue == 7)
    #expect(SetKind.firstOpen.rawValue == 10 && SetKind.activated.rawValue == 11)
  }

  private func numbers(_ random: inout SeededGenerator) -> Set<UInt32> {
    let count = Int.random(in: 0...2000, using: &random)
    let limit = [100, 70_000, UInt32.max].randomElement(using: &random)!
    return Set((0..<count).map { _ in UInt32.random(in: 0...limit, using: &random) })
  }

  private func set(_ keys: Set<UInt32>) -> InstallationSet {
    let set = InstallationSet()
    set.insert(Array(keys))
    return set
  }
}
