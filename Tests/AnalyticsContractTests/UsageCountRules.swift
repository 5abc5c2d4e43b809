import AnalyticsContract
import Testing

@Suite struct UsageCountRules {
  private struct Broken: Equatable {
    let member: WireMember
    let rule: ViolationRule
  }

  private func broken(_ counts: UsageCounts) -> [Broken] { counts.violations.map { Broken(member: $0, rule: $1) } }

  private let sumIsWrong = Broken(member: .inputSessionCount, rule: .sessionKindsDoNotAddUp)
  private let tooFewCharacters = Broken(member: .inputSessionCount, rule: .fewerCharactersThanSessions)

  @Test func `Characters count to a million and sessions to a hundred thousand`() {
    let maxima: [UsageCounter: Int32] = [
      .chineseCharacters: 1_000_000, .englishCharacters: 1_000_000, .otherCharacters: 1_000_000,
      .inputSessions: 100_000,
      .chineseOnlySessions: 100_000, .englishOnlySessions: 100_000, .mixedLanguageSessions: 100_000,
      .otherOnlySessions: 100_000,
    ]
    for counter in UsageCounter.allCases {
      #expect(counter.maximum == maxima[counter])
      #expect(counter.countsCharacters == (maxima[counter] == 1_000_000))
    }
  }

  @Test(arguments: UsageCounter.allCases)
  func `A counter outside its range is reported alone`(counter: UsageCounter) {
    for value in [-1, .min, counter.maximum + 1, .max] as [Int32] {
      var counts = UsageCounts(0, 0, 0, 0, 0, 0, 0, 0)
      counts[counter] = value
      #expect(broken(counts) == [Broken(member: counter.member, rule: .outOfRange)])
    }
    for value in [0, counter.maximum] as [Int32] {
      var counts = UsageCounts(0, 0, 0, 0, 0, 0, 0, 0)
      counts[counter] = value
      #expect(!broken(counts).contains { $0.rule == .outOfRange })
    }
  }

  @Test func `Every counter outside its range is reported`() {
    let counts = UsageCounts(-1, -1, -1, -1, -1, -1, -1, -1)
    let expected = UsageCounter.allCases.map(\.member.wireName.description)
    #expect(Set(counts.violations.map { $0.member.wireName.description }) == Set(expected))
    #expect(counts.violations.count == 8)
    #expect(counts.violations.allSatisfy { $0.rule == .outOfRange })
  }

  @Test func `The four kinds of session sum to the sessions, in each kind and not one off`() {
    for kind in 0..<4 {
      for off in -1...1 {
        var kinds: [Int32] = [10, 20, 30, 40]
        kinds[kind] += Int32(off)
        let counts = UsageCounts(1000, 0, 0, 100, kinds[0], kinds[1], kinds[2], kinds[3])
        #expect(broken(counts) == (off == 0 ? [] : [sumIsWrong]))
      }
    }
    #expect(broken(UsageCounts(100_000, 0, 0, 100_000, 100_000, 0, 0, 0)) == [])
    #expect(broken(UsageCounts(100_000, 0, 0, 100_000, 100_000, 100_000, 100_000, 100_000)) == [sumIsWrong])
  }

  @Test func `There are at least as many characters as sessions, whatever the script`() {
    for script in 0..<3 {
      for characters in [9, 10, 11] as [Int32] {
        var scripts: [Int32] = [0, 0, 0]
        scripts[script] = characters
        let counts = UsageCounts(scripts[0], scripts[1], scripts[2], 10, 1, 2, 3, 4)
        #expect(broken(counts) == (characters < 10 ? [tooFewCharacters] : []))
      }
    }
    #expect(broken(UsageCounts(3, 3, 3, 10, 10, 0, 0, 0)) == [tooFewCharacters])
    #expect(broken(UsageCounts(3, 4, 3, 10, 10, 0, 0, 0)) == [])
  }

  @Test func `Both sums are judged`() {
    #expect(broken(UsageCounts(0, 0, 0, 1, 0, 0, 0, 0)) == [sumIsWrong, tooFewCharacters])
  }

  @Test func `Nothing typed at all, and all counters at their largest that fit, are allowed`() {
    #expect(broken(UsageCounts()) == [])
    #expect(broken(UsageCounts(1_000_000, 1_000_000, 1_000_000, 100_000, 25_000, 25_000, 25_000, 25_000)) == [])
  }

  @Test func `Each counter is kept apart from the others`() {
    for counter in UsageCounter.allCases {
      var counts = UsageCounts()
      counts[counter] = 7
      for other in UsageCounter.allCases { #expect(counts[other] == (other == counter ? 7 : 0)) }
      #expect(counts != UsageCounts())
    }
  }
}
