import AnalyticsContract
import Testing

@Suite struct AcceptanceWindows {
  private static let clocks = [
    "2026-11-29T10:00:00Z", "2026-11-29T00:00:00Z", "2026-11-29T23:59:59.999999Z", "2024-03-01T12:00:00.000001Z",
    "1970-01-01T00:00:00Z",
  ]

  @Test(arguments: clocks)
  func `Events are accepted from 35 days ago to five minutes ahead, to the microsecond`(clock: String) {
    let now = instant(clock)
    let window = AcceptanceWindow(at: now).instants
    let oldest = now.microseconds - 35 * 24 * 3600 * 1_000_000
    let newest = now.microseconds + 5 * 60 * 1_000_000
    #expect(window.contains(Instant(microseconds: oldest)))
    #expect(!window.contains(Instant(microseconds: oldest - 1)))
    #expect(window.contains(Instant(microseconds: newest)))
    #expect(!window.contains(Instant(microseconds: newest + 1)))
    #expect(window.contains(now))
  }

  @Test(arguments: [
    ("2026-11-29T00:00:00Z", "2026-10-25", "2026-11-28"),
    ("2026-11-29T23:59:59.999999Z", "2026-10-25", "2026-11-28"),
    ("2026-11-30T00:00:00Z", "2026-10-26", "2026-11-29"),
    ("2024-03-01T10:00:00Z", "2024-01-26", "2024-02-29"),
    ("2023-03-01T10:00:00Z", "2023-01-25", "2023-02-28"),
    ("2027-01-01T00:00:00Z", "2026-11-27", "2026-12-31"),
  ])
  func `Summaries are accepted from 35 days ago through yesterday, by UTC dates`(
    clock: String, first: String, last: String
  ) {
    let days = AcceptanceWindow(at: instant(clock)).days
    #expect(days.lowerBound.description == first)
    #expect(days.upperBound.description == last)
    #expect(days.contains(CalendarDay(iso8601: first)!))
    #expect(!days.contains(CalendarDay(iso8601: first)!.advanced(by: -1)))
    #expect(days.contains(CalendarDay(iso8601: last)!))
    #expect(!days.contains(CalendarDay(iso8601: last)!.advanced(by: 1)))
  }

  @Test func `The limits are the contract's`() {
    #expect(ContractLimits.maximumItems == 50)
    #expect(ContractLimits.maximumBodyBytes == 131_072)
    #expect(ContractLimits.maximumAgeDays == 35)
    #expect(ContractLimits.maximumLeadSeconds == 300)
    #expect(ContractLimits.maximumViolations == 20)
  }

  @Test(
    arguments: [
      (-300_000_000, Lateness.under1m), (-1, .under1m), (0, .under1m), (59_999_999, .under1m),
      (60_000_000, .under1h), (3_599_999_999, .under1h),
      (3_600_000_000, .under1d), (86_399_999_999, .under1d),
      (86_400_000_000, .under7d), (604_799_999_999, .under7d),
      (604_800_000_000, .atLeast7d), (3_024_000_000_000, .atLeast7d),
    ] as [(Int64, Lateness)])
  func `Lateness changes at the minute, hour, day and week`(delay: Int64, lateness: Lateness) {
    for clock in Self.clocks {
      let received = instant(clock)
      let occurred = Instant(microseconds: received.microseconds - delay)
      #expect(Lateness(occurredAt: occurred, receivedAt: received) == lateness)
    }
  }
}
