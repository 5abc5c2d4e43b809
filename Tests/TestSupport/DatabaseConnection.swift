/// A second connection to a server's database, to look at what is really stored and to get in the server's way.
/// Used by one thread at a time.
public protocol DatabaseConnection: AnyObject {
  /// Closes the connection, which gives its locks back.
  func close()

  /// Begins a transaction beside which no server can commit, until `ROLLBACK` or the end of the connection.
  func holdDatabase() throws

  /// Runs statements that have no result.
  func execute(_ sql: String) throws

  /// All rows of a query, as text; nil is NULL.
  func rows(_ sql: String) throws -> [[String?]]

  /// The database's own verdict over everything in it; `ok` when nothing is wrong.
  func integrity() throws -> String
}

extension DatabaseConnection {
  /// The first column of the first row as text; nil when there is no row.
  public func text(_ sql: String) throws -> String? { try rows(sql).first?.first ?? nil }

  /// The first column of the first row as an integer; nil when there is no row.
  public func integer(_ sql: String) throws -> Int? { try text(sql).flatMap { Int($0) } }

  /// The number of rows in the table of events.
  public func eventCount() throws -> Int { try integer("SELECT count(*) FROM events") ?? 0 }
}
