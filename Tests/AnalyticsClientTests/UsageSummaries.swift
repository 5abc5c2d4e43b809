import AnalyticsContract
import Foundation
import Testing

@testable import AnalyticsClient

@Suite struct UsageSummaries {
  /// A folder and a clock that several processes share: each counter and source here stands for a process of its own.
  private final class Device: @unchecked Sendable {
    let folder: Folder
    let diagnostics = Diagnostics()
    // Used by one test, one call after the other.
    var now = Instant(iso8601: "2026-11-20T12:00:00Z")!

    init() {
      folder = Folder(path: NSTemporaryDirectory() + "usage-\(UUID().uuidString)")
      try! folder.create()
    }

    deinit { folder.removeAll() }

    var clock: UTCClock { .reading { [unowned self] in now } }
    var files: UsageFiles { UsageFiles(folder: folder) }

    func counter() -> KeyboardUsage {
      let folder = folder
      return KeyboardUsage(place: { .folder(folder, identity: 1) }, clock: clock, diagnostics: diagnostics)
    }

    func source() -> UsageSource {
      let folder = folder
      return UsageSource(
        folder: { folder }, clock: clock, diagnostics: diagnostics, appVersion: ReleaseVersion("2.1.0"), osVersion: nil)
    }

    func advance(days: Int64 = 0, seconds: Int64 = 0) { now = now.advanced(bySeconds: days * 86_400 + seconds) }
  }

  private func type(_ text: String, with usage: KeyboardUsage) {
    usage.activate()
    usage.commit(text, source: .manual)
    usage.deactivate()
    #expect(usage.save())
  }

  @Test func onlyWhatWasTypedByHandIsCounted() throws {
    let device = Device()
    let usage = device.counter()
    usage.activate()
    for source in InsertionSource.allCases where source != .manual { usage.commit("你好 hello", source: source) }
    usage.commit("", source: .manual)
    #expect(!usage.hasUnsaved)
    usage.save()
    #expect(try device.folder.names().isEmpty)
    usage.commit("你好 a", source: .manual)
    #expect(usage.hasUnsaved)
    #expect(usage.save() && !usage.hasUnsaved)
    let file = try #require(try device.files.counterFiles().first)
    let counts = try #require(try device.files.counts(in: file))
    #expect(counts[.chineseCharacters] == 2 && counts[.englishCharacters] == 1 && counts[.otherCharacters] == 1)
  }

  @Test func noTextIsInAFile() throws {
    let device = Device()
    type("SECRETsecret秘密", with: device.counter())
    device.advance(days: 1)
    device.source().begin()
    #expect(device.source().peek(limit: 50).count == 1)
    for name in try device.folder.names() {
      let bytes = try #require(try device.folder.contents(of: name))
      let text = String(decoding: bytes, as: UTF8.self)
      #expect(!text.contains("SECRET") && !text.contains("secret") && !text.contains("秘"))
    }
  }

  @Test func aDayIsFinalizedOnceFromAllProcessesAndNeverChanges() throws {
    let device = Device()
    let usages = (0..<3).map { _ in device.counter() }
    for usage in usages { type("中文", with: usage) }
    type("abc", with: usages[0])
    // Not while it lasts, and not in the minutes after.
    device.source().begin()
    #expect(device.source().peek(limit: 50).isEmpty)
    device.now = Instant(iso8601: "2026-11-21T00:05:00Z")!
    device.source().begin()
    #expect(device.source().peek(limit: 50).isEmpty)
    device.now = Instant(iso8601: "2026-11-21T00:11:00Z")!
    device.source().begin()
    let first = device.source().peek(limit: 50)
    #expect(first.count == 1)
    #expect(first[0].date == CalendarDay(iso8601: "2026-11-20"))
    #expect(first[0].counts[.chineseCharacters] == 6 && first[0].counts[.englishCharacters] == 3)
    #expect(first[0].counts[.inputSessions] == 4 && first[0].counts[.englishOnlySessions] == 1)
    #expect(try device.files.counterFiles().isEmpty)
    for _ in 0..<3 {
      device.source().begin()
      #expect(device.source().peek(limit: 50) == first)
    }
    device.source().remove(first)
    device.source().begin()
    #expect(device.source().peek(limit: 50).isEmpty)
  }

  @Test func countsThatComeAfterTheSummaryAreDroppedAndMakeNoSecondOne() throws {
    let device = Device()
    let (early, late) = (device.counter(), device.counter())
    type("中", with: early)
    late.activate()
    late.commit("late", source: .manual)
    device.advance(days: 1)
    device.source().begin()
    let summaries = device.source().peek(limit: 50)
    late.save()
    #expect(device.diagnostics.current[.lateUsage] == 1)
    device.source().begin()
    #expect(device.source().peek(limit: 50) == summaries)
    device.source().remove(summaries)
    // Also where the clock goes back to that day.
    device.advance(days: -1)
    type("again", with: early)
    device.advance(days: 1)
    device.source().begin()
    #expect(device.source().peek(limit: 50).isEmpty)
    #expect(device.diagnostics.current[.lateUsage] == 2)
  }

