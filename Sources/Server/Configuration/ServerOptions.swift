import AnalyticsContract
import Demo
import Glibc
import Reporting
import ServerFacts

/// The option table: each option is declared here once; parsing, help and `--print-config` derive from it.
public enum ServerOptions {
  /// `--database`
  public static let database = CommandOption(
    "database", .database, .value("sqlite:./data/analytics.sqlite"), secrecy: .urlPassword,
    help: "Where the data is kept: sqlite: and the path of a file, which is created when it does not exist, or "
      + "postgres://USER@HOST:PORT/DATABASE, any URL that libpq takes.")

  /// `--database-writers`
  public static let databaseWriters = CommandOption(
    "database-writers", .number(of: "connections", in: 1...64), .value("2"),
    help: "Connections to PostgreSQL that commit batches side by side, 1 to 64. "
      + "There are four more for everything else."
  )

  /// `--server-role`
  public static let serverRole = CommandOption(
    "server-role", .roleName, .absent("nobody is granted anything"), sources: .flag,
    help: "A PostgreSQL role that is then granted what serving needs and no more.")

  /// `--listen`
  public static let listen = CommandOption(
    "listen", .listenAddress, .value("127.0.0.1:8080"),
    help: "The address and port for clients. Port 0 lets the system choose a free one. IPv6: [::1]:8080.")

  /// `--admin-listen`
  public static let adminListen = CommandOption(
    "admin-listen", .listenAddress, .absent("same as --listen"),
    help: "An address and port of their own for metrics and the paths that need a token.")

  /// `--tls-certificate`
  public static let tlsCertificate = CommandOption(
    "tls-certificate", .path, .absent("no TLS"),
    help: "The PEM file with the certificate chain to serve TLS with. Needs --tls-key.")

  /// `--tls-key`
  public static let tlsKey = CommandOption(
    "tls-key", .path, .absent("no TLS"), help: "The PEM file with the certificate's key. Needs --tls-certificate.")

  /// `--session-jwks`
  public static let sessionJWKS = CommandOption(
    "session-jwks", .path, .absent("no JSON Web Tokens"),
    help:
      "A file with a JWK set: access tokens that are JSON Web Tokens (ES256, RS256 or EdDSA) are then verified with "
      + "its public keys. It is read again when it changes.")

  /// `--session-issuer`
  public static let sessionIssuer = CommandOption(
    "session-issuer", .claim, .absent("any"),
    help: "What JSON Web Tokens must state as iss. Needs --session-jwks.")

  /// `--session-audience`
  public static let sessionAudience = CommandOption(
    "session-audience", .claim, .absent("any"),
    help: "What JSON Web Tokens must state as aud, alone or among others. Needs --session-jwks.")

  /// `--log-level`
  public static let logLevel = CommandOption(
    "log-level", ValueParser<LogLevel>.choice("LEVEL"), .value("info"),
    help: "The least important log lines to write: debug, info, warning or error.")

  /// `--request-timeout`
  public static let requestTimeout = CommandOption(
    "request-timeout", .number("SECONDS", of: "seconds", in: 1...600), .value("30"),
    help: "How long a request may take to arrive, 1 to 600 seconds.")

  /// `--idle-timeout`
  public static let idleTimeout = CommandOption(
    "idle-timeout", .number("SECONDS", of: "seconds", in: 1...3_600), .value("60"),
    help: "How long a connection may be kept between two requests, 1 to 3600 seconds.")

  /// `--connection-limit`
  public static let connectionLimit = CommandOption(
    "connection-limit", .number(of: "connections", in: 1...1_000_000), .value("10000"),
    help: "Connections that may be open at a time. Each needs a file descriptor.")

  /// `--http-threads`
  public static let httpThreads = CommandOption(
    "http-threads", .number(of: "threads", in: 1...64),
    .value(String(min(max(sysconf(Int32(_SC_NPROCESSORS_ONLN)), 1), 64)), description: "number of processors"),
    help: "Threads that read requests and write answers, 1 to 64.")

  /// `--queue-batches`
  public static let queueBatches = CommandOption(
    "queue-batches", .number(of: "batches", in: 1...1_000_000), .value("4096"),
    help: "Batches that may wait to be committed. When the queue is full, clients are told to come back.")

  /// `--queue-bytes`
  public static let queueBytes = CommandOption(
    "queue-bytes", .byteSize(inMebibytes: 1...16_384), .value("64MiB"),
    help: "Memory for batches that wait to be committed, 1 MiB to 16384 MiB: bytes, or a number with KiB, MiB or GiB.")

  /// `--public-url`
  public static let publicURL = CommandOption(
    "public-url", .publicURL, .absent("the address that the visitor used"),
    help: "The address that invitation links have, up to the path: https://HOST. Needed where pages are seen under "
      + "another one: the page's own link to /i/CODE is below it.")

  /// `--app-store-url`
  public static let appStoreURL = CommandOption(
    "app-store-url", .storeURL, .absent("no button, a line that names the app"),
    help: "The app's page in the App Store, for the button of the invitation page.")

  /// `--app-id`
  public static let appID = CommandOption(
    "app-id", .appID, .absent("no app"), isRepeatable: true,
    help: "An app that opens invitation links by itself, TEAM.BUNDLE as in its application-identifier: what "
      + "/.well-known/apple-app-site-association names.")

