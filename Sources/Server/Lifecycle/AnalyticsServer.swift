import AnalyticsContract
import HTTPServer
import Ingestion
import PostgreSQL
import ServerFacts
import Storage

/// A running server: the database, ingestion and the listeners, started and stopped in order.
public struct AnalyticsServer: Sendable {
  /// The ports that it listens on: for clients, and for operators where they have one of their own.
  public let ports: (client: UInt16, admin: UInt16?)

  private let store: any AnalyticsStore
  private let committer: GroupCommitter
  private let listeners: [HTTPServer]
  private let retention: Task<Void, Never>
  private let clock: UTCClock
  private let logger: Logger

  /// How long requests that are being received or answered when a stop is asked for may take, in seconds.
  private static let gracePeriodSeconds = 10

  /// Opens the database and starts to listen.
  /// - Throws: `SQLiteOpenError`, `PostgreSQLOpenError`, `HTTPServerError`, `SessionKeysError`, ``StartError``; each text
  ///   tells what to do.
  public static func start(_ configuration: ServerConfiguration, logger: Logger) throws -> AnalyticsServer {
    let openFiles = OpenFileLimit.raise()
    let clock = configuration.common.serverClock
    let metrics = ServerMetrics(version: productVersion)
    metrics.observe(logger)
    let sessions = try configuration.sessionTokens.map { try SessionTokenVerifier($0, logger) }
    let store = try configuration.openStore(metrics, logger)
    for version in store.appliedMigrations { logger.info("schema_migrated", .field("version", version)) }
    let committer = GroupCommitter(
      store: store, writers: store.groupsInFlight,
      limits: GroupLimits(waitingBatches: configuration.queueBatches, waitingBytes: configuration.queueBytes),
      observer: CommitMonitor(metrics: metrics, logger: logger))
    let ingestor = Ingestor(store: store, committer: committer, clock: clock)
    let readiness = ReadinessProbe { () throws(StoreFailure) in try await store.probe() }
    let operation = OperationRoutes(metrics: metrics, probe: { () throws(StoreFailure) in try await readiness.check() })

    var client = Router()
    IngestionRoutes(ingestor: ingestor, metrics: metrics, sessions: sessions, clock: clock).add(to: &client)
    InvitationRoutes(configuration.invitations, store: store, committer: committer, clock: clock).add(to: &client)
    operation.addHealth(to: &client)
    var admin = configuration.adminListen == nil ? client : Router()
    operation.addHealth(to: &admin)
    operation.addMetrics(to: &admin)
    let scopes = ScopedRoutes(credentials: store)
    FactRoutes(store: store, clock: clock, metrics: metrics, verifier: StoreKitVerifier(configuration.storeKit))
      .add(to: &admin, behind: scopes)
    ReportRoutes(store: store, clock: clock).add(to: &admin, behind: scopes)
    scopes.add(to: &admin)

    let tls = try configuration.tls.map { try TLSFiles.read($0) }
    // A listener of its own for operators gets an eighth of the connections that the process may have, or 256.
    let adminConnections = configuration.adminListen == nil ? 0 : min(256, openFiles / 8)
    func listen(
      _ address: ListenAddress, _ router: Router, _ event: StaticString,
      _ change: (inout HTTPServer.Configuration) -> Void
    ) throws -> HTTPServer {
      let pipeline = RequestPipeline(router: router, metrics: metrics, logger: logger)
      var transport = HTTPServer.Configuration(
        address, configuration, tls: tls, refusal: { pipeline.refuse(status: $0) })
      change(&transport)
      let listener = try HTTPServer(
        configuration: transport,
        bodyLimit: { router.bodyLimit(for: $0) }, handler: { await pipeline.respond(to: $0) })
      logger.info(event, .port(listener.port), .field("tls", tls != nil))
      return listener
    }
    var listeners: [HTTPServer] = []
    if let address = configuration.adminListen {
      listeners.append(
        try listen(address, admin, "admin_listening") {
          $0.connectionLimit = min($0.connectionLimit, adminConnections)
        })
    }
    listeners.append(
      try listen(configuration.listen, configuration.adminListen == nil ? admin : client, "listening") {
        // As many again for connections of the other listener that are being closed.
        $0.reservedDescriptors = adminConnections * 2
      })
    return AnalyticsServer(
      ports: (listeners.last!.port, listeners.count > 1 ? listeners[0].port : nil), store: store,
      committer: committer, listeners: listeners,
      retention: RetentionJob(store: store, clock: clock, metrics: metrics, logger: logger).start(), clock: clock,
      logger: logger)
  }