  @Test func aClockThatGoesBackBeforeADayIsOverLosesNothing() throws {
    let device = Device()
    let usage = device.counter()
    type("中", with: usage)
    device.advance(days: 2)
    type("a", with: usage)
    device.advance(days: -2)
    type("文", with: usage)
    device.advance(days: 4)
    device.source().begin()
    let summaries = device.source().peek(limit: 50)
    #expect(summaries.map { $0.counts[.inputSessions] } == [2, 1])
    #expect(summaries[0].counts[.chineseCharacters] == 2)
  }

  @Test func aKillWhileFinalizingMakesOneSummaryInTheEnd() throws {
    let device = Device()
    type("中", with: device.counter())
    let counter = try #require(try device.files.counterFiles().first)
    let bytes = try #require(try device.folder.contents(of: counter.name))
    device.advance(days: 1)
    device.source().begin()
    let summary = device.source().peek(limit: 50)
    // As if it had been killed before the counters were removed, then again after the delivery.
    _ = try device.folder.create(counter.name, bytes)
    device.source().begin()
    #expect(device.source().peek(limit: 50) == summary)
    device.source().remove(summary)
    _ = try device.folder.create(counter.name, bytes)
    device.source().begin()
    #expect(device.source().peek(limit: 50).isEmpty)
    #expect(try device.files.counterFiles().isEmpty)
  }

  @Test func everyCutAndEveryChangedByteOfACounterFileIsNoticed() throws {
    let device = Device()
    type("中文 abc", with: device.counter())
    let file = try #require(try device.files.counterFiles().first)
    let whole = try #require(try device.folder.contents(of: file.name))
    for length in 0..<whole.count {
      try device.folder.replace(file.name, Array(whole[..<length]))
      #expect(try device.files.counts(in: file) == nil)
    }
    for position in whole.indices {
      for bit in 0..<8 {
        var damaged = whole
        damaged[position] ^= 1 << bit
        try device.folder.replace(file.name, damaged)
        #expect(try device.files.counts(in: file) == nil)
      }
    }
    // A damaged one is counted and the day goes on without it.
    type("好", with: device.counter())
    device.advance(days: 1)
    device.source().begin()
    #expect(device.source().peek(limit: 50).map { $0.counts[.chineseCharacters] } == [1])
    #expect(device.diagnostics.current[.damagedRecords] == 1)
  }

  @Test func summariesAreSentInOrderAndDroppedWhenTheyAreTooOld() throws {
    let device = Device()
    for _ in 0..<40 {
      type("中", with: device.counter())
      device.advance(days: 1)
    }
    device.source().begin()
    let summaries = device.source().peek(limit: 50)
    #expect(summaries.count == 34)
    #expect(summaries.map(\.date) == summaries.map(\.date).sorted())
    #expect(device.diagnostics.current[.expired] == 6)
    #expect(device.source().peek(limit: 3) == Array(summaries.prefix(3)))
    let window = AcceptanceWindow(at: device.now)
    #expect(summaries.allSatisfy { window.days.contains($0.date) && $0.counts.violations.isEmpty })
    guard case .summaries(let wire) = device.source().contents(of: summaries) else { return }
    #expect(wire.map(\.clientSummaryID) == summaries.map(\.id) && wire[0].appVersion?.text == "2.1.0")
    device.source().quarantine(summaries[0])
    #expect(device.source().peek(limit: 50) == Array(summaries.dropFirst()))
    // What tells that days are over goes in the end.
    device.advance(days: 200)
    device.source().begin()
    #expect(try device.folder.names().isEmpty)
  }

  @Test func whatIsNotToBeCollectedIsForgotten() throws {
    let device = Device()
    let usage = KeyboardUsage(place: { .off }, clock: device.clock, diagnostics: device.diagnostics)
    usage.activate()
    usage.commit("中", source: .manual)
    #expect(usage.save() && !usage.hasUnsaved)
    usage.commit("中", source: .manual)
    usage.removeAll()
    #expect(!usage.hasUnsaved)
  }

  @Test func countingFromManyThreadsLosesNothing() async throws {
    let device = Device()
    let usage = device.counter()
    usage.activate()
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<8 {
        group.addTask {
          for number in 0..<500 {
            usage.commit("中a", source: .manual)
            if number % 100 == 0 { usage.save() }
          }
        }
      }
    }
    #expect(usage.save())
    let file = try #require(try device.files.counterFiles().first)
    let counts = try #require(try device.files.counts(in: file))
    #expect(counts[.chineseCharacters] == 4000 && counts[.englishCharacters] == 4000 && counts[.inputSessions] == 1)
  }
}
