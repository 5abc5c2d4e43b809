import Foundation
import TestSupport
import Testing

/// docs/READING_WITH_OTHER_TOOLS.md: its views are those of the database, and everything on it runs.
@Suite("Reading with other tools", .ownThread)
struct OtherToolsTests {
  private static let page = "READING_WITH_OTHER_TOOLS.md"

  @Test("the page has every view with its columns in order")
  func views() async throws {
    let documented = try documentText(Self.page).split(separator: "\n").filter { $0.hasPrefix("| `v_") }
      .reduce(into: [String: [String]]()) { views, row in
        let names = row.split(separator: "`").enumerated().filter { $0.offset % 2 == 1 }.map { String($0.element) }
        views[names[0]] = Array(names.dropFirst())
      }
    try await withServer { server in
      let sql =
        DatabaseUnderTest.isSQLite
        ? """
        SELECT views.name, columns.name FROM sqlite_master AS views, pragma_table_info(views.name) AS columns
        WHERE views.type = 'view' ORDER BY views.name, columns.cid
        """
        : """
        SELECT table_name, column_name FROM information_schema.columns
        WHERE table_schema = 'osg_analytics' AND table_name LIKE 'v\\_%' ORDER BY table_name, ordinal_position
        """
      let stored = try server.openDatabase().rows(sql).reduce(into: [String: [String]]()) {
        $0[$1[0]!, default: []].append($1[1]!)
      }
      #expect(stored.count >= 16)
      #expect(documented == stored)
    }
  }

  @Test("its examples answer what it says for these installations")
  func examples() async throws {
    let text = try documentText(Self.page)
    let start = try #require(text.range(of: "## Examples"))
    let isExample = { (block: DocumentBlock) in text[start.lowerBound...].contains(block.text) }
    let blocks = try documentBlocks(Self.page).filter(isExample)
    let queries = blocks.filter { $0.language == "sql" }
    let answers = blocks.filter { $0.language == "text" }
    #expect(queries.count >= 5 && queries.count == answers.count)
    try await withServer(TestSupport.ServerOptions(clock: "fixed:2026-11-29T12:00:00Z")) { server in
      try send(to: server)
      try state(in: try server.openDatabase())
      for (query, answer) in zip(queries, answers) {
        let rows = try server.openDatabase().rows(query.text).map { $0.map(Self.canonical) }
        let expected = answer.text.split(separator: "\n").map { line in
          line.split(separator: "|").map { Self.canonical($0.trimmingCharacters(in: .whitespaces)) }
        }
        #expect(rows == expected, "\(query.text)")
      }
    }
  }

  /// Numbers are numbers, however many zeros follow.
  private static func canonical(_ value: String?) -> String {
    guard let value, value != "NULL" else { return "NULL" }
    return Double(value).map { "\($0)" } ?? value
  }

  private func send(to server: ServerProcess) throws {
    var bodies = WireBodies(seed: "other tools")
    func event(_ hour: String, _ type: String, _ surface: String, _ more: [String: String] = [:]) -> WireItem {
      bodies.hour = hour
      var event = bodies.event(type, surface: surface)
      for (name, value) in more { event[name] = value }
      return event
    }
    func ai(_ hour: String, _ outcome: String, _ surface: String, _ feature: String, _ failure: String? = nil)
      -> WireItem
    {
      var event = event(hour, "AI_FEATURE_\(outcome)", surface, ["feature": feature, "executionMode": "LOCAL"])
      if let failure { event["failureCategory"] = failure }
      return event
    }
    let (friday, saturday) = ("2026-11-27T11:", "2026-11-28T11:")
    let (first, second) = (bodies.installation(), bodies.installation())
    let batches = [
      WireBatch(
        .events, installation: first,
        items: [
          event(friday, "SESSION_STARTED", "APP"), ai(friday, "SUCCEEDED", "APP", "POLISH"),
          ai(friday, "SUCCEEDED", "KEYBOARD", "POLISH"), event(saturday, "SESSION_STARTED", "APP"),
          ai(saturday, "FAILED", "APP", "POLISH", "NETWORK"), ai(saturday, "SUCCEEDED", "APP", "TRANSCRIPTION"),
          ai(saturday, "FAILED", "APP", "AGENT", "CANCELLED"), event(saturday, "PURCHASE_VIEWED", "APP"),
          event(saturday, "INVITE_OPENED", "INVITE_WEB"),
        ]),
      WireBatch(
        .events, installation: second,
        items: [
          event(friday, "SESSION_STARTED", "APP"), event(saturday, "KEYBOARD_ACTIVATED", "KEYBOARD"),
          event(saturday, "SESSION_STARTED", "KEYBOARD"),
          ai(saturday, "FAILED", "KEYBOARD", "TRANSCRIPTION", "CANCELLED"),
        ]),
      WireBatch(
        .summaries, installation: first,
        items: [summary("2026-11-27", 400, 400, &bodies), summary("2026-11-28", 90, 10, &bodies)]),
    ]
    for batch in batches { expectTaken(try post(batch, to: server.port), accepted: batch.items.count) }
  }

