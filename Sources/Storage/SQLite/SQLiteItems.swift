import AnalyticsContract

/// How an item stands to what is stored.
enum ItemOutcome {
  /// It was not there; now it is.
  case accepted
  /// The same item is there already.
  case replayed
  /// Another item stands in its place.
  case conflict
}

/// The statements on the table of events.
struct SQLiteEvents {
  private let connection: SQLiteConnection
  private let insert: SQLiteStatement
  private let find: SQLiteStatement
  private let delete: SQLiteStatement

  init(_ connection: SQLiteConnection) throws(SQLiteError) {
    self.connection = connection
    insert = try connection.prepare(
      "INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING")
    find = try connection.prepare(
      """
      SELECT occurred_at, event_type, surface, acquisition_channel, feature, execution_mode, failure_category,
        duration_bucket, app_version, os_version
      FROM events WHERE installation_key = ? AND client_event_id = ?
      """)
    delete = try connection.prepare("DELETE FROM events WHERE installation_key = ? AND client_event_id = ?")
  }

  func insert(_ event: Event, installation: Int64, receivedAt: Instant) throws(SQLiteError) -> ItemOutcome {
    insert.bind(installation, at: 0)
    insert.bind(event.clientEventID, at: 1)
    insert.bind(event.occurredAt.microseconds, at: 2)
    insert.bind(receivedAt.microseconds, at: 3)
    insert.bind(Int64(event.kind.type.code), at: 4)
    insert.bind(Int64(event.kind.surface.code), at: 5)
    for (position, dimension) in Dimension.allCases.enumerated() {
      let code = event.kind.code(of: dimension)
      insert.bind(code == 0 ? nil : Int64(code), at: Int32(6 + position))
    }
    insert.bind(event.appVersion, at: 11)
    insert.bind(event.osVersion, at: 12)
    try insert.run()
    if connection.changes == 1 { return .accepted }
    return try isStored(event, installation: installation) ? .replayed : .conflict
  }

  func delete(_ event: Event, installation: Int64) throws(SQLiteError) {
    delete.bind(installation, at: 0)
    delete.bind(event.clientEventID, at: 1)
    try delete.run()
  }

  /// Whether the stored event of the same key has the same values.
  private func isStored(_ event: Event, installation: Int64) throws(SQLiteError) -> Bool {
    find.bind(installation, at: 0)
    find.bind(event.clientEventID, at: 1)
    guard try find.step() else { return false }
    defer { find.reset() }
    guard find.integer(0) == event.occurredAt.microseconds, find.integer(1) == Int64(event.kind.type.code),
      find.integer(2) == Int64(event.kind.surface.code)
    else { return false }
    for (position, dimension) in Dimension.allCases.enumerated()
    where find.integer(Int32(3 + position)) != Int64(event.kind.code(of: dimension)) {
      return false
    }
    return find.version(8) == event.appVersion && find.version(9) == event.osVersion
  }
}

/// The statements on the table of keyboard usage summaries.
struct SQLiteSummaries {
  private let connection: SQLiteConnection
  private let insert: SQLiteStatement
  private let find: SQLiteStatement
  private let delete: SQLiteStatement

  init(_ connection: SQLiteConnection) throws(SQLiteError) {
    self.connection = connection
    insert = try connection.prepare(
      "INSERT INTO keyboard_summaries VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING")
    find = try connection.prepare(
      """
      SELECT client_summary_id, app_version, os_version, chinese_characters, english_characters, other_characters,
        input_sessions, chinese_only_sessions, english_only_sessions, mixed_language_sessions, other_only_sessions
      FROM keyboard_summaries WHERE installation_key = ? AND summary_day = ?
      """)
    delete = try connection.prepare("DELETE FROM keyboard_summaries WHERE installation_key = ? AND summary_day = ?")
  }

  func insert(
    _ summary: KeyboardUsageSummary, installation: Int64, receivedAt: Instant
  ) throws(SQLiteError) -> ItemOutcome {
    insert.bind(installation, at: 0)
    insert.bind(Int64(summary.date.daysSince1970), at: 1)
    insert.bind(summary.clientSummaryID, at: 2)
    insert.bind(receivedAt.microseconds, at: 3)
    for counter in UsageCounter.allCases {
      insert.bind(Int64(summary.counts[counter]), at: Int32(4 + counter.rawValue))
    }
    insert.bind(summary.appVersion, at: 12)
    insert.bind(summary.osVersion, at: 13)
    try insert.run()
    if connection.changes == 1 { return .accepted }
    return try isStored(summary, installation: installation) ? .replayed : .conflict
  }

  func delete(_ summary: KeyboardUsageSummary, installation: Int64) throws(SQLiteError) {
    delete.bind(installation, at: 0)
    delete.bind(Int64(summary.date.daysSince1970), at: 1)
    try delete.run()
  }

  /// Whether the stored summary of the same date has the same id and values. None of that date means that the id is
  /// another date's.
  private func isStored(_ summary: KeyboardUsageSummary, installation: Int64) throws(SQLiteError) -> Bool {
    find.bind(installation, at: 0)
    find.bind(Int64(summary.date.daysSince1970), at: 1)
    guard try find.step() else { return false }
    defer { find.reset() }
    guard find.uuid(0) == summary.clientSummaryID, find.version(1) == summary.appVersion,
      find.version(2) == summary.osVersion
    else { return false }
    return UsageCounter.allCases.allSatisfy { find.integer(Int32(3 + $0.rawValue)) == Int64(summary.counts[$0]) }
  }
}
