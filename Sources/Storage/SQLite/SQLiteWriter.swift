import AnalyticsContract
import CSQLite
import Ingestion
import Synchronization

/// The one connection that writes, on its own thread.
actor SQLiteWriter {
  private let executor = SerialThreadExecutor()
  private let connection: SQLiteConnection
  private let file: SQLiteFile
  private let identity: SQLiteFile.Identity?
  private let batches: SQLiteBatchWriter
  private let checkpointer: SQLiteCheckpointer
  /// Whether enough was added to sets for merging it. Whoever merges takes this back.
  nonisolated let isMergeDue = Atomic<Bool>(false)
  private var isCheckpointing = false
  private var finishesCheckpoint = false
  private var isFailing = false
  private var isDamaged = false

  /// From this many frames (of a page of 4 KiB each) on, the write-ahead log is copied into the database. While the copy
  /// is flushed to the disk commits wait for the disk too: small copies cost the slowest answers less, and measured no
  /// less throughput than large ones.
  private static let framesBeforeCheckpoint = 1000

  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// Takes over an open and migrated connection.
  init(
    _ connection: sending SQLiteConnection, file: SQLiteFile, checkpointer: SQLiteCheckpointer
  ) throws(SQLiteError) {
    self.file = file
    identity = SQLiteFile.Identity(path: file.path)
    batches = try SQLiteBatchWriter(connection)
    connection.countWALFrames()
    self.connection = connection
    self.checkpointer = checkpointer
  }

  func commit(_ group: [Submission], counts: DayCounts) throws(StoreFailure) -> [CommitOutcome] {
    do throws(SQLiteError) {
      try expectFileInPlace()
      finishCheckpoint()
      let outcomes = try connection.transaction { () throws(SQLiteError) in try batches.apply(group, counts) }
      isFailing = false
      startCheckpointIfDue()
      if batches.unmergedBytes >= Self.bytesBeforeMerge {
        batches.unmergedBytes = 0
        isMergeDue.store(true, ordering: .relaxed)
      }
      return outcomes
    } catch {
      isFailing = true
      if error.failure == .unavailable(.corrupt) { isDamaged = true }
      throw error.failure
    }
  }

  /// From this many bytes on, what was added to sets is merged: until then reports read it beside the sets.
  private static let bytesBeforeMerge = 256 * 1024

  /// Runs a closure in a transaction.
  func transaction<Result: Sendable>(
    _ body: @Sendable (SQLiteConnection) throws(SQLiteError) -> Result
  ) throws(StoreFailure) -> Result {
    do throws(SQLiteError) {
      return try connection.transaction { () throws(SQLiteError) in try body(connection) }
    } catch { throw error.failure }
  }

  /// Finds out whether the database can be written. After a failure it writes a page to see whether that is over:
  /// a server that gets no traffic because it is not ready would never find out otherwise.
  func probe() throws(StoreFailure) {
    do throws(SQLiteError) { try expectFileInPlace() } catch { throw error.failure }
    // Damage does not go away, whatever else can still be written.
    if isDamaged { throw .unavailable(.corrupt) }
    guard isFailing else { return }
    // One page may still fit where a batch does not.
    guard file.hasRoom else { throw .unavailable(.full) }
    // Batches wait behind this: who holds the database now is answer enough.
    connection.waitsForLocks(false)
    defer { connection.waitsForLocks(true) }
    try transaction { (connection) throws(SQLiteError) in
      try connection.execute("PRAGMA user_version = \(Migration.current)")
    }
    isFailing = false
  }

  /// A file that was deleted or moved away can still be written, and what is written is lost: nothing must be
  /// acknowledged then.
  private func expectFileInPlace() throws(SQLiteError) {
    if identity == nil || SQLiteFile.Identity(path: file.path) != identity {
      throw SQLiteError(code: SQLITE_CANTOPEN)
    }
  }

  /// Leaves an empty write-ahead log behind: at the end, and after an erasure, as the log still holds what was erased.
  /// Where a reader is in the way the log goes with the next checkpoints.
  func emptyLog() {
    try? connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
  }

  // MARK: - Checkpoints

  // Copying the log takes long enough to be felt by the batches that wait, so another thread does it while groups go on
  // being committed. It can't catch up with the end of the log, though, and only a log that is copied to its end is
  // started afresh: the few frames that came meanwhile are copied here, between two groups.

  private func startCheckpointIfDue() {
    guard connection.framesInWAL >= Self.framesBeforeCheckpoint, !isCheckpointing else { return }
    isCheckpointing = true
    Task {
      await checkpointer.checkpoint()
      isCheckpointing = false
      finishesCheckpoint = true
    }
  }

  private func finishCheckpoint() {
    guard finishesCheckpoint else { return }
    finishesCheckpoint = false
    try? connection.checkpoint()
  }
}

/// Copies the write-ahead log into the database, on a thread and connection of its own.
actor SQLiteCheckpointer {
  private let executor = SerialThreadExecutor()
  private let connection: SQLiteConnection
  private let checkpointed: @Sendable (Duration) -> Void

  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  init(_ connection: sending SQLiteConnection, checkpointed: @escaping @Sendable (Duration) -> Void) {
    self.connection = connection
    self.checkpointed = checkpointed
  }

  /// A failure is left to the next attempt: the log keeps what could not be copied.
  func checkpoint() {
    let start = ContinuousClock.now
    try? connection.checkpoint()
    checkpointed(ContinuousClock.now - start)
  }
}

/// A connection that only reads, on its own thread: reads wait neither for the writer nor for each other's locks.
actor SQLiteReader {
  private let executor = SerialThreadExecutor()
  private let connection: SQLiteConnection
  private let sessions: SQLiteSessions
  private let referralCodes: SQLiteReferralCodes

  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  init(_ connection: sending SQLiteConnection) throws(SQLiteError) {
    sessions = try SQLiteSessions(connection)
    referralCodes = try SQLiteReferralCodes(connection)
    self.connection = connection
  }

  func isValidSession(_ token: AccessToken, at instant: Instant) throws(StoreFailure) -> Bool {
    do throws(SQLiteError) {
      return try sessions.account(of: token, at: instant) != nil
    } catch { throw error.failure }
  }

  func isValidReferralCode(_ code: Digest) throws(StoreFailure) -> Bool {
    do throws(SQLiteError) { return try referralCodes.isValid(code) } catch { throw error.failure }
  }

  /// Runs a closure on the connection.
  func read<Result: Sendable>(
    _ body: @Sendable (SQLiteConnection) throws(SQLiteError) -> Result
  ) throws(StoreFailure) -> Result {
    do throws(SQLiteError) { return try body(connection) } catch { throw error.failure }
  }
}
