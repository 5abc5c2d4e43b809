import AnalyticsContract
import Ingestion
import PostgreSQL
import ServerFacts

extension PostgreSQLStore: RetentionStore {
  /// Takes a lock that the connection holds: it ends with the connection, however that ends.
  public func beginRetention() async throws(StoreFailure) -> Bool {
    try await maintain { (connection) throws(PostgreSQLError) in
      try connection.query("SELECT pg_try_advisory_lock(\(PostgreSQLSchema.retentionLock))").boolean(0, 0)
    }
  }

  /// Notes that retention was done to the end, and gives the lock back.
  public func endRetention(completed: Instant?) async throws(StoreFailure) {
    try await maintain { (connection) throws(PostgreSQLError) in
      if let completed {
        try connection.transaction { () throws(PostgreSQLError) in
          try RetentionRuns(runner: connection).add(completed)
        }
      }
      try connection.execute("SELECT pg_advisory_unlock(\(PostgreSQLSchema.retentionLock))")
    }
  }

  /// The day on which retention was last done to the end.
  public func lastRetentionDay() async throws(StoreFailure) -> CalendarDay? {
    try await maintain { (connection) throws(PostgreSQLError) in try RetentionRuns(runner: connection).last() }
  }

  /// The days that are to be sealed next.
  public func daysToSeal(through last: CalendarDay) async throws(StoreFailure) -> ClosedRange<CalendarDay>? {
    try await maintain { (connection) throws(PostgreSQLError) in
      try Sealing(runner: connection).daysToSeal(through: last)
    }
  }

  /// Seals a day.
  public func seal(_ day: CalendarDay, at now: Instant) async throws(StoreFailure) {
    try await maintain { (connection) throws(PostgreSQLError) in
      try connection.transaction { () throws(PostgreSQLError) in
        let sealing = Sealing(runner: connection)
        try sealing.keep(try sealing.measure(day, at: now))
      }
    }
  }

  /// Removes some of what has expired.
  public func expire(
    _ step: RetentionStep, _ policy: RetentionPolicy, after cursor: Int64?, dryRun: Bool
  ) async throws(StoreFailure) -> (removed: Int64, cursor: Int64?) {
    try await maintain { (connection) throws(PostgreSQLError) in
      if dryRun { return (try connection.expired(step, policy), nil) }
      return try connection.transaction { () throws(PostgreSQLError) in
        try PostgreSQLExpiry(connection: connection, policy: policy).remove(step, after: cursor)
      }
    }
  }

  private func maintain<Result: Sendable>(
    _ body: @Sendable (PostgreSQLConnection) throws(PostgreSQLError) -> Result
  ) async throws(StoreFailure) -> Result {
    do throws(PostgreSQLError) { return try await maintenance.perform(body) } catch { throw error.failure }
  }
}

extension PostgreSQLConnection {
  /// Runs a closure in a durable transaction.
  fileprivate func transaction<Result>(
    _ body: () throws(PostgreSQLError) -> Result
  ) throws(PostgreSQLError) -> Result {
    try execute("BEGIN")
    let result = try body()
    try commit([])
    return result
  }
}

/// Removes what has expired, a piece in each transaction.
private struct PostgreSQLExpiry {
  let connection: PostgreSQLConnection
  let policy: RetentionPolicy

  /// How many pages of a table are looked at in one go: 2 MB.
  private static let pagesAtOnce: Int64 = 256
  /// How many rows go in one go, where they are found by an index.
  private static let rowsAtOnce = 2000

  func remove(
    _ step: RetentionStep, after cursor: Int64?
  ) throws(PostgreSQLError) -> (removed: Int64, cursor: Int64?) {
    switch step {
    case .events:
      // As a query of its own, whether it is never-linked is asked of those rows alone that are old enough.
      try removeByPage(
        "events",
        """
        received_at < CAST($1 AS bigint)
        AND (SELECT account_id IS NULL FROM installations WHERE installation_key = events.installation_key)
        """, StoredValue(policy.eventsReceivedBefore), after: cursor)
    case .summaries:
      try removeByPage(
        "keyboard_summaries", "summary_day <= CAST($1 AS bigint)", StoredValue(policy.summariesThrough), after: cursor)
    case .activity: try removeActivity(after: cursor)
    case .sets: try removeSets()
    case .installations: try removeInstallations(after: cursor ?? 0)
    case .sessions, .sessionRevocations, .codeRevocations, .tombstones, .factIDs: try removeByAge(step)
    }
  }

