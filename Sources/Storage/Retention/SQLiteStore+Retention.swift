import AnalyticsContract
import Ingestion
import ServerFacts

extension SQLiteStore: RetentionStore {
  /// One server has the file; a command beside it does the same things once more, which changes nothing.
  public func beginRetention() async throws(StoreFailure) -> Bool { true }

  /// Notes that retention was done to the end.
  public func endRetention(completed: Instant?) async throws(StoreFailure) {
    guard let completed else { return }
    try await writer.transaction { (connection) throws(SQLiteError) in
      try RetentionRuns(runner: connection).add(completed)
    }
  }

  /// The day on which retention was last done to the end.
  public func lastRetentionDay() async throws(StoreFailure) -> CalendarDay? {
    try await maintenance.read { (connection) throws(SQLiteError) in try RetentionRuns(runner: connection).last() }
  }

  /// The days that are to be sealed next.
  public func daysToSeal(through last: CalendarDay) async throws(StoreFailure) -> ClosedRange<CalendarDay>? {
    try await maintenance.read { (connection) throws(SQLiteError) in
      try Sealing(runner: connection).daysToSeal(through: last)
    }
  }

  /// Seals a day: measured on a connection that only reads, as nothing changes any more.
  public func seal(_ day: CalendarDay, at now: Instant) async throws(StoreFailure) {
    let measurement = try await maintenance.read { (connection) throws(SQLiteError) in
      try Sealing(runner: connection).measure(day, at: now)
    }
    try await writer.transaction { (connection) throws(SQLiteError) in
      try Sealing(runner: connection).keep(measurement)
    }
  }

  /// Removes some of what has expired.
  public func expire(
    _ step: RetentionStep, _ policy: RetentionPolicy, after cursor: Int64?, dryRun: Bool
  ) async throws(StoreFailure) -> (removed: Int64, cursor: Int64?) {
    if dryRun {
      let count = try await maintenance.read { (connection) throws(SQLiteError) in
        try connection.expired(step, policy)
      }
      return (count, nil)
    }
    let removal = try await maintenance.read { (connection) throws(SQLiteError) in
      try SQLiteExpiry(connection: connection, policy: policy).find(step, after: cursor)
    }
    if removal.rows.isEmpty { return (0, removal.cursor) }
    let removed = try await writer.transaction { (connection) throws(SQLiteError) in
      try removal.perform(on: connection)
    }
    return (removed, removal.cursor)
  }
}

/// The runs of retention that went to the end.
struct RetentionRuns<Runner: StatementRunner> {
  let runner: Runner

  func add(_ completed: Instant) throws(Runner.Failure) {
    try runner.change(
      """
      INSERT INTO retention_runs VALUES (CAST($1 AS bigint), CAST($2 AS bigint))
      ON CONFLICT (day) DO UPDATE SET completed_at = excluded.completed_at
      """, [StoredValue(completed.day), StoredValue(completed)])
    try runner.change(
      "DELETE FROM retention_runs WHERE day < CAST($1 AS bigint)",
      [StoredValue(completed.day.advanced(by: -RetentionPolicy.days))])
  }

  func last() throws(Runner.Failure) -> CalendarDay? {
    try runner.select("SELECT max(day) FROM retention_runs", [], [.integer])[0][0].integer.map {
      CalendarDay(daysSince1970: Int32(clamping: $0))
    }
  }
}

extension StatementRunner {
  /// How many rows a step of retention would remove.
  func expired(_ step: RetentionStep, _ policy: RetentionPolicy) throws(Failure) -> Int64 {
    let isAnonymous = "(SELECT account_id IS NULL FROM installations WHERE installations.installation_key"
    let sql: String
    let parameters: [StoredValue]
    switch step {
    case .events:
      sql = """
        SELECT count(*) FROM events WHERE received_at < CAST($1 AS bigint) AND \(isAnonymous) = events.installation_key)
        """
      parameters = [StoredValue(policy.eventsReceivedBefore)]
    case .summaries:
      sql = "SELECT count(*) FROM keyboard_summaries WHERE summary_day <= CAST($1 AS bigint)"
      parameters = [StoredValue(policy.summariesThrough)]
    case .activity:
      sql = """
        SELECT count(*) FROM activity WHERE day <= CAST($1 AS bigint) AND (
          kinds & \(ActivityKinds.usageReported.rawValue) <> 0
          OR (day <= CAST($2 AS bigint) AND \(isAnonymous) = activity.installation_key)))
        """
      parameters = [StoredValue(policy.summariesThrough), StoredValue(policy.activityThrough)]
    case .sets:
      sql = "SELECT count(DISTINCT day) FROM installation_sets WHERE day <= CAST($1 AS bigint)"
      parameters = [StoredValue(policy.summariesThrough)]
    case .installations:
      sql = "SELECT count(*) FROM installations WHERE account_id IS NULL AND last_seen_day <= CAST($1 AS bigint)"
      parameters = [StoredValue(policy.installationsSeenThrough)]
    case .sessions, .sessionRevocations, .codeRevocations, .tombstones, .factIDs:
      let rows = step.byAge(policy)
      sql = "SELECT count(*) FROM \(rows.table) WHERE \(rows.condition)"
      parameters = [rows.limit]
    }
    return try select(sql, parameters, [.bigint])[0][0].integer ?? 0
  }
}