  /// `--storekit-root`
  public static let storeKitRoot = CommandOption(
    "storekit-root", .digest,
    .value(
      "63343abfb89a6a03ebb57e9b3f5fa7be7c4f5c756f3017b3a8c488c3653e9179", description: "that of Apple Root CA - G3"),
    isRepeatable: true,
    help: "The SHA-256 digest of a root certificate that signed transactions may lead to, 64 hexadecimal digits.")

  /// `--storekit-bundle`
  public static let storeKitBundle = CommandOption(
    "storekit-bundle", .bundleID, .absent("no app"), isRepeatable: true,
    help: "The bundle identifier of an app whose signed transactions are taken.")

  /// `--storekit-sandbox`
  public static let storeKitSandbox = CommandOption(
    flag: "storekit-sandbox", help: "Take signed transactions of the sandbox too.")

  /// `--insecure-test-hooks`
  public static let insecureTestHooks = CommandOption(
    flag: "insecure-test-hooks", help: "Allow what only tests need, such as OSG_ANALYTICS_CLOCK. Never in production.")

  /// `OSG_ANALYTICS_CLOCK`
  public static let clock = CommandOption(
    "clock", .clock, .absent("the system's clock"), sources: .environment,
    help: "Another clock for tests, fixed:INSTANT or offset:SECONDS. Needs --insecure-test-hooks.")

  /// `--welcome`
  public static let welcome = CommandOption(
    flag: "welcome", sources: .flag,
    help: "Print the addresses and a first request to try on standard output once the server listens.")

  /// `--print-config`
  public static let printConfiguration = CommandOption(
    flag: "print-config", sources: .flag,
    help: "Print each option, its value and where the value comes from, with secrets hidden, and exit.")

  /// `--scope`
  public static let scope = CommandOption(
    "scope", ValueParser<TokenScope>.choice("SCOPE"), .required, sources: .flag,
    help: "What the token is for: admin for paths below /v1/admin/, server for paths below /v1/server/.")

  /// `--name`
  public static let tokenName = CommandOption(
    "name", .tokenName, .required, sources: .flag,
    help: "The token's name in lists and for revoking it: 1 to 64 characters of A-Z a-z 0-9 . - _")

  /// `--account`
  public static let account = CommandOption(
    "account", .account, .required, sources: .flag, secrecy: .hidden,
    help: "The account that the session is for, a UUID.")

  /// `--installation`
  public static let installation = CommandOption(
    "installation", .installation, .absent("no installation"), sources: .flag, secrecy: .hidden,
    help: "The identifier that the app sends for the installation, a UUID. It is hashed and not kept. "
      + "One of --installation and --account is needed.")

  /// `--account`, of `erase`
  public static let erasedAccount = CommandOption(
    "account", .account, .absent("no account"), sources: .flag, secrecy: .hidden,
    help: "The account, a UUID: what ACCOUNT_DELETED does. One of --installation and --account is needed.")

  /// `--from`
  public static let from = CommandOption(
    "from", .date, .absent("28 days up to --to"), sources: .flag, help: "The first day, YYYY-MM-DD, UTC.")

  /// `--to`
  public static let to = CommandOption(
    "to", .date, .absent("yesterday"), sources: .flag, help: "The last day, YYYY-MM-DD, UTC. It may be today.")

  /// `--granularity`
  public static let granularity = CommandOption(
    "granularity", ValueParser<Granularity>.choice("PERIOD"), .value("day"), sources: .flag,
    help: "How long the periods of the series are: day, week (from Monday) or month.")

  /// `--format`
  public static let reportFormat = CommandOption(
    "format", ValueParser<ReportOutput>.choice("FORMAT"), .value("table"), sources: .flag,
    help: "table for people, json for everything, csv for the series.")

  /// `--installations`
  public static let demoInstallations = CommandOption(
    "installations", .number(of: "installations", in: DemoPlan.installationRange), .value("10000"), sources: .flag,
    help: "How many installations there are in the end.")

  /// `--days`
  public static let demoDays = CommandOption(
    "days", .number("N", of: "days", in: DemoPlan.dayRange), .value("60"), sources: .flag,
    help: "How many days they have lived. From 65 on the first days are sealed with their cohorts.")

  /// `--end`
  public static let demoEnd = CommandOption(
    "end", .date, .absent("yesterday"), sources: .flag,
    help: "The last of the days, YYYY-MM-DD, UTC; at the latest yesterday.")

  /// `--seed`
  public static let demoSeed = CommandOption(
    "seed", .number("N", of: "any kind", in: 0...1_000_000_000), .value("1"), sources: .flag,
    help: "Another number, another population; the same number, the same one.")

  /// `--dry-run`
  public static let dryRun = CommandOption(
    flag: "dry-run", sources: .flag, help: "Count what would be sealed and removed, and change nothing.")

  /// `--ttl`
  public static let timeToLive = CommandOption(
    "ttl", .number("SECONDS", of: "seconds", in: 1...31_536_000), .value("86400"), sources: .flag,
    help: "How long the session is valid, 1 to 31536000 seconds (365 days).")
}
