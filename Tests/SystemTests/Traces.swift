import Foundation
import TestSupport
import Testing

/// Everything that is left of a server's work, byte by byte: its own files and, on PostgreSQL, those of the cluster from a
/// moment on. What other tests do in the cluster meanwhile is there too.
struct Traces {
  /// Where something is left.
  enum Place: Hashable {
    /// A file in the server's folder.
    case file(String)
    /// What PostgreSQL wrote into its log, every statement among it.
    case statementLog
    /// The texts of the statements that PostgreSQL counts, and those that are running.
    case statements
    /// A copy of the database as text.
    case dump
    /// A part of PostgreSQL's write-ahead log.
    case changes(String)
    /// A file of the database.
    case table(String)

    /// Whether stored values may be there.
    var holdsData: Bool {
      switch self {
      case .file(let name): name.contains(".sqlite")
      case .statementLog, .statements: false
      case .dump, .changes, .table: true
      }
    }
  }

  private let server: ServerProcess
  private let cluster: Cluster?

  /// A cluster and what it had already written.
  private struct Cluster {
    let folder: String
    let database: PostgreSQLDatabase
    let session: PostgreSQLSession
    let logStart: Int
    let firstChanges: String
  }

  /// - Parameter server: a server of the test's own that has just started.
  /// - Throws: what keeps the cluster from being looked at.
  init(_ server: ServerProcess) throws {
    self.server = server
    guard case .postgresql(let database) = server.database else {
      cluster = nil
      return
    }
    let folder = try #require(
      DatabaseUnderTest.clusterFolder, "OSG_ANALYTICS_TEST_CLUSTER must name the cluster's folder")
    let session = try PostgreSQLSession(database.superuser.database("postgres"))
    try session.execute("CREATE EXTENSION IF NOT EXISTS pg_stat_statements")
    cluster = Cluster(
      folder: folder, database: database, session: session,
      logStart: try Data(contentsOf: URL(fileURLWithPath: folder + "/log")).count,
      firstChanges: try #require(try session.text("SELECT pg_walfile_name(pg_current_wal_insert_lsn())")))
  }

  /// The password with which the server signs in to its database, where there is one.
  var passwords: [[UInt8]] { cluster.map { [Array($0.database.password.utf8)] } ?? [] }

  /// Reads everything.
  func all() throws -> [Place: Data] {
    var all: [Place: Data] = [:]
    for name in try files(in: server.folder.path) {
      all[.file(name)] = FileManager.default.contents(atPath: server.folder.file(name))
    }
    guard let cluster else { return all }
    // What is only in memory so far goes to the files.
    try cluster.session.execute("CHECKPOINT")
    let data = cluster.folder + "/data/"
    let object = try #require(
      try cluster.session.text("SELECT oid FROM pg_database WHERE datname = '\(cluster.database.name)'"))
    for name in try files(in: data + "base/" + object) {
      all[.table(name)] = FileManager.default.contents(atPath: data + "base/\(object)/" + name)
    }
    let last = try #require(try cluster.session.text("SELECT pg_walfile_name(pg_current_wal_lsn())"))
    for name in try files(in: data + "pg_wal") where cluster.firstChanges <= name && name <= last {
      all[.changes(name)] = FileManager.default.contents(atPath: data + "pg_wal/" + name)
    }
    let dump = try runCommand(["pg_dump", "--dbname", cluster.database.superuser.url])
    try #require(dump.status == .code(0), "\(dump.error)")
    all[.dump] = Data(dump.output.utf8)
    let statements = try cluster.session.rows(
      """
      SELECT query FROM pg_stat_statements WHERE dbid = \(object)
      UNION ALL SELECT query FROM pg_stat_activity WHERE datid = \(object)
      """)
    all[.statements] = Data(statements.compactMap { $0[0] }.joined(separator: "\n").utf8)
    all[.statementLog] = log(of: cluster)
    return all
  }

  /// How many statements of the server PostgreSQL has refused.
  func errorCount() throws -> Int {
    let cluster = try #require(cluster)
    return ownLines(of: cluster).count { $0.contains("ERROR:  ") }
  }

  /// Expects that the search in PostgreSQL's own records is one in the server's statements, and that PostgreSQL was never
  /// given a reason to write a statement's values down.
  func expectComplete(sourceLocation: SourceLocation = #_sourceLocation) throws {
    guard let cluster else { return }
    let traces = try all()
    for place in [Place.statementLog, .statements] {
      let text = String(decoding: traces[place] ?? Data(), as: UTF8.self)
      for table in ["installations", "events", "keyboard_summaries", "sessions"] {
        #expect(text.contains(table), "\(place), \(table)", sourceLocation: sourceLocation)
      }
    }
    let lines = ownLines(of: cluster)
    #expect(lines.contains { $0.contains("LOG:  ") }, sourceLocation: sourceLocation)
    let details = lines.filter { $0.contains("DETAIL:  ") }
    #expect(details.isEmpty, "\(details.prefix(3))", sourceLocation: sourceLocation)
  }

  /// What PostgreSQL logged of the server's own connections.
  private func ownLines(of cluster: Cluster) -> [Substring] {
    // The prefix of a line is set by `./test`: "… USER@DATABASE ".
    let own = " \(cluster.database.name)@\(cluster.database.name) "
    return String(decoding: log(of: cluster), as: UTF8.self).split(separator: "\n").filter { $0.contains(own) }
  }

  private func log(of cluster: Cluster) -> Data {
    let log = FileManager.default.contents(atPath: cluster.folder + "/log") ?? Data()
    return Data(log.dropFirst(cluster.logStart))
  }

  /// The files in a folder and its folders.
  private func files(in folder: String) throws -> [String] {
    let names = try #require(FileManager.default.enumerator(atPath: folder)).compactMap { $0 as? String }
    return names.filter { name in
      var isFolder: ObjCBool = false
      return FileManager.default.fileExists(atPath: folder + "/" + name, isDirectory: &isFolder) && !isFolder.boolValue
    }
  }
}
