import Foundation
import TestSupport
import Testing

/// docs/INTEGRATION.md is right: its examples run, and answer what it shows.
@Suite("The account server's guide", .ownThread)
struct IntegrationGuideTests {
  private static func blocks() throws -> [DocumentBlock] { try documentBlocks("INTEGRATION.md") }

  @Test("every example for the shell runs, in order, and answers what is shown below it")
  func examples() async throws {
    let blocks = try Self.blocks()
    let separator = "\u{1E}"
    var script = "set -euo pipefail\n"
    var shown: [String] = []
    for (index, block) in blocks.enumerated() where block.language == "sh" {
      script += block.text + "\nprintf '\\036'\n"
      let next = blocks.dropFirst(index + 1).first
      shown.append(next?.language == "text" ? next!.text : "")
    }
    #expect(shown.count >= 10)
    #expect(blocks.count { $0.language == "text" } == shown.count { !$0.isEmpty }, "an answer without its request")
    // The real time: the examples have sessions that expire.
    try await withServer(ServerOptions(clock: nil)) { server in
      var environment = childEnvironment()
      environment["BASE"] = "http://127.0.0.1:\(server.port)"
      environment["TOKEN"] = try server.createToken(scope: "server")
      let script = "cd '\(server.folder.path)'\n" + script
      let result = try runCommand(["bash", "-c", script], environment: environment, seconds: 60)
      #expect(result.status == .code(0), "\(result.error)")
      let answers = result.output.components(separatedBy: separator).dropLast()
        .map { $0.trimmingCharacters(in: .newlines).replacing("}{", with: "}\n{") }
      #expect(answers == shown)

      let check = try server.run(["check"])
      #expect(check.status == .code(0), "\(check.output)")
    }
  }

  @Test("every type of fact has an example")
  func completeness() throws {
    let text = try Self.blocks().map(\.text).joined()
    for type in [
      "ACCOUNT_CREATED", "ACCOUNT_DELETED", "SESSION_ISSUED", "SESSION_REVOKED", "CREDITS_SETTLED",
      "STOREKIT_TRANSACTION", "REFERRAL_CODE_ISSUED", "REFERRAL_CODE_REVOKED", "REFERRAL_BOUND", "REFERRAL_QUALIFIED",
      "REFERRAL_REWARDED",
    ] {
      #expect(text.contains("\"type\": \"\(type)\""), "\(type)")
    }
    for block in try Self.blocks() where block.language == "json" {
      #expect(throws: Never.self) { try JSONSerialization.jsonObject(with: Data(block.text.utf8)) }
    }
  }

  @Test("the statements for the tables do what facts do", .enabled(if: DatabaseUnderTest.isPostgreSQL))
  func statements() async throws {
    let blocks = try Self.blocks()
    let grants = try #require(blocks.first { $0.text.hasPrefix("GRANT ") }).text
    let statements = try #require(blocks.first { $0.language == "sql" }).text
    try await withServer { server in
      let session = try server.openDatabase()
      // A role is the whole cluster's: it ends with the transaction.
      try session.execute("BEGIN; CREATE ROLE account_server;\n\(grants)\nSET ROLE account_server;")
      for _ in 0..<2 { try session.execute(statements) }
      try session.execute("RESET ROLE; REVOKE ALL ON ALL TABLES IN SCHEMA osg_analytics FROM account_server")
      try session.execute("REVOKE ALL ON SCHEMA osg_analytics FROM account_server; DROP ROLE account_server; COMMIT")
      for (table, count) in [
        ("accounts", 1), ("sessions", 1), ("settlements", 1), ("referral_codes", 1), ("referrals", 1),
      ] {
        #expect(try session.integer("SELECT count(*) FROM osg_analytics.\(table)") == count, "\(table)")
      }
      #expect(
        try session.integer("SELECT count(*) FROM osg_analytics.sessions WHERE num_nulls(account_id, revoked_at) = 0")
          == 1)
      let page = try exchange("GET", path: "/i/Zz3vQ9xT2mZ8-pLw_aB4cD", port: server.port)
      #expect(page.status == 200)
      let check = try server.run(["check"])
      #expect(check.status == .code(0), "\(check.output)")

      // What was deleted stays deleted.
      let erasure = try server.run(["erase", "--account", "7c1f0b6a-55d4-4e0c-9d58-1a2b3c4d5e6f"])
      #expect(erasure.status == .code(0), "\(erasure.error)")
      try session.execute("BEGIN;\n\(statements)\nCOMMIT")
      #expect(try session.integer("SELECT count(*) FROM osg_analytics.accounts") == 0)
    }
  }
}
