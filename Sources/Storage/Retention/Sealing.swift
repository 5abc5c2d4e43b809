import AnalyticsContract
import ServerFacts

/// Measures a day that is over, and keeps what was measured. The statements are those of both databases.
struct Sealing<Runner: StatementRunner> {
  let runner: Runner

  /// What is kept of a day: a row of `sealed_days`, and those of `sealed_cohorts`.
  struct Measurement: Sendable {
    var day: [StoredValue]
    var cohorts: [[StoredValue]]
  }

  /// How many days a cohort is watched.
  static var cohortDays: Int32 { 28 }

  /// The days after its first open on which a cohort's activity is kept.
  private static var retentionDays: [Int32] { [1, 3, 7, 14, cohortDays] }

  /// The days that are to be sealed next.
  func daysToSeal(through last: CalendarDay) throws(Runner.Failure) -> ClosedRange<CalendarDay>? {
    // Days are sealed one after the other, so that those before the last that is are too.
    let first = try runner.select(
      """
      SELECT coalesce(
        (SELECT max(day) + 1 FROM sealed_days), (SELECT min(day) FROM event_day_totals),
        (SELECT min(day) FROM usage_day_totals)), (SELECT min(day) FROM usage_day_totals)
      """, [], [.integer, .integer])[0]
    guard let day = first[0].integer else { return nil }
    let isFirstEver = try isSealed(CalendarDay(daysSince1970: Int32(day - 1))) == false
    // Whichever of events and summaries began earlier.
    let start = isFirstEver ? min(day, first[1].integer ?? day) : day
    let lower = CalendarDay(daysSince1970: Int32(clamping: start))
    return lower <= last ? lower...last : nil
  }

  func isSealed(_ day: CalendarDay) throws(Runner.Failure) -> Bool {
    try !runner.select(
      "SELECT day FROM sealed_days WHERE day = CAST($1 AS bigint)", [StoredValue(day)], [.integer]
    ).isEmpty
  }

  /// Measures a day.
  func measure(_ day: CalendarDay, at now: Instant) throws(Runner.Failure) -> Measurement {
    let active = ActivityKinds([.app, .keyboard])
    let kinds: [ActivityKinds] = [
      active, .app, .keyboard, .ai, .purchaseViewed, .purchaseStarted, .purchaseCancelled, .usageReported,
    ]
    let sums = kinds.map { "count(*) FILTER (WHERE kinds & \($0.rawValue) <> 0)" }.joined(separator: ", ")
    let counts = try runner.select(
      "SELECT \(sums) FROM activity WHERE day = CAST($1 AS bigint)", [StoredValue(day)],
      kinds.map { _ in .bigint })[0]
    let weekly = try distinct(active, inDays: 7, endingOn: day)
    let monthly = try distinct(active, inDays: 28, endingOn: day)
    let spending = try accounts("settlements", "settled_at", on: day)
    let purchasing = try accounts("storekit_transactions", "purchased_at", on: day, "AND environment = 1")
    let digest = try totalsDigest(of: day)
    let cohort = day.advanced(by: -Self.cohortDays)
    return Measurement(
      day: [StoredValue(day), StoredValue(now)] + counts[0...2] + [weekly, monthly] + counts[3...7]
        + [spending, purchasing, StoredValue(digest)],
      cohorts: try cohorts(of: cohort))
  }

  /// Keeps a measurement, unless the day is sealed.
  func keep(_ measurement: Measurement) throws(Runner.Failure) {
    let isNew = try runner.change(
      "INSERT INTO sealed_days VALUES (\(Self.places(15, except: [15]))) ON CONFLICT DO NOTHING", measurement.day)
    guard isNew == 1 else { return }
    for cohort in measurement.cohorts {
      try runner.change("INSERT INTO sealed_cohorts VALUES (\(Self.places(9)))", cohort)
    }
  }