  /// Makes the first admin token where no token was ever made.
  /// - Returns: the token, which can't be shown again, or `nil` where there are tokens already.
  /// - Throws: `StoreFailure`.
  func makeFirstToken() async throws -> Secret? {
    guard try await store.tokens().isEmpty else { return nil }
    let secret = Secret.random(prefix: TokenScope.admin.prefix)
    try await store.createToken(secret.digest, name: "first", scope: .admin, at: clock.now)
    return secret
  }

  /// Stops: no new connection, then answers for what has been received, then the last commit.
  public func stop() async {
    logger.info("stopping")
    await withTaskGroup(of: Void.self) { group in
      for listener in listeners {
        group.addTask { await onOwnThread { listener.stop(gracePeriodSeconds: Self.gracePeriodSeconds) } }
      }
    }
    retention.cancel()
    await committer.stop()
    await retention.value
    await store.close()
    logger.info("stopped")
  }
}

extension ServerConfiguration {
  /// Opens the database to serve.
  fileprivate func openStore(_ metrics: ServerMetrics, _ logger: Logger) throws -> any AnalyticsStore {
    switch common.database {
    case .sqlite(let path):
      return try SQLiteStore(path: path, role: .server, clock: common.serverClock) {
        metrics.checkpointDuration.observe($0)
      }
    case .postgreSQL(let url):
      let store = try PostgreSQLStore(
        url: url, role: .server, writerCount: databaseWriters, clock: common.serverClock,
        noticed: { logger.clientWarning("database_notice", .sqlState($0)) })
      if store.mayLogValues { logger.warning("database_may_log_values") }
      return store
    }
  }
}

extension SessionTokenVerifier {
  fileprivate convenience init(
    _ tokens: ServerConfiguration.SessionTokens, _ logger: Logger
  ) throws(SessionKeysError) {
    try self.init(path: tokens.jwks, issuer: tokens.issuer, audience: tokens.audience) { change in
      switch change {
      case .replaced(let keys): logger.info("session_keys_replaced", .count(keys))
      case .kept(let failure): logger.warning("session_keys_kept", .reason(failure))
      }
    }
  }
}

extension SessionKeysFailure: StaticallyLabelled {}

extension HTTPServer.Configuration {
  fileprivate init(
    _ address: ListenAddress, _ configuration: ServerConfiguration, tls: HTTPServer.TLS?,
    refusal: @escaping @Sendable (Int) -> Response
  ) {
    self.init(
      address: address.host, port: address.port, threads: configuration.httpThreads,
      connectionLimit: configuration.connectionLimit,
      idleTimeoutSeconds: Int(configuration.idleTimeout.components.seconds),
      requestTimeoutSeconds: Int(configuration.requestTimeout.components.seconds), tls: tls,
      keptHeaders: RequestPipeline.keptHeaders, refusal: refusal)
  }
}

extension StoreKitVerifier {
  fileprivate init(_ configuration: ServerConfiguration.StoreKit) {
    self.init(
      Configuration(
        rootFingerprints: Set(configuration.roots), bundleIDs: Set(configuration.bundleIDs),
        allowsSandbox: configuration.allowsSandbox))
  }
}
