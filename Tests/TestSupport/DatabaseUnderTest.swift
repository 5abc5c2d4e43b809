import Foundation

/// Which database the tests run on. `./test` runs them on both.
public enum DatabaseUnderTest: Equatable, Sendable {
  /// A file for every server.
  case sqlite
  /// A database for every server, in one cluster.
  case postgresql(PostgreSQLAccess)

  /// SQLite, unless `OSG_ANALYTICS_TEST_DATABASE` is the URL of a PostgreSQL superuser.
  public static let current: DatabaseUnderTest = {
    guard let url = ProcessInfo.processInfo.environment["OSG_ANALYTICS_TEST_DATABASE"] else { return .sqlite }
    return .postgresql(PostgreSQLAccess(url: url))
  }()

  /// Whether the tests run on SQLite.
  public static var isSQLite: Bool { current == .sqlite }

  /// Whether the tests run on PostgreSQL.
  public static var isPostgreSQL: Bool { !isSQLite }

  /// The folder of the cluster that the tests run on, with its `log` and `data`; nil where it is on another machine or
  /// there is none.
  public static let clusterFolder = ProcessInfo.processInfo.environment["OSG_ANALYTICS_TEST_CLUSTER"]
}

/// A connection URL of PostgreSQL and its variations.
public struct PostgreSQLAccess: Equatable, Sendable {
  /// The whole URL.
  public let url: String

  /// - Parameter url: `postgres://USER:PASSWORD@HOST:PORT/DATABASE`.
  public init(url: String) { self.url = url }

  /// The same server with another database.
  public func database(_ name: String) -> PostgreSQLAccess { changing { $0.path = "/" + name } }

  /// The same database as another user.
  public func user(_ name: String, password: String) -> PostgreSQLAccess {
    changing { ($0.user, $0.password) = (name, password) }
  }

  private func changing(_ change: (inout URLComponents) -> Void) -> PostgreSQLAccess {
    guard var components = URLComponents(string: url) else { preconditionFailure("not the URL of a database") }
    change(&components)
    return PostgreSQLAccess(url: components.string ?? url)
  }
}
