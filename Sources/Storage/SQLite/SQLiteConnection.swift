import AnalyticsContract
import CSQLite
import Ingestion

/// A result code of SQLite, without the message: messages can quote what was being stored.
struct SQLiteError: Error, Equatable {
  /// The extended result code.
  let code: Int32

  /// What the code means to whoever asked for the transaction.
  var failure: StoreFailure {
    switch code & 0xFF {
    case SQLITE_FULL: .unavailable(.full)
    case SQLITE_BUSY, SQLITE_LOCKED, SQLITE_PROTOCOL, SQLITE_INTERRUPT: .unavailable(.busy)
    case SQLITE_IOERR: .unavailable(.inputOutput)
    case SQLITE_CANTOPEN, SQLITE_READONLY, SQLITE_PERM: .unavailable(.inaccessible)
    case SQLITE_CORRUPT, SQLITE_NOTADB: .unavailable(.corrupt)
    default: .defect
    }
  }
}

/// One connection, to be used by one thread at a time: it is opened without SQLite's own locking.
final class SQLiteConnection {
  private let handle: OpaquePointer
  // On the heap, because the hook is given its address.
  /// What ends queries that take too long; `nil` for no limit.
  var limit: ReadLimit? { didSet { watchLimit() } }
  private let walFramesCell = UnsafeMutablePointer<Int32>.allocate(capacity: 1)

  /// - Parameters:
  ///   - path: the database file.
  ///   - readOnly: whether the connection must not write.
  /// - Throws: ``SQLiteError``.
  init(path: String, readOnly: Bool = false) throws(SQLiteError) {
    var handle: OpaquePointer?
    let mode = readOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
    let result = sqlite3_open_v2(path, &handle, mode | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, nil)
    guard result == SQLITE_OK, let handle else {
      sqlite3_close_v2(handle)
      throw SQLiteError(code: result)
    }
    self.handle = handle
    walFramesCell.initialize(to: 0)
    waitsForLocks(true)
  }

  deinit {
    sqlite3_close_v2(handle)
    walFramesCell.deallocate()
  }

  /// Whether to wait, for at most 2 s, for a lock that another connection holds.
  func waitsForLocks(_ waits: Bool) { sqlite3_busy_timeout(handle, waits ? 2000 : 0) }

  /// Whether closing the last connection copies the write-ahead log into the database, as it normally does.
  func checkpointsOnClose(_ checkpoints: Bool) { osg_sqlite3_checkpoints_on_close(handle, checkpoints ? 1 : 0) }

  /// Asks the limit every few thousand steps of SQLite's machine: a fraction of a millisecond.
  private func watchLimit() {
    guard let limit else {
      sqlite3_progress_handler(handle, 0, nil, nil)
      return
    }
    // The connection keeps the limit for as long as SQLite has its address.
    sqlite3_progress_handler(
      handle, 5000, { Unmanaged<ReadLimit>.fromOpaque($0!).takeUnretainedValue().isReached ? 1 : 0 },
      Unmanaged.passUnretained(limit).toOpaque())
  }

  /// Runs statements that return nothing of interest.
  func execute(_ sql: String) throws(SQLiteError) {
    let result = sqlite3_exec(handle, sql, nil, nil, nil)
    if result != SQLITE_OK { throw SQLiteError(code: result) }
  }

  /// Compiles one statement.
  func prepare(_ sql: String) throws(SQLiteError) -> SQLiteStatement {
    var statement: OpaquePointer?
    let result = sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
    guard result == SQLITE_OK, let statement else { throw SQLiteError(code: result) }
    return SQLiteStatement(statement)
  }

  /// The integer that a query's only row and column holds; 0 where there is no row.
  func integer(_ sql: String) throws(SQLiteError) -> Int64 {
    let statement = try prepare(sql)
    return try statement.step() ? statement.integer(0) : 0
  }

  /// How many rows the last INSERT, UPDATE or DELETE changed.
  var changes: Int64 { sqlite3_changes64(handle) }

  /// The key that the last INSERT assigned.
  var lastInsertedKey: Int64 { sqlite3_last_insert_rowid(handle) }

  /// Whether a transaction is open. Some errors end it by themselves.
  var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

  /// Runs a closure in a transaction that holds the write lock from the start: all of it is durable, or nothing.
  func transaction<Result>(_ body: () throws(SQLiteError) -> Result) throws(SQLiteError) -> Result {
    try execute("BEGIN IMMEDIATE")
    do throws(SQLiteError) {
      let result = try body()
      try execute("COMMIT")
      return result
    } catch {
      if isInTransaction { try? execute("ROLLBACK") }
      throw error
    }
  }
}

// MARK: - Write-ahead log

extension SQLiteConnection {
  /// Starts counting the frames of the write-ahead log after each commit of this connection, instead of the checkpoint
  /// that SQLite would make in the middle of one.
  func countWALFrames() {
    sqlite3_wal_hook(
      handle,
      { context, _, _, frames in
        context!.assumingMemoryBound(to: Int32.self).pointee = frames
        return SQLITE_OK
      }, walFramesCell)
  }

  /// The frames that the write-ahead log held after the last commit.
  var framesInWAL: Int { Int(walFramesCell.pointee) }

  /// Copies what can be copied from the write-ahead log into the database without waiting for anyone.
  func checkpoint() throws(SQLiteError) {
    let result = sqlite3_wal_checkpoint_v2(handle, nil, SQLITE_CHECKPOINT_PASSIVE, nil, nil)
    if result != SQLITE_OK, result != SQLITE_BUSY { throw SQLiteError(code: result) }
  }
}
