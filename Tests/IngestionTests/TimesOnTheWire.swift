import AnalyticsContract
import Testing

/// The window of acceptance at the server's clock of 2026-11-29T10:00:00Z.
@Suite struct TimesOnTheWire {
  private func event(at time: String) -> String { verdictOfEvent { $0.setting("occurredAt", .text(time)) } }
  private func summary(of date: String) -> String { verdictOfSummary { $0.setting("summaryDate", .text(date)) } }

  @Test(arguments: [
    ("2026-10-25T10:00:00Z", "batch"),
    ("2026-10-25T10:00:00.000000999Z", "batch"),
    ("2026-10-25T09:59:59.999999Z", "422 /events/0/occurredAt too_old"),
    ("2026-10-25T09:59:59.999999999Z", "422 /events/0/occurredAt too_old"),
    ("2026-11-29T10:05:00Z", "batch"),
    ("2026-11-29T10:05:00.000000999Z", "batch"),
    ("2026-11-29T10:05:00.000001Z", "422 /events/0/occurredAt in_future"),
    ("1970-01-01T00:00:00Z", "422 /events/0/occurredAt too_old"),
    ("0000-01-01T00:00:00Z", "422 /events/0/occurredAt too_old"),
    ("9999-12-31T23:59:59.999999999Z", "422 /events/0/occurredAt in_future"),
  ])
  func `An event's time is accepted to the microsecond at both ends`(time: String, verdict: String) {
    #expect(event(at: time) == verdict)
    #expect(event(at: time.replacing("Z", with: "+00:00")) == verdict)
  }

  @Test(arguments: [
    "2026-11-29T10:00:00", "2026-11-29T10:00:00z", "2026-11-29t10:00:00Z", "2026-11-29 10:00:00Z",
    "2026-11-29T10:00:00+01:00", "2026-11-29T10:00:00-00:00", "2026-11-29T10:00:00.Z",
    "2026-11-29T10:00:00.1234567890Z",
    "2026-02-29T10:00:00Z", "2026-11-29T24:00:00Z", "2026-11-29T10:00:60Z", "1795946400", "2026-11-29",
  ])
  func `Another form of time is no timestamp`(time: String) {
    #expect(event(at: time) == "422 /events/0/occurredAt timestamp")
  }

  @Test(arguments: [
    ("2026-11-28", "batch"), ("2026-10-25", "batch"),
    ("2026-10-24", "422 /summaries/0/summaryDate too_old"), ("1970-01-01", "422 /summaries/0/summaryDate too_old"),
    ("2026-11-29", "422 /summaries/0/summaryDate in_future"), ("2026-11-30", "422 /summaries/0/summaryDate in_future"),
    ("9999-12-31", "422 /summaries/0/summaryDate in_future"),
    ("2026-11-31", "422 /summaries/0/summaryDate date"), ("2026-02-29", "422 /summaries/0/summaryDate date"),
    ("2026-11-28T00:00:00Z", "422 /summaries/0/summaryDate date"), ("20261128", "422 /summaries/0/summaryDate date"),
  ])
  func `A summary's date is accepted from 35 days ago through yesterday`(date: String, verdict: String) {
    #expect(summary(of: date) == verdict)
  }

  @Test func `A fraction is kept to the microsecond`() {
    for (fraction, microseconds) in [
      ("", 0), (".1", 100_000), (".000001", 1), (".1234567", 123_456), (".999999999", 999_999),
    ] {
      let item = JSON.event.setting("occurredAt", .text("2026-11-29T09:00:00\(fraction)Z"))
      guard case .success(let batch) = decode(Array(JSON.body([item]).canonical.utf8)),
        case .events(let events) = batch.items
      else {
        Issue.record("no batch")
        continue
      }
      #expect(events[0].occurredAt.microseconds == instant("2026-11-29T09:00:00Z").microseconds + Int64(microseconds))
    }
  }
}
