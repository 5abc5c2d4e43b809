import AnalyticsContract
import TestSupport
import Testing

@testable import AnalyticsClient

@Suite struct UsageTallies {
  private let day = CalendarDay(daysSince1970: 20_000)

  private func characters(_ chinese: Int, _ english: Int, _ other: Int) -> CharacterCounts {
    var counts = CharacterCounts()
    counts.chinese = chinese
    counts.english = english
    counts.other = other
    return counts
  }

  @Test func aSessionsKindFollowsFromAllThatItCommits() {
    var tally = UsageTally()
    tally.activate()
    #expect(tally.days.isEmpty)
    tally.commit(characters(0, 0, 2), on: day)
    #expect(tally.days[day]?[.otherOnlySessions] == 1)
    tally.commit(characters(0, 3, 0), on: day)
    #expect(tally.days[day]?[.otherOnlySessions] == 0 && tally.days[day]?[.englishOnlySessions] == 1)
    tally.commit(characters(1, 0, 0), on: day)
    #expect(tally.days[day]?[.englishOnlySessions] == 0 && tally.days[day]?[.mixedLanguageSessions] == 1)
    #expect(tally.days[day]?[.inputSessions] == 1)
    tally.deactivate()
    tally.activate()
    tally.commit(characters(1, 0, 0), on: day)
    #expect(tally.days[day]?[.inputSessions] == 2 && tally.days[day]?[.chineseOnlySessions] == 1)
  }

  @Test func anActivationOverMidnightIsASessionOfBothDays() {
    var tally = UsageTally()
    tally.activate()
    tally.commit(characters(2, 0, 0), on: day)
    tally.commit(characters(0, 2, 0), on: day.advanced(by: 1))
    #expect(tally.days[day]?[.chineseOnlySessions] == 1)
    #expect(tally.days[day.advanced(by: 1)]?[.englishOnlySessions] == 1)
  }

  @Test(arguments: ["a", "b", "c"]) func everyDayKeepsTheContractsRulesWhateverHappens(_ seed: String) {
    var random = SeededGenerator(seed: seed)
    var tally = UsageTally()
    // In the plainest form: every commit with its activation.
    var commits: [(activation: Int, day: CalendarDay, counts: CharacterCounts)] = []
    var activation = 0
    for _ in 0..<2000 {
      switch Int.random(in: 0..<10, using: &random) {
      case 0:
        tally.activate()
        activation += 1
      case 1:
        tally.deactivate()
        activation += 1
      default:
        let counts = characters(
          Int.random(in: 0...3, using: &random), Int.random(in: 0...2, using: &random),
          Int.random(in: 0...1, using: &random))
        let day = day.advanced(by: Int32(activation / 50))
        tally.commit(counts, on: day)
        if !counts.isEmpty { commits.append((activation, day, counts)) }
      }
    }
    for (day, counts) in tally.days {
      #expect(counts.violations.isEmpty)
      let mine = commits.filter { $0.day == day }
      #expect(Int(counts[.chineseCharacters]) == mine.reduce(0) { $0 + $1.counts.chinese })
      #expect(Int(counts[.englishCharacters]) == mine.reduce(0) { $0 + $1.counts.english })
      let sessions = Dictionary(grouping: mine, by: \.activation).values
      #expect(Int(counts[.inputSessions]) == sessions.count)
      func kinds(_ chinese: Bool, _ english: Bool) -> Int {
        sessions.count { session in
          session.contains { $0.counts.chinese > 0 } == chinese && session.contains { $0.counts.english > 0 } == english
        }
      }
      #expect(Int(counts[.chineseOnlySessions]) == kinds(true, false))
      #expect(Int(counts[.englishOnlySessions]) == kinds(false, true))
      #expect(Int(counts[.mixedLanguageSessions]) == kinds(true, true))
      #expect(Int(counts[.otherOnlySessions]) == kinds(false, false))
    }
    #expect(Set(tally.days.keys) == Set(commits.map(\.day)))
  }

  @Test func whatIsBeyondTheContractsBoundsIsCutSoThatTheRulesHold() {
    var counts = UsageCounts()
    for _ in 0..<3 {
      var part = UsageCounts()
      for counter in UsageCounter.allCases { part[counter] = counter.maximum }
      part[.inputSessions] = 100_000
      counts.add(part)
    }
    let bounded = counts.withinBounds
    #expect(bounded.violations.isEmpty)
    #expect(bounded[.chineseCharacters] == 1_000_000 && bounded[.inputSessions] == 100_000)
    #expect(UsageCounts().withinBounds == UsageCounts())
  }
}