  private static func places(_ count: Int, except bytes: Set<Int> = []) -> String {
    (1...count).map { bytes.contains($0) ? "$\($0)" : "CAST($\($0) AS bigint)" }.joined(separator: ", ")
  }

  private func distinct(
    _ kinds: ActivityKinds, inDays days: Int32, endingOn day: CalendarDay
  ) throws(Runner.Failure) -> StoredValue {
    try runner.select(
      """
      SELECT count(DISTINCT installation_key) FROM activity
      WHERE day BETWEEN CAST($1 AS bigint) AND CAST($2 AS bigint) AND kinds & \(kinds.rawValue) <> 0
      """, [StoredValue(day.advanced(by: 1 - days)), StoredValue(day)], [.bigint])[0][0]
  }

  private func accounts(
    _ table: String, _ column: String, on day: CalendarDay, _ condition: String = ""
  ) throws(Runner.Failure) -> StoredValue {
    try runner.select(
      """
      SELECT count(DISTINCT account_id) FROM \(table)
      WHERE \(column) >= CAST($1 AS bigint) AND \(column) < CAST($2 AS bigint) \(condition)
      """, [StoredValue(day.start), StoredValue(day.advanced(by: 1).start)], [.bigint])[0][0]
  }

  /// Rows of `sealed_cohorts` for the installations whose first open lay on a day.
  private func cohorts(of day: CalendarDay) throws(Runner.Failure) -> [[StoredValue]] {
    let active = ActivityKinds([.app, .keyboard]).rawValue
    let retained = Self.retentionDays.map { days in
      """
      sum(CASE WHEN EXISTS (
        SELECT 1 FROM activity WHERE activity.installation_key = installations.installation_key
          AND activity.day = CAST($1 AS bigint) + \(days) AND kinds & \(active) <> 0
      ) THEN 1 ELSE 0 END)
      """
    }
    return try runner.select(
      """
      SELECT CAST($1 AS bigint), acquisition_channel, count(*), sum(CASE WHEN EXISTS (
        SELECT 1 FROM events WHERE events.installation_key = installations.installation_key
          AND event_type = \(EventType.aiFeatureSucceeded.code)
          AND occurred_at BETWEEN first_open_at AND first_open_at + \(7 * CalendarDay.microseconds)
      ) THEN 1 ELSE 0 END), \(retained.joined(separator: ", "))
      FROM installations WHERE first_open_at >= CAST($2 AS bigint) AND first_open_at < CAST($3 AS bigint)
      GROUP BY acquisition_channel
      """, [StoredValue(day), StoredValue(day.start), StoredValue(day.advanced(by: 1).start)],
      [ColumnType](repeating: .bigint, count: 9))
  }

  /// The digest of everything that the day's totals say, by which it is known that they never change.
  func totalsDigest(of day: CalendarDay) throws(Runner.Failure) -> Digest {
    let dimensions =
      "event_type, surface, acquisition_channel, feature, execution_mode, failure_category, duration_bucket, app_version"
    let events = try runner.select(
      "SELECT \(dimensions), event_count FROM event_day_totals WHERE day = CAST($1 AS bigint)", [StoredValue(day)],
      [ColumnType](repeating: .bigint, count: 7) + [.text, .bigint])
    let usage = try runner.select(
      """
      SELECT summary_count, chinese_characters, english_characters, other_characters, input_sessions,
        chinese_only_sessions, english_only_sessions, mixed_language_sessions, other_only_sessions
      FROM usage_day_totals WHERE day = CAST($1 AS bigint)
      """, [StoredValue(day)], [ColumnType](repeating: .bigint, count: 9))
    // Sorted here: databases have their own orders of texts.
    let lines = (events.map(totalsLine).sorted() + usage.map(totalsLine)).joined(separator: "\n")
    return Digest(hashing: lines)
  }
}

/// A row of totals as text.
private func totalsLine(_ row: [StoredValue]) -> String {
  row.map { $0.integer.map(String.init) ?? $0.text ?? "" }.joined(separator: " ")
}
