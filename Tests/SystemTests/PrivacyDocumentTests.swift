import Foundation
import TestSupport
import Testing

/// docs/PRIVACY.md tells of every table, and how to look into them.
@Suite("The page about privacy", .ownThread)
struct PrivacyDocumentTests {
  @Test("every table that there is has its place on the page")
  func tables() async throws {
    let page = try documentText("PRIVACY.md")
    try await withServer { server in
      let names = try server.openDatabase().tableNames()
      #expect(names.count >= 20)
      for name in names { #expect(page.contains("`\(name)`"), "\(name)") }
    }
  }

  @Test("the statements that verify it run, and find what an installation sent")
  func statements() async throws {
    let blocks = try documentBlocks("PRIVACY.md")
    var bodies = WireBodies(seed: "privacy page")
    try await withServer { server in
      var batch = bodies.events(3)
      batch.installation = "3f0c6a52-6f5e-4a8e-9d0b-6f6f3c1f2a10"
      expectTaken(try post(batch, to: server.port), accepted: 3)
      if DatabaseUnderTest.isPostgreSQL {
        let statements = blocks.filter { $0.language == "sql" }
        #expect(statements.count == 1)
        for block in statements { try server.openDatabase().execute(block.text) }
        return
      }
      let commands = blocks.filter { $0.language == "sh" }
      #expect(commands.count == 2)
      for block in commands {
        let script = "set -euo pipefail\ncd '\(server.folder.path)'\n" + block.text
        let result = try runCommand(["bash", "-c", script])
        #expect(result.status == .code(0), "\(result.error)")
        #expect(result.error == "")
        #expect(!result.output.isEmpty)
        if block.text.hasPrefix("digest=") {
          #expect(result.output.split(separator: "\n").count { $0.contains(",") } >= 4)
        }
      }
    }
  }
}

extension DatabaseConnection {
  /// All tables of the product, without views.
  func tableNames() throws -> [String] {
    let sql =
      DatabaseUnderTest.isSQLite || self is DatabaseFile
      ? "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_stat%' ORDER BY name"
      : "SELECT tablename FROM pg_tables WHERE schemaname = 'osg_analytics' ORDER BY tablename"
    return try rows(sql).compactMap { $0[0] }
  }
}