  /// Goes through a table page by page, as it lies on the disk: no index on the time of receipt is worth what it would
  /// cost every insert.
  private func removeByPage(
    _ table: String, _ condition: String, _ limit: StoredValue, after cursor: Int64?
  ) throws(PostgreSQLError) -> (removed: Int64, cursor: Int64?) {
    let pages =
      try connection.select(
        "SELECT pg_relation_size('\(table)') / current_setting('block_size')::bigint", [], [.bigint])[0][0].integer ?? 0
    let start = cursor ?? 0
    let end = min(pages, start + Self.pagesAtOnce)
    let removed = try connection.change(
      "DELETE FROM \(table) WHERE ctid >= '(\(start),0)'::tid AND ctid < '(\(end),0)'::tid AND \(condition)", [limit])
    return (removed, end < pages ? end : nil)
  }

  /// Goes from day to day. Of linked installations only the mark of a summary goes.
  private func removeActivity(after cursor: Int64?) throws(PostgreSQLError) -> (removed: Int64, cursor: Int64?) {
    let days = try connection.select(
      "SELECT min(day) FROM activity WHERE day > CAST($1 AS bigint)", [.integer(cursor ?? -1_000_000)], [.integer])
    guard let day = days[0][0].integer, day <= Int64(policy.summariesThrough.daysSince1970) else { return (0, nil) }
    let mark = ActivityKinds.usageReported.rawValue
    var removed: Int64 = 0
    if day <= Int64(policy.activityThrough.daysSince1970) {
      removed += try connection.change(
        """
        DELETE FROM activity WHERE day = CAST($1 AS bigint)
          AND (SELECT account_id IS NULL FROM installations WHERE installation_key = activity.installation_key)
        """, [.integer(day)])
    }
    removed += try connection.change(
      "DELETE FROM activity WHERE day = CAST($1 AS bigint) AND kinds = \(mark)", [.integer(day)])
    removed += try connection.change(
      "UPDATE activity SET kinds = kinds & ~\(mark) WHERE day = CAST($1 AS bigint) AND kinds & \(mark) <> 0",
      [.integer(day)])
    return (removed, day)
  }

  /// Sets go by the day.
  private func removeSets() throws(PostgreSQLError) -> (removed: Int64, cursor: Int64?) {
    let removed = try connection.change(
      """
      DELETE FROM installation_sets
      WHERE day = (SELECT min(day) FROM installation_sets WHERE day <= CAST($1 AS bigint))
      """, [StoredValue(policy.summariesThrough)])
    return removed == 0 ? (0, nil) : (1, 0)
  }

  /// Locks installations that go, so that batches that come meanwhile begin afresh, and removes what is left of them.
  private func removeInstallations(after cursor: Int64) throws(PostgreSQLError) -> (removed: Int64, cursor: Int64?) {
    let rows = try connection.select(
      """
      SELECT installation_key FROM installations
      WHERE installation_key > CAST($1 AS bigint) AND account_id IS NULL AND last_seen_day <= CAST($2 AS bigint)
      ORDER BY installation_key LIMIT \(Self.rowsAtOnce) FOR UPDATE SKIP LOCKED
      """, [.integer(cursor), StoredValue(policy.installationsSeenThrough)], [.bigint])
    guard let last = rows.last?[0].integer else { return (0, nil) }
    var keys = BinaryArray(of: .int64)
    for row in rows { keys.append(row[0].integer!) }
    for table in ["events", "keyboard_summaries", "activity", "installations"] {
      _ = try connection.query(
        "DELETE FROM \(table) WHERE installation_key = ANY ($1::bigint[])", PostgreSQLParameters(keys))
    }
    return (Int64(rows.count), last)
  }

  private func removeByAge(_ step: RetentionStep) throws(PostgreSQLError) -> (removed: Int64, cursor: Int64?) {
    let (table, key, condition, limit) = step.byAge(policy)
    let removed = try connection.change(
      """
      DELETE FROM \(table) WHERE \(key) IN (
        SELECT \(key) FROM \(table) WHERE \(condition) LIMIT \(Self.rowsAtOnce))
      """, [limit])
    return (removed, removed == Self.rowsAtOnce ? 0 : nil)
  }
}
