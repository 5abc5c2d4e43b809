import CPostgreSQL

/// What PostgreSQL answered instead of doing what a test asked for.
public struct PostgreSQLSessionError: Error {
  /// The five characters of the error class; nil when there is no connection.
  public var state: String?
  /// PostgreSQL's message.
  public var message: String
}

/// A connection to a PostgreSQL database, by code that shares nothing with the product's.
public final class PostgreSQLSession: DatabaseConnection {
  private var connection: OpaquePointer?

  /// Connects. A statement waits at most ten seconds for a lock.
  /// - Throws: ``PostgreSQLSessionError``.
  public init(_ access: PostgreSQLAccess) throws {
    connection = PQconnectdb(access.url)
    guard PQstatus(connection) == CONNECTION_OK else {
      defer { close() }
      throw PostgreSQLSessionError(state: nil, message: message)
    }
    PQsetNoticeProcessor(connection, { _, _ in }, nil)
    try execute("SET lock_timeout = '10s'; SET search_path = osg_analytics, public")
  }

  deinit { close() }

  /// Closes the connection, which gives its locks back.
  public func close() {
    PQfinish(connection)
    connection = nil
  }

  /// Locks every table against those who write.
  /// - Throws: ``PostgreSQLSessionError``.
  public func holdDatabase() throws {
    let tables = try rows(
      "SELECT oid::regclass FROM pg_class WHERE relkind = 'r' AND relnamespace = 'osg_analytics'::regnamespace")
    try execute("BEGIN; LOCK TABLE \(tables.compactMap { $0[0] }.joined(separator: ", ")) IN EXCLUSIVE MODE")
  }

  /// Runs statements that have no result.
  /// - Throws: ``PostgreSQLSessionError``.
  public func execute(_ sql: String) throws { _ = try rows(sql) }

  /// All rows of a query, as text; nil is NULL.
  /// - Throws: ``PostgreSQLSessionError``.
  public func rows(_ sql: String) throws -> [[String?]] {
    let result = PQexec(connection, sql)
    defer { PQclear(result) }
    let status = PQresultStatus(result)
    guard status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK || status == PGRES_EMPTY_QUERY else {
      // The letter is that of PG_DIAG_SQLSTATE, which is a macro.
      let state = PQresultErrorField(result, Int32(UInt8(ascii: "C")))
      throw PostgreSQLSessionError(state: state.map { String(cString: $0) }, message: message)
    }
    return (0..<PQntuples(result)).map { row in
      (0..<PQnfields(result)).map { column in
        PQgetisnull(result, row, column) == 1 ? nil : String(cString: PQgetvalue(result, row, column))
      }
    }
  }

  /// Whether every index and every page of every table of the product's schema is sound, and every index has all rows.
  /// Needs a superuser.
  /// - Throws: ``PostgreSQLSessionError`` when that can't be found out.
  public func integrity() throws -> String {
    // Beside the schema that is tested, so that a server sees nothing of it.
    try execute("CREATE EXTENSION IF NOT EXISTS amcheck SCHEMA pg_catalog")
    let faults = try rows(
      """
      SELECT oid::regclass, fault.msg
      FROM pg_class, LATERAL verify_heapam(oid, check_toast => true) AS fault
      WHERE relkind = 'r' AND relnamespace = 'osg_analytics'::regnamespace
      """)
    if let fault = faults.first { return fault.map { $0 ?? "" }.joined(separator: ": ") }
    do {
      try execute(
        """
        SELECT bt_index_check(indexrelid, heapallindexed => true)
        FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid
        WHERE relam = (SELECT oid FROM pg_am WHERE amname = 'btree') AND relnamespace = 'osg_analytics'::regnamespace
          AND relkind = 'i' AND indisvalid
        """)
    } catch let error as PostgreSQLSessionError where error.state?.hasPrefix("XX") == true { return error.message }
    return "ok"
  }

  private var message: String { PQerrorMessage(connection).map { String(cString: $0) } ?? "not open" }
}
