import AnalyticsContract
import Testing

@testable import Demo

@Suite struct Populations {
  private static let end = CalendarDay(iso8601: "2026-11-28")!

  private func plan(_ installations: Int = 2000, days: Int = 60, seed: UInt64 = 1) -> DemoPlan {
    DemoPlan(installations: installations, days: days, end: Self.end, seed: seed)
  }

  private func days(_ plan: DemoPlan) -> [[DemoSlot]] {
    var population = DemoPopulation(plan)
    return (0..<plan.dayCount).map { population.live($0, slots: 12) }
  }

  @Test func theSamePlanMakesTheSamePopulation() {
    func bodies(_ seed: UInt64) -> [[UInt8]] {
      days(plan(200, days: 20, seed: seed)).flatMap { $0 }.flatMap(\.uploads).filter { !$0.events.isEmpty }.map {
        Batch(installation: $0.person.installation, items: .events(Array($0.events.prefix(50)))).body()
      }
    }
    let first = bodies(1)
    #expect(first.count > 100)
    #expect(bodies(1) == first)
    #expect(bodies(2) != first)
  }

  @Test func everythingThatCanHappenDoes() {
    let slots = days(plan()).flatMap { $0 }
    let events = slots.flatMap(\.uploads).flatMap(\.events)
    #expect(Set(events.map(\.kind.type)) == Set(EventType.allCases))
    #expect(Set(events.map(\.kind.surface)) == Set(Surface.allCases))
    #expect(Set(events.compactMap(\.kind.acquisitionChannel)) == Set(AcquisitionChannel.allCases))
    #expect(Set(events.compactMap(\.kind.feature)) == Set(Feature.allCases))
    #expect(Set(events.compactMap(\.kind.executionMode)) == Set(ExecutionMode.allCases))
    #expect(Set(events.compactMap(\.kind.failureCategory)) == Set(FailureCategory.allCases))
    #expect(Set(events.compactMap(\.kind.durationBucket)) == Set(DurationBucket.allCases))
    #expect(events.allSatisfy { Catalog.rule(for: $0.kind.type).allows($0.kind) })
    #expect(Set(events.compactMap { $0.appVersion?.text }) == Set(DemoPlan.releases.map(\.version)))
    let purchases = slots.flatMap(\.purchases)
    #expect(Set(purchases.map(\.purchase.currency.code)).count >= 4)
    #expect(purchases.contains { $0.refundedAt != nil })
    let facts = slots.flatMap(\.facts).map(\.members)
    for type in [
      "ACCOUNT_CREATED", "SESSION_ISSUED", "CREDITS_SETTLED", "REFERRAL_BOUND", "REFERRAL_QUALIFIED",
      "REFERRAL_REWARDED",
    ] { #expect(facts.contains { $0.contains("\"\(type)\"") }, "\(type)") }
    #expect(slots.contains { $0.invitationViews > 0 })
    let uploads = slots.flatMap(\.uploads)
    #expect(uploads.contains(where: \.isRepeated) && uploads.contains(where: \.hasDefect))
    #expect(uploads.contains { $0.token != nil } && uploads.contains { $0.token == nil })
  }

  @Test func everySummaryKeepsTheContractsRules() {
    let summaries = days(plan(500)).flatMap { $0 }.flatMap(\.uploads).flatMap(\.summaries)
    #expect(summaries.count > 500)
    #expect(summaries.allSatisfy { $0.counts.violations.isEmpty })
    for kind in [
      UsageCounter.chineseOnlySessions, .englishOnlySessions, .mixedLanguageSessions, .otherOnlySessions,
    ] { #expect(summaries.contains { $0.counts[kind] > 0 }) }
  }

  @Test func whatArrivesIsNeverTooLateAndNeverAheadOfItsTime() {
    let plan = plan(500)
    for (day, slots) in days(plan).enumerated() {
      for slot in slots {
        #expect(slot.end.day == plan.day(day))
        let window = AcceptanceWindow(at: slot.end)
        for upload in slot.uploads {
          #expect(upload.events.allSatisfy { window.instants.contains($0.occurredAt) })
          #expect(upload.summaries.allSatisfy { window.days.contains($0.date) })
        }
        #expect(slot.facts.allSatisfy { $0.at <= slot.end.advanced(bySeconds: 300) })
      }
    }
  }

  @Test func retentionFallsAndFewerAreActiveOnWeekends() {
    let plan = plan(6000, days: 63)
    let people = (0..<plan.installations).map { DemoPerson($0, plan) }
    var activeDays = [Set<Int>](repeating: [], count: plan.installations)
    for (day, slots) in days(plan).enumerated() {
      for upload in slots.flatMap(\.uploads) {
        for event in upload.events where event.kind.surface != .inviteWeb {
          activeDays[upload.person.number].insert(Int(event.occurredAt.day.daysSince1970 - plan.day(0).daysSince1970))
        }
      }
      _ = day
    }
    func retained(_ after: Int) -> Double {
      let cohort = people.filter {
        $0.arrival + after + 10 < plan.dayCount && activeDays[$0.number].contains($0.arrival)
      }
      return Double(cohort.count { activeDays[$0.number].contains($0.arrival + after) }) / Double(cohort.count)
    }
    #expect((0.3...0.6).contains(retained(1)))
    #expect((0.1...0.3).contains(retained(28)))
    #expect(retained(1) > retained(7) && retained(7) > retained(28))
    // Of those who stay, over whole weeks.
    let stayers = people.filter { $0.loyalty == .stays && $0.arrival < 14 }
    func activity(_ isWeekend: Bool) -> Double {
      let counted = (21..<49).filter { plan.isWeekend($0) == isWeekend }
      return Double(counted.reduce(0) { sum, day in sum + stayers.count { activeDays[$0.number].contains(day) } })
        / Double(counted.count)
    }
    #expect(activity(true) < activity(false))
  }

  @Test func newReleasesTakeOver() {
    let plan = plan()
    #expect(plan.release(on: 0, afterDays: 0) == "2.0.0")
    #expect(plan.release(on: 59, afterDays: 0) == "2.3.0")
    #expect(plan.release(on: 59, afterDays: 11) == "2.2.0")
  }
}
