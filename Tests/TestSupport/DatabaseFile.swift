import CSQLite

/// What SQLite answered instead of doing what a test asked for.
public struct DatabaseFileError: Error {
  /// SQLite's result code.
  public var code: Int32
  /// SQLite's message.
  public var message: String
}

/// A second connection to a server's database, to look at what is really stored and to get in the server's way.
/// Not thread-safe.
public final class DatabaseFile {
  private var handle: OpaquePointer?

  /// Opens a file, which is made if it doesn't exist. Waits at most ten seconds for a lock.
  /// - Throws: ``DatabaseFileError``.
  public init(path: String) throws {
    try check(sqlite3_open_v2(path, &handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nil))
    sqlite3_busy_timeout(handle, 10_000)
  }

  deinit { close() }

  /// Closes the connection, which gives its locks back.
  public func close() {
    sqlite3_close_v2(handle)
    handle = nil
  }

  /// Runs statements that have no result.
  /// - Throws: ``DatabaseFileError``.
  public func execute(_ sql: String) throws { try check(sqlite3_exec(handle, sql, nil, nil, nil)) }

  /// The first column of the first row as an integer; nil when there is no row.
  /// - Throws: ``DatabaseFileError``.
  public func integer(_ sql: String) throws -> Int? { try text(sql).flatMap { Int($0) } }

  /// The first column of the first row as text; nil when there is no row.
  /// - Throws: ``DatabaseFileError``.
  public func text(_ sql: String) throws -> String? {
    var statement: OpaquePointer?
    try check(sqlite3_prepare_v2(handle, sql, -1, &statement, nil))
    defer { sqlite3_finalize(statement) }
    let code = sqlite3_step(statement)
    if code == SQLITE_DONE { return nil }
    guard code == SQLITE_ROW else { throw failure(code) }
    return sqlite3_column_text(statement, 0).map { String(cString: $0) }
  }

  /// The number of rows in the table of events.
  /// - Throws: ``DatabaseFileError``.
  public func eventCount() throws -> Int { try integer("SELECT count(*) FROM events") ?? 0 }

  /// SQLite's own verdict over the whole file; `ok` when nothing is wrong.
  /// - Throws: ``DatabaseFileError``.
  public func integrity() throws -> String { try text("PRAGMA integrity_check") ?? "no answer" }

  private func check(_ code: Int32) throws {
    if code != SQLITE_OK { throw failure(code) }
  }

  private func failure(_ code: Int32) -> DatabaseFileError {
    DatabaseFileError(code: code, message: handle.map { String(cString: sqlite3_errmsg($0)) } ?? "not open")
  }
}
