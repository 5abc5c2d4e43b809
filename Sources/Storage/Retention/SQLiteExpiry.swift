import AnalyticsContract
import ServerFacts

/// Finds what has expired on a connection that only reads, so that looking for it holds up nobody; what is found is
/// removed by the writer in small transactions.
struct SQLiteExpiry {
  /// What is removed by one statement, for each row that was found.
  struct Removal: Sendable {
    let statements: [String]
    let rows: [[StoredValue]]
    let cursor: Int64?
  }

  let connection: SQLiteConnection
  let policy: RetentionPolicy

  /// How many rows one transaction removes at most.
  static let rowsAtOnce = 500
  /// How many installations are looked at in one go.
  private static let installationsAtOnce: Int64 = 256

  func find(_ step: RetentionStep, after cursor: Int64?) throws(SQLiteError) -> Removal {
    switch step {
    case .events: try events(after: cursor ?? 0)
    case .summaries: try summaries(after: cursor ?? 0)
    case .activity: try activity(after: cursor)
    case .sets: try sets()
    case .installations: try installations(after: cursor ?? 0)
    case .sessions, .sessionRevocations, .codeRevocations, .tombstones, .factIDs: try byAge(step)
    }
  }

  private func events(after cursor: Int64) throws(SQLiteError) -> Removal {
    // What was first seen later has nothing that could have expired.
    let installations = try connection.select(
      """
      SELECT installation_key FROM installations
      WHERE installation_key > $1 AND account_id IS NULL AND first_seen_at < $2
      ORDER BY installation_key LIMIT \(Self.installationsAtOnce)
      """, [.integer(cursor), StoredValue(policy.eventsReceivedBefore)], [.bigint])
    let find = "SELECT installation_key, client_event_id FROM events WHERE installation_key = $1 AND received_at < $2"
    var rows: [[StoredValue]] = []
    for installation in installations {
      rows += try connection.select(
        "\(find) LIMIT \(Self.rowsAtOnce - rows.count)", installation + [StoredValue(policy.eventsReceivedBefore)],
        [.bigint, .uuid])
      if rows.count >= Self.rowsAtOnce {
        // There may be more of this one.
        return Removal(statements: [Self.removeEvent], rows: rows, cursor: installation[0].integer! - 1)
      }
    }
    return Removal(statements: [Self.removeEvent], rows: rows, cursor: installations.last?[0].integer)
  }

  private static let removeEvent = "DELETE FROM events WHERE installation_key = $1 AND client_event_id = $2"

  private func summaries(after cursor: Int64) throws(SQLiteError) -> Removal {
    let last = try connection.integer("SELECT coalesce(max(installation_key), 0) FROM keyboard_summaries")
    let end = min(last, cursor + 4 * Self.installationsAtOnce)
    let rows = try connection.select(
      """
      SELECT installation_key, summary_day FROM keyboard_summaries
      WHERE installation_key > $1 AND installation_key <= $2 AND summary_day <= $3
      ORDER BY installation_key LIMIT \(Self.rowsAtOnce)
      """, [.integer(cursor), .integer(end), StoredValue(policy.summariesThrough)], [.bigint, .integer])
    let statement = "DELETE FROM keyboard_summaries WHERE installation_key = $1 AND summary_day = $2"
    if rows.count == Self.rowsAtOnce {
      return Removal(statements: [statement], rows: rows, cursor: rows.last![0].integer! - 1)
    }
    return Removal(statements: [statement], rows: rows, cursor: end < last ? end : nil)
  }

  /// Goes from day to day. Of linked installations only the mark of a summary goes.
  private func activity(after cursor: Int64?) throws(SQLiteError) -> Removal {
    let days = try connection.select(
      "SELECT min(day) FROM activity WHERE day > coalesce($1, -1000000)", [StoredValue(cursor)], [.integer])
    let mark = ActivityKinds.usageReported.rawValue
    let statements = [
      """
      DELETE FROM activity WHERE installation_key = $1 AND day = $2 AND (kinds & ~\(mark) = 0 OR $3 = 1)
      """,
      "UPDATE activity SET kinds = kinds & ~\(mark) WHERE installation_key = $1 AND day = $2",
    ]
    guard let day = days[0][0].integer, day <= Int64(policy.summariesThrough.daysSince1970) else {
      return Removal(statements: statements, rows: [], cursor: nil)
    }
    // The mark goes with the summary; the rest of a never-linked installation's day a day later.
    let removesAll = day <= Int64(policy.activityThrough.daysSince1970)
    let rows = try connection.select(
      """
      SELECT installation_key, day, account_id IS NULL AND $2 = 1
      FROM activity JOIN installations USING (installation_key)
      WHERE day = $1 AND (kinds & \(mark) <> 0 OR (account_id IS NULL AND $2 = 1)) LIMIT \(Self.rowsAtOnce)
      """, [.integer(day), .integer(removesAll ? 1 : 0)], [.bigint, .integer, .integer])
    return Removal(statements: statements, rows: rows, cursor: rows.count == Self.rowsAtOnce ? day - 1 : day)
  }

