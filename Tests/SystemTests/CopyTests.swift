import Foundation
import TestSupport
import Testing

/// Deployment/copy-to-postgresql takes everything along.
@Suite("Copying a file to PostgreSQL", .ownThread, .enabled(if: DatabaseUnderTest.isPostgreSQL))
struct CopyTests {
  private static let tool =
    URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Deployment/copy-to-postgresql").path

  /// Puts rows into every table, so that one that is forgotten is missed.
  private func fill(_ file: any DatabaseConnection, _ tables: [String]) throws {
    for table in tables {
      let columns = try file.rows("SELECT name, type FROM pragma_table_info('\(table)') ORDER BY cid")
      for number in 1...3 {
        let values = columns.map { column in
          switch (column[0] ?? "", column[1] ?? "") {
          case (let name, "BLOB"): "randomblob(\(name.hasSuffix("digest") ? 32 : 16))"
          case (_, "TEXT"): "'text-\(number)'"
          default: "\(number)"
          }
        }
        try file.execute("INSERT INTO \(table) VALUES (\(values.joined(separator: ", ")))")
      }
    }
    // What may be absent is absent somewhere.
    try file.execute(
      "UPDATE installations SET account_id = NULL, first_open_event_id = NULL WHERE installation_key = 2")
    try file.execute("UPDATE sessions SET account_id = NULL, expires_at = NULL WHERE revoked_at = 2")
    try file.execute("UPDATE storekit_transactions SET price = NULL, currency = NULL WHERE quantity = 2")
    // An erased installation's key is not given again.
    try file.execute("DELETE FROM installations WHERE installation_key = 3")
  }

  /// The rows of a table, in the same notation from either database.
  private func rows(_ database: any DatabaseConnection, _ table: String, _ columns: [String]) throws -> [String] {
    try database.rows("SELECT \(columns.joined(separator: ", ")) FROM \(table)").map { row in
      row.map { ($0 ?? "absent").replacing("-", with: "").replacing("\\x", with: "").lowercased() }
        .joined(separator: "|")
    }.sorted()
  }

  @Test("every table has all its rows, and what isn't empty is refused")
  func everything() async throws {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    let source = ServerDatabase.sqlite(path: folder.file("analytics.sqlite"))
    let target = try ServerDatabase.make(in: folder.path)
    defer { target.remove() }
    for database in [source, target] {
      let migration = try ServerProcess.run(["migrate", "--database", database.url])
      #expect(migration.status == .code(0), "\(migration.error)")
    }
    let file = try source.connect()
    let tables = try file.tableNames().filter { $0 != "schema_migrations" && $0 != "sqlite_sequence" }
    #expect(tables.count >= 20)
    try fill(file, tables)

    let arguments = ["bash", Self.tool, folder.file("analytics.sqlite"), target.url]
    let copying = try runCommand(arguments)
    #expect(copying.status == .code(0), "\(copying.error)")
    let cluster = try target.connect()
    for table in tables {
      let columns = try file.rows("SELECT name, type FROM pragma_table_info('\(table)') ORDER BY cid")
      func selected(_ bytes: (String) -> String) -> [String] {
        columns.map { $0[1] == "BLOB" ? bytes($0[0] ?? "") : $0[0] ?? "" }
      }
      let ours = try rows(file, table, selected { "hex(\($0))" })
      let theirs = try rows(cluster, table, selected { "coalesce(\($0)::text, '')" })
      #expect(ours == theirs, "\(table)")
      #expect(ours.count == (table == "installations" ? 2 : 3), "\(table)")
    }
    // Nothing of PostgreSQL's is left empty, but for what is folded within seconds.
    for table in try cluster.tableNames() where table != "day_total_deltas" {
      #expect(try cluster.integer("SELECT count(*) FROM \(table)") ?? 0 > 0, "\(table)")
    }
    let next = try cluster.integer("SELECT nextval(pg_get_serial_sequence('installations', 'installation_key'))")
    #expect(next == 4)

    let again = try runCommand(arguments)
    #expect(again.status != .code(0))
    #expect(again.error.contains("not empty"), "\(again.error)")
  }
}
