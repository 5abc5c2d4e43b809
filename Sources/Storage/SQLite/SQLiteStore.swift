import AnalyticsContract
import Glibc
import Ingestion
import ServerFacts
import Synchronization

/// The embedded database: one file, one writer, readers beside it, each on a thread of its own.
///
/// Commits are durable: the write-ahead log is flushed to the disk before a commit returns (`synchronous=FULL`).
public final class SQLiteStore: AnalyticsStore {
  /// The schema versions that opening brought the database to; empty where it was current.
  public let appliedMigrations: [Int64]

  /// One: SQLite has one writer at a time.
  public let groupsInFlight = 1

  let writer: SQLiteWriter
  private let reader: SQLiteReader
  /// For what reads much and nobody waits for.
  let maintenance: SQLiteReader
  /// For reports.
  let reports: SQLiteReader
  /// For merging sets.
  let merger: SQLiteReader
  let merging = Mutex<Bool>(false)
  private let lock: ServerLock?
  private let role: StoreRole

  /// Opens a database, creating and migrating it where needed. A process opens a database once: looking at its first
  /// bytes means to open and close the file, and closing it ends the locks that the process has on it.
  /// - Parameters:
  ///   - path: the file; missing folders are created.
  ///   - role: why it is opened.
  ///   - clock: the server's clock.
  ///   - checkpointed: told how long each checkpoint took.
  /// - Throws: ``SQLiteOpenError``.
  public init(
    path: String, role: StoreRole, clock: UTCClock, checkpointed: @escaping @Sendable (Duration) -> Void = { _ in }
  ) throws(SQLiteOpenError) {
    self.role = role
    let file = SQLiteFile(path: path)
    try file.prepare(creates: role.creates)
    let connection: SQLiteConnection
    do throws(SQLiteError) { connection = try SQLiteConnection(path: path) } catch {
      throw SQLiteOpenError(error, path: path)
    }
    let migrator = SQLiteMigrator(path: path, migrations: Migration.all)
    // Until it is known to be ours, the file is not touched, not even by closing it.
    connection.checkpointsOnClose(false)
    try migrator.inspect(connection)
    connection.checkpointsOnClose(true)
    lock = role.isAlone ? ServerLock(descriptor: try file.lock()) : nil
    do throws(SQLiteError) {
      // 16 MB of pages: enough for the hot ends of the tables, little enough for a small machine.
      // What is deleted is overwritten: erased means that it is not in the file any more.
      try connection.execute(
        """
        PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = -16000; PRAGMA secure_delete = ON
        """)
    } catch { throw SQLiteOpenError(error, path: path) }
    appliedMigrations = try migrator.migrate(connection, at: clock.now)
    do throws(SQLiteError) {
      if Migration.makesSetsOfOldEvents(appliedMigrations) {
        try connection.transaction { () throws(SQLiteError) in
          _ = try SetRebuilding(runner: connection, days: SetRebuilding<SQLiteConnection>.days(at: clock.now)).replace()
        }
      }
      let checkpointer = SQLiteCheckpointer(try SQLiteConnection(path: path), checkpointed: checkpointed)
      writer = try SQLiteWriter(connection, file: file, checkpointer: checkpointer)
      reader = try SQLiteReader(SQLiteConnection(path: path, readOnly: true))
      maintenance = try SQLiteReader(SQLiteConnection(path: path, readOnly: true))
      reports = try SQLiteReader(SQLiteConnection(path: path, readOnly: true))
      merger = try SQLiteReader(SQLiteConnection(path: path, readOnly: true))
    } catch { throw SQLiteOpenError(error, path: path) }
  }

  /// Makes sure that the database can be read and written now.
  /// - Throws: ``StoreFailure`` where it can't.
  public func probe() async throws(StoreFailure) {
    _ = try await reader.read { (connection) throws(SQLiteError) in
      try connection.integer("SELECT count(*) FROM schema_migrations")
    }
    try await writer.probe()
  }

  /// Leaves everything in the database file, after everything else has ended.
  public func close() async {
    if role == .server { await mergeSets() }
    await writer.emptyLog()
  }
}

/// Holds the lock against a second server for as long as it lives.
private final class ServerLock: Sendable {
  private let descriptor: Int32

  init(descriptor: Int32) { self.descriptor = descriptor }

  deinit { Glibc.close(descriptor) }
}

extension SQLiteStore: BatchStore {
  /// Commits a group in one durable transaction.
  public func commit(
    _ group: [Submission], counts: DayCounts
  ) async throws(StoreFailure) -> [CommitOutcome] {
    let outcomes = try await writer.commit(group, counts: counts)
    if writer.isMergeDue.exchange(false, ordering: .relaxed) { Task { await mergeSets() } }
    return outcomes
  }

  /// Whether a token is that of a valid session.
  public func isValidSession(_ token: AccessToken, at instant: Instant) async throws(StoreFailure) -> Bool {
    try await reader.isValidSession(token, at: instant)
  }
}

extension SQLiteStore: InvitationStore {
  /// Whether a code's digest is that of an issued and not revoked referral code.
  public func isValidReferralCode(_ code: Digest) async throws(StoreFailure) -> Bool {
    try await reader.isValidReferralCode(code)
  }
}

extension SQLiteStore: CredentialStore {
  /// Keeps a new token.
  /// - Throws: ``CredentialFailure``, ``StoreFailure``.
  public func createToken(_ digest: Digest, name: String, scope: TokenScope, at instant: Instant) async throws {
    let isNew = try await writer.transaction { (connection) throws(SQLiteError) in
      try SQLiteCredentials(connection: connection).createToken(digest, name: name, scope: scope, at: instant)
    }
    if !isNew { throw CredentialFailure.nameTaken }
  }

  /// All tokens, oldest first.
  /// - Throws: ``StoreFailure``.
  public func tokens() async throws -> [TokenDescription] {
    try await reader.read { (connection) throws(SQLiteError) in
      try SQLiteCredentials(connection: connection).tokens()
    }
  }

  /// Revokes a token by its name.
  /// - Throws: ``CredentialFailure``, ``StoreFailure``.
  public func revokeToken(named name: String, at instant: Instant) async throws {
    let wasValid = try await writer.transaction { (connection) throws(SQLiteError) in
      try SQLiteCredentials(connection: connection).revokeToken(named: name, at: instant)
    }
    if !wasValid { throw CredentialFailure.unknownName }
  }

  /// What a token may be used for.
  /// - Throws: ``StoreFailure``.
  public func scope(ofToken digest: Digest) async throws -> TokenScope? {
    try await reader.read { (connection) throws(SQLiteError) in
      try SQLiteCredentials(connection: connection).scope(ofToken: digest)
    }
  }
}

extension SQLiteStore: FactStore {
  /// Stores facts in one durable transaction.
  public func state(_ facts: [Fact], at now: Instant) async throws(StoreFailure) -> FactOutcome {
    let outcome = try await writer.transaction { (connection) throws(SQLiteError) in
      try FactWriter(runner: connection).state(facts, at: now)
    }
    if case .stored(_, _, let erased) = outcome, erased != ErasureCounts() { await writer.emptyLog() }
    return outcome
  }

  /// Erases an installation in one durable transaction.
  public func erase(installation: Digest) async throws(StoreFailure) -> ErasureCounts {
    let erased = try await writer.transaction { (connection) throws(SQLiteError) in
      try Erasure(runner: connection).erase(installation: installation)
    }
    await writer.emptyLog()
    return erased
  }
}