  private func summary(_ date: String, _ chinese: Int, _ english: Int, _ bodies: inout WireBodies) -> WireItem {
    var summary = bodies.summary(date)
    for (name, value) in [
      ("chineseCharacterCount", chinese), ("englishCharacterCount", english), ("otherCharacterCount", 0),
      ("inputSessionCount", 2), ("chineseOnlySessionCount", 0), ("englishOnlySessionCount", 0),
      ("mixedLanguageSessionCount", 2), ("otherOnlySessionCount", 0),
    ] { summary.set(name, json: "\(value)") }
    return summary
  }

  /// As an account server that shares the database may write them.
  private func state(in database: any DatabaseConnection) throws {
    func microseconds(_ text: String) -> Int64 {
      Int64(try! Date(text, strategy: .iso8601).timeIntervalSince1970) * 1_000_000
    }
    func id(_ number: Int) -> String {
      let digits = "000102030405060708090a0b0c0d0e0\(number)"
      return DatabaseUnderTest.isSQLite ? "x'\(digits)'" : "'\(digits)'"
    }
    for (number, (at, credits)) in [
      ("2026-11-20T10:00:00Z", 250), ("2026-11-24T10:00:00Z", 100), ("2026-11-27T10:00:00Z", 50),
    ].enumerated() {
      try database.execute(
        "INSERT INTO settlements VALUES (\(id(number)), NULL, \(microseconds(at)), 1, \(credits))")
    }
    let transactions = [
      ("2026-11-10T10:00:00Z", "19990", "EUR", "NULL", 1),
      ("2026-10-10T10:00:00Z", "3500", "EUR", "\(microseconds("2026-11-12T10:00:00Z"))", 1),
      ("2026-11-20T10:00:00Z", "9990", "USD", "NULL", 1),
      ("2026-11-21T10:00:00Z", "4990", "USD", "\(microseconds("2026-11-22T10:00:00Z"))", 1),
      // The sandbox counts nowhere.
      ("2026-11-21T10:00:00Z", "99990", "USD", "NULL", 2),
    ]
    for (number, (at, price, currency, refund, environment)) in transactions.enumerated() {
      try database.execute(
        """
        INSERT INTO storekit_transactions VALUES ('\(number)', '\(number)', NULL, 'pro', 1, 1, \(microseconds(at)),
          \(price), '\(currency)', \(refund), \(environment), 'DEU')
        """)
    }
  }

  @Test(
    "on PostgreSQL a role as the page makes it reads the views and nothing else",
    .enabled(if: DatabaseUnderTest.isPostgreSQL))
  func role() async throws {
    let block = try #require(
      try documentBlocks(Self.page).first { $0.language == "sql" && $0.text.hasPrefix("CREATE ROLE") })
    try await withServer { server in
      let database = try server.openDatabase()
      let name = server.database.name
      let role = "reader_of_\(name)"
      let statements = block.text.replacing("osg_analytics_reader", with: role)
        .replacing("ON DATABASE osg_analytics ", with: "ON DATABASE \(name) ")
      try database.execute(statements)
      defer {
        try? database.execute(
          "RESET ROLE; RESET default_transaction_read_only; DROP OWNED BY \(role); DROP ROLE \(role)")
      }
      let views = try database.rows("SELECT viewname FROM pg_views WHERE schemaname = 'osg_analytics'").compactMap {
        $0[0]
      }
      let tables = try database.rows("SELECT tablename FROM pg_tables WHERE schemaname = 'osg_analytics'").compactMap {
        $0[0]
      }
      try database.execute("SET ROLE \(role)")
      for view in views.filter({ $0.hasPrefix("v_") }) {
        _ = try database.rows("SELECT * FROM osg_analytics.\(view) LIMIT 1")
      }
      #expect(tables.count > 20)
      for closed in tables + views.filter({ !$0.hasPrefix("v_") }) {
        #expect(throws: (any Error).self, "\(closed)") { try database.rows("SELECT 1 FROM osg_analytics.\(closed)") }
      }
      try database.execute("RESET ROLE")
    }
  }

  @Test(
    "on SQLite its commands run, and the file for tools has the views and nothing else",
    .enabled(if: DatabaseUnderTest.isSQLite))
  func commands() async throws {
    let blocks = try documentBlocks(Self.page).filter { $0.language == "sh" }
    #expect(blocks.count == 2)
    var bodies = WireBodies(seed: "other tools' commands")
    try await withServer { server in
      expectTaken(try post(bodies.events(3), to: server.port), accepted: 3)
      for block in blocks {
        let script = "set -euo pipefail\ncd '\(server.folder.path)'\n" + block.text
        let result = try runCommand(["bash", "-c", script])
        #expect(result.status == .code(0), "\(result.error)")
        #expect(result.error == "")
      }
      let copy = try DatabaseFile(path: server.folder.file("reading.sqlite"))
      let names = try copy.rows("SELECT name FROM sqlite_master").compactMap { $0[0] }
      #expect(names.count >= 16 && names.allSatisfy { $0.hasPrefix("v_") })
      #expect(try copy.rows("SELECT sum(event_count) FROM v_day_totals") == [["3"]])
    }
  }
}
