import AnalyticsContract
import Ingestion
import PostgreSQL
import ServerFacts
import Synchronization

/// A PostgreSQL database, which any number of servers may share: connections that commit groups side by side, one for
/// what is looked up, one for folding the day totals; each on a thread of its own.
///
/// Commits are durable, and replicated as far as the database's settings ask for it, before they return.
public final class PostgreSQLStore: AnalyticsStore {
  /// The schema versions that opening brought the database to; empty where it was current.
  public let appliedMigrations: [Int64]
  /// Whether the database's log shows parameters of statements, where it is set to log statements, or the rows that errors
  /// are about. They hold digests and codes, but nobody's log is the place for them.
  public let mayLogValues: Bool
  /// One for each connection that writes.
  public let groupsInFlight: Int

  let url: PostgreSQLURL
  let noticed: @Sendable (SQLState) -> Void
  private let reader: PostgreSQLSession
  let maintenance: PostgreSQLSession
  let reports: PostgreSQLSession
  private let facts: PostgreSQLSession
  private let writers: [PostgreSQLWriter]
  private let idleWriters: Mutex<[Int]>
  private let hasUnfolded = Atomic<Bool>(true)
  private let folding = Mutex<Task<Void, Never>?>(nil)

  /// Between two attempts to fold deltas into day totals.
  private static let foldInterval = Duration.seconds(2)
  /// So many times deltas are folded before sets are merged: sets are large beside what is added to them.
  private static let foldsBeforeMerge = 5

  /// Opens a database, creating its schema and migrating it where needed and permitted.
  /// - Parameters:
  ///   - url: where it is.
  ///   - role: why it is opened.
  ///   - writerCount: how many connections commit groups, 1 to 64.
  ///   - serverRole: for a migration, the role that is granted what serving needs.
  ///   - clock: the server's clock.
  ///   - noticed: told the codes of the database's notices and warnings.
  /// - Throws: ``PostgreSQLOpenError``.
  public init(
    url: PostgreSQLURL, role: StoreRole, writerCount: Int = 2, serverRole: String? = nil, clock: UTCClock,
    noticed: @escaping @Sendable (SQLState) -> Void = { _ in }
  ) throws(PostgreSQLOpenError) {
    var options = PostgreSQLConnection.Options()
    // Creating an index on a large table may take its time.
    options.answerTimeout = .seconds(24 * 3600)
    options.noticed = noticed
    let connection: PostgreSQLConnection
    do throws(PostgreSQLConnectError) { connection = try PostgreSQLConnection(url, options: options) } catch {
      throw .unreachable(error.reason)
    }
    do throws(PostgreSQLError) { try connection.execute(PostgreSQLSession.commonSettings) } catch {
      throw PostgreSQLOpenError(error)
    }
    let schema = PostgreSQLSchema(connection: connection, migrations: Migration.all)
    // Before anything is changed.
    if let serverRole { _ = try schema.quotedName(ofRole: serverRole) }
    appliedMigrations = try schema.migrate(creates: role.creates, at: clock.now)
    if let serverRole { try schema.grant(to: serverRole) }
    do throws(PostgreSQLError) {
      if Migration.makesSetsOfOldEvents(appliedMigrations) {
        _ = try SetRebuilding(runner: connection, days: SetRebuilding<PostgreSQLConnection>.days(at: clock.now))
          .replace()
      }
    } catch { throw PostgreSQLOpenError(error) }
    mayLogValues =
      (try? connection.query(
        """
        SELECT current_setting('log_parameter_max_length') <> '0' OR current_setting('log_error_verbosity') <> 'terse'
        """
      ).boolean(0, 0)) ?? true
    self.url = url
    self.noticed = noticed
    groupsInFlight = writerCount
    writers = (0..<writerCount).map { _ in PostgreSQLWriter(PostgreSQLSession(url, .writing, noticed: noticed)) }
    idleWriters = Mutex(Array((0..<writerCount).reversed()))
    reader = PostgreSQLSession(url, .reading, noticed: noticed)
    maintenance = PostgreSQLSession(url, .maintenance, noticed: noticed)
    reports = PostgreSQLSession(url, .reporting, noticed: noticed)
    facts = PostgreSQLSession(url, .stating, noticed: noticed)
    if role == .server { startFolding() }
  }

  /// Makes sure that the database can be read and written now.
  /// - Throws: ``StoreFailure`` where it can't.
  public func probe() async throws(StoreFailure) {
    let isReadOnly = try await read { (connection) throws(PostgreSQLError) in
      try connection.query("SELECT pg_is_in_recovery() OR count(*) = 0 FROM schema_migrations").boolean(0, 0)
    }
    if isReadOnly { throw .unavailable(.inaccessible) }
    for writer in writers { try await writer.probe() }
  }

  /// Closes all connections. The deltas that are left are folded by the next server.
  public func close() async {
    let task = folding.withLock { $0 }
    task?.cancel()
    await task?.value
    for writer in writers { await writer.close() }
    await reader.close()
    await maintenance.close()
    await reports.close()
    await facts.close()
  }

