import AnalyticsContract
import ServerFacts
import Testing

/// The dates at which things go, at every edge of a day and of the year.
@Suite struct RetentionDates {
  private static let instants = [
    "2026-11-30T00:00:00Z", "2026-11-30T00:00:00.000001Z", "2026-11-30T12:00:00Z", "2026-11-30T23:59:59.999999Z",
    "2028-02-29T00:00:00Z", "2028-02-29T23:59:59.999999Z", "2028-03-01T00:00:00Z", "2028-05-29T12:00:00Z",
    "2028-05-30T00:00:00Z", "2027-01-01T00:00:00Z", "2026-12-31T23:59:59.999999Z",
  ].map { Instant(iso8601: $0)! }

  @Test(arguments: instants) func nothingGoesAfter89DaysAndEverythingAfter91(_ now: Instant) {
    let policy = RetentionPolicy(at: now)
    func ago(_ days: Int64) -> Instant { now.advanced(bySeconds: -days * 86_400) }
    #expect(ago(91) < policy.eventsReceivedBefore)
    #expect(ago(89) >= policy.eventsReceivedBefore)
    #expect(ago(90) == policy.eventsReceivedBefore)
    #expect(ago(91).day <= policy.summariesThrough && ago(89).day > policy.summariesThrough)
    #expect(ago(91).day <= policy.installationsSeenThrough && ago(89).day > policy.installationsSeenThrough)
    #expect(ago(91).day <= policy.activityThrough && ago(90).day > policy.activityThrough)
    #expect(ago(91) < policy.memoriesBefore && ago(89) > policy.memoriesBefore)
    #expect(ago(91).day <= policy.factsReceivedThrough && ago(90).day > policy.factsReceivedThrough)
    #expect(ago(8) < policy.sessionsExpiredBefore && ago(6) > policy.sessionsExpiredBefore)
  }

  /// An installation goes no earlier than its items, whatever the time of day.
  @Test(arguments: instants) func itemsGoBeforeWhatTheyBelongTo(_ now: Instant) {
    let policy = RetentionPolicy(at: now)
    let endOfLastDay = policy.installationsSeenThrough.advanced(by: 1)
    #expect(Int64(endOfLastDay.daysSince1970) * CalendarDay.microseconds <= policy.eventsReceivedBefore.microseconds)
    // A fact id is not forgotten while the tombstone that it may be about is remembered, by more than a day.
    #expect(policy.factsReceivedThrough <= policy.memoriesBefore.day)
  }

  /// A day is sealed when no event and no summary of it is accepted any more, and not an hour too early.
  @Test(arguments: instants) func onlyDaysThatTakeNothingMoreAreSealed(_ now: Instant) {
    let policy = RetentionPolicy(at: now)
    for hours in 0...1 {
      let window = AcceptanceWindow(at: now.advanced(bySeconds: Int64(-3600 * hours)))
      #expect(window.instants.lowerBound.day > policy.sealableThrough)
      #expect(window.days.lowerBound > policy.sealableThrough)
    }
    // Nor are days left open that could be sealed.
    let later = AcceptanceWindow(at: now.advanced(bySeconds: -3601))
    #expect(later.instants.lowerBound.day <= policy.sealableThrough.advanced(by: 2))
  }

  /// Sealed long before what it is measured by goes: a cohort is watched for 28 days, and an active month goes back as far.
  @Test(arguments: instants) func everythingIsSealedBeforeItGoes(_ now: Instant) {
    let policy = RetentionPolicy(at: now)
    #expect(policy.activityThrough.advanced(by: 28) < policy.sealableThrough)
    #expect(policy.eventsReceivedBefore.day < policy.sealableThrough.advanced(by: -28))
  }

  @Test(arguments: instants) func whatIsOverdueHadADayAndMoreToGo(_ now: Instant) {
    let yesterday = RetentionPolicy(at: now.advanced(bySeconds: -86_400))
    let overdue = RetentionPolicy.overdue(at: now)
    #expect(overdue.eventsReceivedBefore < yesterday.eventsReceivedBefore)
    #expect(overdue.summariesThrough <= yesterday.summariesThrough)
    #expect(overdue.sessionsExpiredBefore < yesterday.sessionsExpiredBefore)
  }
}