  /// Sets go by the day: one in each transaction, as they are large.
  private func sets() throws(SQLiteError) -> Removal {
    let days = try connection.select(
      "SELECT min(day) FROM installation_sets WHERE day <= $1 HAVING min(day) IS NOT NULL",
      [StoredValue(policy.summariesThrough)], [.integer])
    return Removal(
      statements: ["DELETE FROM installation_sets WHERE day = $1"], rows: days, cursor: days.isEmpty ? nil : 0)
  }

  private func installations(after cursor: Int64) throws(SQLiteError) -> Removal {
    let rows = try connection.select(
      """
      SELECT installation_key, last_seen_day FROM installations
      WHERE installation_key > $1 AND account_id IS NULL AND last_seen_day <= $2
      ORDER BY installation_key LIMIT 100
      """, [.integer(cursor), StoredValue(policy.installationsSeenThrough)], [.bigint, .integer])
    // It may have been seen, or linked, since it was found.
    let isStill = """
      installation_key = (
        SELECT installation_key FROM installations
        WHERE installation_key = $1 AND last_seen_day = $2 AND account_id IS NULL)
      """
    let statements = ["events", "keyboard_summaries", "activity", "installations"].map {
      "DELETE FROM \($0) WHERE \(isStill)"
    }
    return Removal(statements: statements, rows: rows, cursor: rows.last?[0].integer)
  }

  private func byAge(_ step: RetentionStep) throws(SQLiteError) -> Removal {
    let (table, key, condition, limit) = step.byAge(policy)
    let rows = try connection.select(
      "SELECT \(key) FROM \(table) WHERE \(condition) LIMIT \(Self.rowsAtOnce)", [limit], [.bytea])
    return Removal(
      statements: ["DELETE FROM \(table) WHERE \(key) = $1"], rows: rows,
      cursor: rows.count == Self.rowsAtOnce ? 0 : nil)
  }
}

extension SQLiteExpiry.Removal {
  /// Removes what was found, in an open transaction.
  /// - Returns: of how many of them something was there to remove.
  func perform(on connection: SQLiteConnection) throws(SQLiteError) -> Int64 {
    var removed: Int64 = 0
    let compiled = try statements.map { (sql) throws(SQLiteError) in try connection.prepare(sql) }
    for row in rows {
      var isRemoved = false
      for statement in compiled {
        statement.bind(row)
        try statement.run()
        if connection.changes > 0 { isRemoved = true }
      }
      if isRemoved { removed += 1 }
    }
    return removed
  }
}

extension RetentionStep {
  /// Where rows are that go by their age alone: the table, its key, and what is true of the rows that go, with `$1` for
  /// the limit.
  func byAge(_ policy: RetentionPolicy) -> (table: String, key: String, condition: String, limit: StoredValue) {
    let limit = "CAST($1 AS bigint)"
    switch self {
    case .sessions:
      return ("sessions", "token_digest", "expires_at < \(limit)", StoredValue(policy.sessionsExpiredBefore))
    case .sessionRevocations:
      return (
        "sessions", "token_digest", "expires_at IS NULL AND revoked_at < \(limit)", StoredValue(policy.memoriesBefore)
      )
    case .codeRevocations:
      return (
        "referral_codes", "code_digest", "issued_at IS NULL AND revoked_at < \(limit)",
        StoredValue(policy.memoriesBefore)
      )
    case .tombstones:
      return ("deleted_accounts", "account_digest", "deleted_at < \(limit)", StoredValue(policy.memoriesBefore))
    case .factIDs: return ("facts", "fact_id", "received_day <= \(limit)", StoredValue(policy.factsReceivedThrough))
    case .events, .summaries, .activity, .sets, .installations: preconditionFailure("these go by more than their age")
    }
  }
}