  private func startFolding() {
    let task = Task { [weak self] in
      var folds = 0
      while !Task.isCancelled {
        // Only a server that has added something looks for something to fold: an idle database is left alone.
        guard let hasFolded = await self?.foldIfNeeded() else { return }
        if hasFolded { folds += 1 }
        if folds >= Self.foldsBeforeMerge {
          folds = 0
          await self?.mergeSets()
        }
        try? await Task.sleep(for: Self.foldInterval)
      }
    }
    folding.withLock { $0 = task }
  }

  func mergeSets() async {
    try? await maintenance.perform { (connection) throws(PostgreSQLError) in try PostgreSQLSetMerger.merge(connection) }
  }

  private func foldIfNeeded() async -> Bool {
    guard hasUnfolded.exchange(false, ordering: .relaxed) else { return false }
    let isDone = try? await maintenance.perform { (connection) throws(PostgreSQLError) in
      try PostgreSQLTotalsFolder.fold(connection)
    }
    if isDone != true { hasUnfolded.store(true, ordering: .relaxed) }
    return true
  }

  private func read<Result: Sendable>(
    _ body: @Sendable (PostgreSQLConnection) throws(PostgreSQLError) -> Result
  ) async throws(StoreFailure) -> Result {
    do throws(PostgreSQLError) { return try await reader.perform(body) } catch { throw error.failure }
  }
}

extension PostgreSQLStore: BatchStore {
  /// Commits a group in one durable transaction.
  public func commit(
    _ group: [Submission], counts: DayCounts
  ) async throws(StoreFailure) -> [CommitOutcome] {
    guard let writer = idleWriters.withLock({ $0.popLast() }) else {
      preconditionFailure("no more groups than groupsInFlight may be committed at a time")
    }
    defer { idleWriters.withLock { $0.append(writer) } }
    let outcomes = try await writers[writer].commit(group, counts: counts)
    hasUnfolded.store(true, ordering: .relaxed)
    return outcomes
  }

  /// Whether a token is that of a valid session.
  public func isValidSession(_ token: AccessToken, at instant: Instant) async throws(StoreFailure) -> Bool {
    try await read { (connection) throws(PostgreSQLError) in
      try connection.isValidSession(token, at: instant)
    }
  }
}

extension PostgreSQLStore: InvitationStore {
  /// Whether a code's digest is that of an issued and not revoked referral code.
  public func isValidReferralCode(_ code: Digest) async throws(StoreFailure) -> Bool {
    try await read { (connection) throws(PostgreSQLError) in try connection.isValidReferralCode(code) }
  }
}

extension PostgreSQLStore: CredentialStore {
  /// Keeps a new token.
  /// - Throws: ``CredentialFailure``, ``StoreFailure``.
  public func createToken(_ digest: Digest, name: String, scope: TokenScope, at instant: Instant) async throws {
    let isNew = try await writers[0].perform { (connection) throws(PostgreSQLError) in
      try connection.createToken(digest, name: name, scope: scope, at: instant)
    }
    if !isNew { throw CredentialFailure.nameTaken }
  }

  /// All tokens, oldest first.
  /// - Throws: ``StoreFailure``.
  public func tokens() async throws -> [TokenDescription] {
    try await read { (connection) throws(PostgreSQLError) in try connection.tokens() }
  }

  /// Revokes a token by its name.
  /// - Throws: ``CredentialFailure``, ``StoreFailure``.
  public func revokeToken(named name: String, at instant: Instant) async throws {
    let wasValid = try await writers[0].perform { (connection) throws(PostgreSQLError) in
      try connection.revokeToken(named: name, at: instant)
    }
    if !wasValid { throw CredentialFailure.unknownName }
  }

  /// What a token may be used for.
  /// - Throws: ``StoreFailure``.
  public func scope(ofToken digest: Digest) async throws -> TokenScope? {
    try await read { (connection) throws(PostgreSQLError) in try connection.scope(ofToken: digest) }
  }
}

extension PostgreSQLStore: FactStore {
  /// Stores facts in one durable transaction.
  public func state(_ facts: [Fact], at now: Instant) async throws(StoreFailure) -> FactOutcome {
    let deleted = facts.compactMap { if case .accountDeleted(let account) = $0.kind { account } else { nil } }
    return try await stating { (connection) throws(PostgreSQLError) in
      if !deleted.isEmpty { try connection.lock(accounts: deleted) }
      return try FactWriter(runner: connection).state(facts, at: now)
    }
  }

  /// Erases an installation in one durable transaction.
  public func erase(installation: Digest) async throws(StoreFailure) -> ErasureCounts {
    try await stating { (connection) throws(PostgreSQLError) in
      try connection.lock(installation: installation)
      return try Erasure(runner: connection).erase(installation: installation)
    }
  }

  /// Runs a closure in a durable transaction that is the only one to state facts, on any server.
  private func stating<Result: Sendable>(
    _ body: @escaping @Sendable (PostgreSQLConnection) throws(PostgreSQLError) -> Result
  ) async throws(StoreFailure) -> Result {
    var attempts = 3
    while true {
      do throws(PostgreSQLError) {
        return try await self.facts.perform { (connection) throws(PostgreSQLError) in
          try connection.execute("BEGIN; SELECT pg_advisory_xact_lock(\(PostgreSQLSchema.factLock))")
          let result = try body(connection)
          try connection.commit([])
          return result
        }
      } catch {
        attempts -= 1
        guard attempts > 0, case .refused(let state) = error, state.isWorthRetrying else { throw error.failure }
      }
    }
  }
}
