import Ingestion
import PostgreSQL
import Reporting

/// A connection that is kept: on a thread of its own, made when it is first needed, and made anew after it broke.
actor PostgreSQLSession {
  /// What distinguishes the connections of a store.
  struct Purpose: Sendable {
    /// Settings for everything that is done with the connection.
    let settings: String
    let statements: [PostgreSQLStatement]
    let answerTimeout: Duration
  }

  private let executor = SerialThreadExecutor()
  private let url: PostgreSQLURL
  private let purpose: Purpose
  private let noticed: @Sendable (SQLState) -> Void
  private var connection: PostgreSQLConnection?
  private var nextAttempt = ContinuousClock.now
  private var attemptDelay = PostgreSQLSession.delays.lowerBound

  /// Between two attempts to connect. Until the next one is due, whoever needs the connection is told at once.
  private static let delays = Duration.milliseconds(50)...Duration.seconds(1)

  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  init(_ url: PostgreSQLURL, _ purpose: Purpose, noticed: @escaping @Sendable (SQLState) -> Void) {
    self.url = url
    self.purpose = purpose
    self.noticed = noticed
  }

  /// Runs a closure with the connection. After an error nothing is left behind: no open transaction, no connection in doubt.
  /// - Throws: ``PostgreSQLError``, also the closure's own.
  func perform<Result: Sendable>(
    _ body: @Sendable (PostgreSQLConnection) throws(PostgreSQLError) -> Result
  ) throws(PostgreSQLError) -> Result {
    let connection = try connected()
    do throws(PostgreSQLError) { return try body(connection) } catch {
      clean(connection, after: error)
      throw error
    }
  }

  /// Closes the connection.
  func close() { connection = nil }

  private func connected() throws(PostgreSQLError) -> PostgreSQLConnection {
    // What a server says to an idle connection is that it ends.
    if let connection, !connection.hasEnded { return connection }
    connection = nil
    guard ContinuousClock.now >= nextAttempt else { throw .disconnected }
    do {
      var options = PostgreSQLConnection.Options()
      options.answerTimeout = purpose.answerTimeout
      options.noticed = noticed
      let new = try PostgreSQLConnection(url, options: options)
      try new.execute(Self.commonSettings + purpose.settings)
      try new.prepare(purpose.statements)
      connection = new
      attemptDelay = Self.delays.lowerBound
      return new
    } catch {
      let failure = error as? PostgreSQLError ?? .disconnected
      // A server that answers can be asked again at once.
      if case .refused(let state) = failure, !state.endsConnection { throw failure }
      nextAttempt = .now + attemptDelay
      attemptDelay = min(attemptDelay * 2, Self.delays.upperBound)
      throw .disconnected
    }
  }

  private func clean(_ connection: PostgreSQLConnection, after error: PostgreSQLError) {
    if case .refused(let state) = error, !state.endsConnection, !connection.isBroken {
      if !connection.isInTransaction { return }
      if (try? connection.execute("ROLLBACK")) != nil { return }
    }
    self.connection = nil
  }

  /// A commit is to be durable whatever the database's default is. The values that PostgreSQL would show in its log,
  /// parameters of statements and details of errors, are kept out of it as far as this role may say so. What a server has
  /// locked that hangs in the middle of a transaction is free again after as long as an answer may take.
  static let commonSettings = """
    SET search_path = \(PostgreSQLSchema.name), pg_temp;
    SET log_parameter_max_length_on_error = 0;
    SELECT set_config('log_parameter_max_length', '0', false)
      WHERE has_parameter_privilege('log_parameter_max_length', 'SET');
    SELECT set_config('log_error_verbosity', 'terse', false)
      WHERE has_parameter_privilege('log_error_verbosity', 'SET');
    SELECT set_config('synchronous_commit', 'on', false)
      WHERE current_setting('synchronous_commit') IN ('off', 'local');
    SET idle_in_transaction_session_timeout = '5s';

    """
}

extension PostgreSQLSession.Purpose {
  /// All searches are by key: a plan that is made while the tables are small or unanalysed must not become one that reads
  /// them whole.
  private static let searchesByKey = """
    SET plan_cache_mode = force_generic_plan;
    SET jit = off;
    SET enable_seqscan = off;
    SET enable_bitmapscan = off;
    SET enable_hashjoin = off;
    SET enable_mergejoin = off;

    """

  /// For groups of batches.
  static let writing = PostgreSQLSession.Purpose(
    settings: searchesByKey + "SET lock_timeout = '4s'; SET statement_timeout = '5s';",
    statements: IngestionStatements.all + CredentialStatements.changes, answerTimeout: .seconds(5))

  /// For facts, which may erase an account with years of events.
  static let stating = PostgreSQLSession.Purpose(
    settings: searchesByKey + "SET lock_timeout = '10s'; SET statement_timeout = '60s';", statements: [],
    answerTimeout: .seconds(60))

  /// For everything that is looked up.
  static let reading = PostgreSQLSession.Purpose(
    settings: "SET statement_timeout = '5s';",
    statements: CredentialStatements.searches + ReferralCodeStatements.searches, answerTimeout: .seconds(5))

  /// For reading all there is.
  static let checking = PostgreSQLSession.Purpose(
    settings: "SET statement_timeout = '12h'; SET idle_in_transaction_session_timeout = '60s';", statements: [],
    answerTimeout: .seconds(12 * 3600))

  /// For reports.
  static let reporting = PostgreSQLSession.Purpose(
    settings: "SET statement_timeout = '\(ReportLimits.seconds)s'; SET jit = off; SET work_mem = '32MB';",
    statements: [],
    answerTimeout: .seconds(ReportLimits.seconds))

  /// For work that nobody waits for.
  static let maintenance = PostgreSQLSession.Purpose(
    settings: "SET lock_timeout = '4s'; SET statement_timeout = '60s';", statements: [], answerTimeout: .seconds(60))
}

extension SQLState {
  /// Whether the server, or its role, is one to leave: it is going down, coming up, or only reads since a failover.
  var endsConnection: Bool {
    ["57P01", "57P02", "57P03", "57P04", "57P05", "25006"].contains(description) || conditionClass == "08"
  }

  /// Whether the transaction failed only because of another one, and is worth another attempt.
  var isWorthRetrying: Bool { self == "40001" || self == "40P01" }
}

extension PostgreSQLError {
  /// What it means to whoever asked for the work.
  var failure: StoreFailure {
    switch self {
    case .disconnected: .unavailable(.disconnected)
    case .timedOut, .notReplicated: .unavailable(.busy)
    case .refused(let state): state.failure
    }
  }
}

extension SQLState {
  fileprivate var failure: StoreFailure {
    if endsConnection { return .unavailable(.disconnected) }
    switch description {
    case "53100": return .unavailable(.full)
    case "40001", "40P01", "55P03", "57014", "25P03", "25P04": return .unavailable(.busy)
    // No such privilege, table or column: someone has changed the database's roles or schema.
    case "42501", "42P01", "42703", "3F000", "3D000": return .unavailable(.inaccessible)
    case "XX001", "XX002": return .unavailable(.corrupt)
    default: break
    }
    switch conditionClass {
    case "53", "54": return .unavailable(.exhausted)
    case "58": return .unavailable(.inputOutput)
    case "28": return .unavailable(.inaccessible)
    default: return .defect
    }
  }
}
