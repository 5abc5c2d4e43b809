import AnalyticsContract
import CSQLite
import Ingestion
import Reporting

/// The statements on the table of installations.
struct SQLiteInstallations {
  private let connection: SQLiteConnection
  private let find: SQLiteStatement
  private let insert: SQLiteStatement
  private let update: SQLiteStatement
  private let delete: SQLiteStatement

  init(_ connection: SQLiteConnection) throws(SQLiteError) {
    self.connection = connection
    find = try connection.prepare(
      """
      SELECT installation_key, account_id, last_seen_day, first_open_event_id, first_open_at, acquisition_channel
      FROM installations WHERE digest = ?
      """)
    insert = try connection.prepare(
      """
      INSERT INTO installations (
        digest, account_id, linked_at, first_seen_at, last_seen_day, first_open_event_id, first_open_at,
        acquisition_channel)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?)
      """)
    update = try connection.prepare(
      """
      UPDATE installations SET
        account_id = coalesce(account_id, ?2), linked_at = coalesce(linked_at, ?3),
        last_seen_day = max(last_seen_day, ?4), first_open_event_id = coalesce(first_open_event_id, ?5),
        first_open_at = coalesce(first_open_at, ?6), acquisition_channel = coalesce(acquisition_channel, ?7)
      WHERE installation_key = ?1
      """)
    delete = try connection.prepare("DELETE FROM installations WHERE installation_key = ?")
  }

  func row(of digest: Digest) throws(SQLiteError) -> InstallationRow? {
    find.bind(digest, at: 0)
    guard try find.step() else { return nil }
    defer { find.reset() }
    return InstallationRow(
      key: find.integer(0), account: find.uuid(1), lastSeenDay: find.integer(2), firstOpenEventID: find.uuid(3),
      firstOpen: find.optionalInteger(4).map {
        FirstOpen(at: Instant(microseconds: $0), channel: UInt8(clamping: find.integer(5)))
      })
  }

  /// Inserts an installation with its first batch.
  /// - Returns: its key.
  func insert(_ submission: Submission, account: UUIDValue?, firstOpen: Event?) throws(SQLiteError) -> Int64 {
    let now = submission.receivedAt
    insert.bind(submission.installation, at: 0)
    insert.bind(account, at: 1)
    insert.bind(account == nil ? nil : now.microseconds, at: 2)
    insert.bind(now.microseconds, at: 3)
    insert.bind(Int64(now.day.daysSince1970), at: 4)
    bind(firstOpen, to: insert, at: 5)
    try insert.run()
    // More don't fit into sets.
    if connection.lastInsertedKey > InstallationSet.maximumKey { throw SQLiteError(code: SQLITE_FULL) }
    return connection.lastInsertedKey
  }

  /// Notes what a batch tells about a known installation: a link, its first open, the day it was seen. What is known
  /// already stays as it is, and a row that would not change is not written.
  func update(
    _ row: InstallationRow, with submission: Submission, account: UUIDValue?, firstOpen: Event?
  ) throws(SQLiteError) {
    let now = submission.receivedAt
    let today = Int64(now.day.daysSince1970)
    let isNewLink = account != nil && row.account == nil
    let isNewFirstOpen = firstOpen != nil && row.firstOpenEventID == nil
    guard isNewLink || isNewFirstOpen || today > row.lastSeenDay else { return }
    update.bind(row.key, at: 0)
    update.bind(account, at: 1)
    update.bind(isNewLink ? now.microseconds : nil, at: 2)
    update.bind(today, at: 3)
    bind(firstOpen, to: update, at: 4)
    try update.run()
  }

  func delete(key: Int64) throws(SQLiteError) {
    delete.bind(key, at: 0)
    try delete.run()
  }

  private func bind(_ firstOpen: Event?, to statement: SQLiteStatement, at index: Int32) {
    statement.bind(firstOpen?.clientEventID, at: index)
    statement.bind(firstOpen?.occurredAt.microseconds, at: index + 1)
    statement.bind(firstOpen?.kind.acquisitionChannel.map { Int64($0.code) }, at: index + 2)
  }
}
