import Foundation

/// Where a server of a test keeps its data.
public enum ServerDatabase: Sendable {
  /// A SQLite file.
  case sqlite(path: String)
  /// A database of a PostgreSQL cluster.
  case postgresql(PostgreSQLDatabase)

  /// An empty place for the data of a new server, in the database that the tests run on.
  /// - Parameter folder: where a file belongs.
  /// - Returns: the place; ``remove()`` ends it.
  /// - Throws: ``PostgreSQLSessionError``.
  public static func make(in folder: String) throws -> ServerDatabase {
    switch DatabaseUnderTest.current {
    case .sqlite: .sqlite(path: folder + "/analytics.sqlite")
    case .postgresql(let superuser): .postgresql(try PostgreSQLDatabase(superuser))
    }
  }

  /// What the program is given as `--database`.
  public var url: String {
    switch self {
    case .sqlite(let path): "sqlite:" + path
    case .postgresql(let database): database.access.url
    }
  }

  /// The name of the database and of its owner in a cluster, or the file's.
  public var name: String {
    switch self {
    case .sqlite(let path): path
    case .postgresql(let database): database.name
    }
  }

  /// Connects, beside the servers or after them.
  /// - Throws: ``DatabaseFileError``, ``PostgreSQLSessionError``.
  public func connect() throws -> any DatabaseConnection {
    switch self {
    case .sqlite(let path): try DatabaseFile(path: path)
    case .postgresql(let database): try PostgreSQLSession(database.superuser)
    }
  }

  /// Drops a database of a cluster. A file goes with its folder.
  public func remove() {
    if case .postgresql(let database) = self { database.drop() }
  }
}

/// A database of its own in a cluster. It belongs to a role of its own that may do nothing else, as in production.
public final class PostgreSQLDatabase: Sendable {
  /// The name of the database and of its owner.
  public let name: String
  /// The owner's password.
  public let password: String
  /// For the program under test.
  public let access: PostgreSQLAccess
  /// The database as the superuser sees it.
  public let superuser: PostgreSQLAccess
  private let cluster: PostgreSQLAccess?

  /// One that the test itself looks after.
  public init(access: PostgreSQLAccess, superuser: PostgreSQLAccess) {
    (name, password) = ("", "")
    (self.access, self.superuser) = (access, superuser)
    cluster = nil
  }

  /// Creates an empty one.
  /// - Parameter cluster: any database of the cluster, as superuser.
  /// - Throws: ``PostgreSQLSessionError``.
  public init(_ cluster: PostgreSQLAccess) throws {
    self.cluster = cluster
    name = "osg_test_" + UUID().uuidString.lowercased().filter { $0 != "-" }.prefix(16)
    password = UUID().uuidString.lowercased()
    superuser = cluster.database(name)
    access = superuser.user(name, password: password)
    TestResources.shared.add(self)
    let session = try PostgreSQLSession(cluster)
    try session.execute("CREATE ROLE \(name) LOGIN PASSWORD '\(password)'")
    try session.execute(Self.alone(granting))
    try session.execute("CREATE DATABASE \(name) OWNER \(name)")
  }

  /// Drops it, whoever is connected; later calls do nothing.
  public func drop() {
    TestResources.shared.remove(self)
    guard let cluster, let session = try? PostgreSQLSession(cluster) else { return }
    for statement in dropping { try? session.execute(statement) }
  }

  /// Drops it when the process ends: too late for the library, which is taken apart by then.
  func dropAtExit() {
    guard let cluster else { return }
    let statements = dropping.flatMap { ["--command", $0] }
    _ = try? runCommand(["psql", "--no-psqlrc", "--quiet", "--dbname", cluster.url] + statements)
  }

  /// Lets the owner keep values out of PostgreSQL's log, as it may from the beginning, or not.
  /// - Throws: ``PostgreSQLSessionError``.
  public func letKeepValuesSecret(_ isAllowed: Bool) throws {
    try PostgreSQLSession(superuser).execute(Self.alone(isAllowed ? granting : revoking))
  }

  private var granting: String {
    "GRANT SET ON PARAMETER log_parameter_max_length, log_error_verbosity TO \(name)"
  }
  private var revoking: String {
    "REVOKE SET ON PARAMETER log_parameter_max_length, log_error_verbosity FROM \(name)"
  }

  private var dropping: [String] {
    [
      "DROP DATABASE IF EXISTS \(name) WITH (FORCE)", Self.alone(revoking), "DROP ROLE IF EXISTS \(name)",
    ]
  }

  /// Rights to one parameter are one row, which PostgreSQL doesn't let two change at once.
  private static func alone(_ statement: String) -> String {
    "BEGIN; SELECT pg_advisory_xact_lock(7304); \(statement); COMMIT"
  }
}
