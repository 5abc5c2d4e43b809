import CSQLite

/// What SQLite answered instead of doing what a test asked for.
public struct DatabaseFileError: Error {
  /// SQLite's result code.
  public var code: Int32
  /// SQLite's message.
  public var message: String
}

/// A connection to a SQLite file.
public final class DatabaseFile: DatabaseConnection {
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

  /// Takes the one lock that lets a connection write.
  /// - Throws: ``DatabaseFileError``.
  public func holdDatabase() throws { try execute("BEGIN IMMEDIATE") }

  /// Runs statements that have no result.
  /// - Throws: ``DatabaseFileError``.
  public func execute(_ sql: String) throws { try check(sqlite3_exec(handle, sql, nil, nil, nil)) }

  /// All rows of a query, as text; nil is NULL.
  /// - Throws: ``DatabaseFileError``.
  public func rows(_ sql: String) throws -> [[String?]] {
    var statement: OpaquePointer?
    try check(sqlite3_prepare_v2(handle, sql, -1, &statement, nil))
    defer { sqlite3_finalize(statement) }
    var rows: [[String?]] = []
    while true {
      let code = sqlite3_step(statement)
      if code == SQLITE_DONE { return rows }
      guard code == SQLITE_ROW else { throw failure(code) }
      rows.append(
        (0..<sqlite3_column_count(statement)).map { sqlite3_column_text(statement, $0).map { String(cString: $0) } })
    }
  }

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
