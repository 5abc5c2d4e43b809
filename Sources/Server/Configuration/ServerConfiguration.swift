import AnalyticsContract

/// Everything that `serve` was told, checked.
public struct ServerConfiguration: Sendable {
  /// The two files that TLS needs.
  public struct TLSFiles: Equatable, Sendable {
    /// The path of the PEM certificate chain.
    public let certificate: String
    /// The path of the PEM key.
    public let key: String
  }

  /// How sessions are verified that are JSON Web Tokens.
  public struct SessionTokens: Equatable, Sendable {
    /// The path of the JWK set.
    public let jwks: String
    /// What tokens must state as `iss`.
    public let issuer: String?
    /// What tokens must state as `aud`.
    public let audience: String?
  }

  /// What invitation links and their pages lead to.
  public struct Invitations: Equatable, Sendable {
    /// The address of links up to the path, without a slash at the end; `nil`: the address that the visitor used.
    public let publicURL: String?
    /// The app's page in the App Store.
    public let appStoreURL: String?
    /// The apps that open links by themselves, as `TEAM.BUNDLE`.
    public let appIDs: [String]
  }

  /// Which signed App Store transactions are taken.
  public struct StoreKit: Sendable {
    /// The digests of the root certificates that they may lead to.
    public let roots: [Digest]
    /// The apps they may be of.
    public let bundleIDs: [String]
    /// Whether those of the sandbox are taken too.
    public let allowsSandbox: Bool
  }

  /// Where the data is, the log level and the clock: what every command has.
  public let common: CommonConfiguration
  /// Where clients are answered.
  public let listen: ListenAddress
  /// Where reports, metrics and health are answered; `nil`: where clients are.
  public let adminListen: ListenAddress?
  /// The files for TLS; `nil`: plain HTTP.
  public let tls: TLSFiles?
  /// How sessions are verified that are JSON Web Tokens; `nil`: every session is looked up.
  public let sessionTokens: SessionTokens?
  /// How long a request may take to arrive, 1 s to 600 s.
  public let requestTimeout: Duration
  /// How long a connection may be idle, 1 s to 3,600 s.
  public let idleTimeout: Duration
  /// Connections open at a time, 1 to 1,000,000.
  public let connectionLimit: Int
  /// Threads of the HTTP server, 1 to 64.
  public let httpThreads: Int
  /// Whether to print the addresses and a first request once the server listens.
  public let welcomes: Bool
  /// Batches that may wait for the writer, 1 to 1,000,000.
  public let queueBatches: Int
  /// Bytes of batches that may wait for the writer, 1 MiB to 16 GiB.
  public let queueBytes: Int
  /// Connections to PostgreSQL that commit batches, 1 to 64.
  public let databaseWriters: Int

  /// What invitation links and their pages lead to.
  public let invitations: Invitations
  /// Which signed App Store transactions are taken.
  public let storeKit: StoreKit

  /// Checks what concerns more than one option.
  ///
  /// - Throws: `UsageError` when only one TLS file is given, an issuer or audience without keys, or a clock without
  ///   `--insecure-test-hooks`.
  init(_ options: ResolvedOptions) throws(UsageError) {
    common = try CommonConfiguration(options)
    listen = options.required(ServerOptions.listen)
    let admin = options.value(ServerOptions.adminListen)
    // Twice the same address is one socket; twice port 0 is two.
    adminListen = admin == listen && listen.port != 0 ? nil : admin
    switch (options.value(ServerOptions.tlsCertificate), options.value(ServerOptions.tlsKey)) {
    case (let certificate?, let key?): tls = TLSFiles(certificate: certificate, key: key)
    case (nil, nil): tls = nil
    case (_?, nil): throw UsageError("--tls-certificate: expected --tls-key with it", command: options.command)
    case (nil, _?): throw UsageError("--tls-key: expected --tls-certificate with it", command: options.command)
    }
    let issuer = options.value(ServerOptions.sessionIssuer)
    let audience = options.value(ServerOptions.sessionAudience)
    sessionTokens = options.value(ServerOptions.sessionJWKS).map {
      SessionTokens(jwks: $0, issuer: issuer, audience: audience)
    }
    if sessionTokens == nil, issuer != nil || audience != nil {
      throw UsageError(
        "\(issuer != nil ? "--session-issuer" : "--session-audience"): expected --session-jwks with it",
        command: options.command)
    }
    requestTimeout = .seconds(options.required(ServerOptions.requestTimeout))
    idleTimeout = .seconds(options.required(ServerOptions.idleTimeout))
    connectionLimit = options.required(ServerOptions.connectionLimit)
    httpThreads = options.required(ServerOptions.httpThreads)
    welcomes = options.required(ServerOptions.welcome)
    queueBatches = options.required(ServerOptions.queueBatches)
    queueBytes = options.required(ServerOptions.queueBytes)
    databaseWriters = options.required(ServerOptions.databaseWriters)
    invitations = Invitations(
      publicURL: options.value(ServerOptions.publicURL), appStoreURL: options.value(ServerOptions.appStoreURL),
      appIDs: options.values(ServerOptions.appID))
    storeKit = StoreKit(
      roots: options.values(ServerOptions.storeKitRoot), bundleIDs: options.values(ServerOptions.storeKitBundle),
      allowsSandbox: options.required(ServerOptions.storeKitSandbox))
  }
}

/// What every command that opens the database was told, checked.
public struct CommonConfiguration: Sendable {
  /// Where the data is.
  public let database: DatabaseLocation
  /// The least important log lines to write.
  public let logLevel: LogLevel
  /// Whether what only tests need is allowed.
  public let allowsTestHooks: Bool
  /// Another clock than the system's; only ever set when test hooks are allowed.
  public let clock: ClockOverride?
  /// The one clock that everything is judged by.
  public var serverClock: UTCClock { clock?.clock ?? .system }

  /// - Throws: `UsageError` for a clock without `--insecure-test-hooks`.
  init(_ options: ResolvedOptions) throws(UsageError) {
    database = options.required(ServerOptions.database)
    logLevel = options.required(ServerOptions.logLevel)
    allowsTestHooks = options.required(ServerOptions.insecureTestHooks)
    clock = options.value(ServerOptions.clock)
    if clock != nil && !allowsTestHooks {
      throw UsageError(
        "OSG_ANALYTICS_CLOCK: expected --insecure-test-hooks with it; unset the variable to use the system's clock",
        command: options.command)
    }
  }
}
