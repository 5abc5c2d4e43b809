import Foundation
import TestSupport
import Testing

/// Marked secrets through every field, header, path and query of every endpoint, and then a search in everything that
/// the server keeps or says.
@Suite("Secrets canary", .ownThread)
struct CanaryTests {
  private static let paths = [
    "/v1/analytics/events", "/v1/analytics/keyboard-usage", "/healthz", "/readyz", "/metrics", "/openapi.json", "/",
    "/v1/admin/overview", "/v1/server/facts", "/no/such/path",
  ]

  private func sendHeadersAndPaths(_ canary: Canary) {
    let names = [
      "Authorization", "User-Agent", "Cookie", "X-Forwarded-For", "Forwarded", "X-Real-IP", "Referer", "Origin",
      "Accept-Language", "X-Request-Id", "Content-Type", "Content-Encoding", "Accept", "Idempotency-Key", "Via", "From",
    ]
    for path in Self.paths {
      let body = canary.bodies.events(2).body()
      for name in names {
        for value in [canary.mark(), "Bearer \(canary.mark())", "203.0.113.7, \(canary.mark())"] {
          canary.send("POST", path, [(name, value)], body)
          canary.send("GET", path, [(name, value)])
        }
      }
      canary.send("POST", path, [("X-\(canary.mark())", "1")], body)
      for method in ["GET", "POST", "HEAD", "DELETE"] {
        canary.send(
          method, path + "?token=\(canary.mark())&\(canary.mark())=1", jsonHeaders, method == "POST" ? body : nil)
        canary.send(method, path + "/\(canary.mark())", jsonHeaders, method == "POST" ? body : nil)
        canary.send(method, path + "%20\(canary.mark())%0a", jsonHeaders, method == "POST" ? body : nil)
      }
      canary.send(canary.mark().uppercased(), path)
    }
    // What isn't even HTTP.
    for text in [
      canary.mark(), "GET /\(canary.mark()) HTTP/9.9", "\(canary.mark()): x", "GET / HTTP/1.1\r\n\(canary.mark())",
    ] {
      guard let connection = try? HTTPConnection(port: canary.server.port) else { continue }
      try? connection.send(text + "\r\n\r\n")
      connection.finishSending()
      if let reply = try? connection.receive() {
        canary.answers += Array(reply.headers.map { "\($0.name): \($0.value)\n" }.joined().utf8) + reply.body
      }
    }
  }

  private func sendBodies(_ canary: Canary) {
    for kind in [WireBatch.Kind.events, .summaries] {
      func fresh() -> WireBatch { kind == .events ? canary.bodies.events(2) : canary.bodies.summaries(2) }
      let path = fresh().path
      let members =
        Array(fresh().items[0].members.keys) + ["installationId", "feature", "acquisitionChannel", "surface"]
      for member in members {
        for text in [canary.mark(), "with space \(canary.mark())", canary.mark() + String(repeating: "x", count: 200)] {
          var batch = fresh()
          // A lone mark may be a valid version, and only that: see the test of versions.
          batch.items[1][member] = member.hasSuffix("Version") ? "!" + text : text
          canary.send("POST", path, jsonHeaders, batch.body())
        }
        var nested = fresh()
        nested.items[1].set(member, json: "{\"\(canary.mark())\":[\"\(canary.mark())\"]}")
        canary.send("POST", path, jsonHeaders, nested.body())
      }
      var unknown = fresh()
      unknown.items[0][canary.mark()] = canary.mark()
      canary.send("POST", path, jsonHeaders, unknown.body())
      canary.send("POST", path, jsonHeaders + [("Content-Encoding", "gzip")], gzipped(unknown.body()))
      let good = fresh().json()
      for body in [
        "{\"\(canary.mark())\":\"\(canary.mark())\"," + good.dropFirst(), good + canary.mark(), canary.mark() + good,
        String(good.dropLast()) + ",\"" + canary.mark(), "{\"installationId\":\"\(canary.mark())", canary.mark(),
        good.replacingOccurrences(of: fresh().kind.rawValue, with: canary.mark()),
        fresh().json().replacingOccurrences(of: "2.0.0", with: "\\ud800\(canary.mark())"),
        "{\"installationId\":\"\(canary.mark())\",\"\(kind.rawValue)\":[]}",
      ] { canary.send("POST", path, jsonHeaders, Array(body.utf8)) }
      let oversize = Array(canary.mark().utf8) + [UInt8](repeating: 0x20, count: 200_000)
      canary.send("POST", path, jsonHeaders, oversize)
    }
  }

  @Test("no mark is in an answer, the log, the metrics or the database")
  func marks() async throws {
    try await withServer { server in
      let traces = try Traces(server)
      let canary = Canary(server, seed: "marks")
      sendHeadersAndPaths(canary)
      sendBodies(canary)
      #expect(canary.marks > 700)
      canary.send("GET", "/metrics")
      expectNone(of: canary.markNeedles, in: ["answers": Data(canary.answers)])
      expectNone(of: canary.markNeedles, in: try traces.all())
      #expect(server.terminate() == .code(0))
      expectNone(of: canary.markNeedles, in: try traces.all())
    }
  }

  @Test("a version is in the database at most, and identifiers and tokens are nowhere")
  func identifiers() async throws {
    try await withServer { server in
      let traces = try Traces(server)
      let canary = Canary(server, seed: "identifiers")
      let account = canary.bodies.uuid()
      let session = try server.issueSession(account: account)
      let admin = try server.createToken(scope: "admin", name: "canary-one")
      let service = try server.createToken(scope: "server", name: "canary-two")
      var installations: [String] = []
      for index in 0..<40 {
        var batch = canary.batch(index % 2 == 0 ? .events : .summaries)
        let version = canary.mark()
        for item in batch.items.indices { batch.items[item]["appVersion"] = version }
        if index % 5 == 4 { batch.items[0]["osVersion"] = "not valid" }
        installations.append(batch.installation)
        let token = [[], [bearer(session)], [bearer(admin)], [bearer(service)]][index % 4]
        for form in TransportForm.allCases {
          canary.send("POST", batch.path, jsonHeaders + token, batch.body(form))
        }
      }
      for path in Self.paths {
        for token in [session, admin, service] {
          canary.send("GET", path, [bearer(token)])
          canary.send("POST", path, jsonHeaders + [bearer(token)], Array("{}".utf8))
          canary.send("GET", path + "?access_token=\(token)")
        }
      }
      canary.send("GET", "/metrics")

      let digests = try [0, 1, 5, 8].map { try sha256(installations[$0]) }
      let secrets = canary.installationNeedles + [session, admin, service].flatMap(Needles.spellings(ofToken:))
      let storable =
        canary.markNeedles + canary.clientIDNeedles + Needles.spellings(ofUUID: account)
        + digests.flatMap { [$0.raw, Array($0.hex.utf8), Array($0.hex.uppercased().utf8)] }
      for _ in 0..<2 {
        let kept = try traces.all()
        expectNone(of: secrets + traces.passwords, in: kept)
        expectNone(of: secrets + storable + traces.passwords, in: kept.filter { !$0.key.holdsData })
        // The search would have found them: the digests of what was taken are there, and what else may be.
        let data = kept.filter(\.key.holdsData)
        for digest in digests {
          let spellings = [digest.raw, Array(digest.hex.utf8), Array(digest.hex.uppercased().utf8)]
          #expect(data.values.contains { $0.holds(anyOf: spellings) }, "a digest")
        }
        for needles in [canary.markNeedles, canary.clientIDNeedles] {
          #expect(data.values.contains { $0.holds(anyOf: needles) })
        }
        _ = server.terminate()
      }
      expectNone(of: secrets + storable + traces.passwords, in: ["answers": Data(canary.answers)])
      try traces.expectComplete()
    }
  }

  @Test(
    "what PostgreSQL logs of statements that it refuses, or that are cut short, has no values",
    .enabled(if: DatabaseUnderTest.isPostgreSQL, "SQLite logs nothing"))
  func failures() async throws {
    try await withServer { server in
      let traces = try Traces(server)
      let canary = Canary(server, seed: "failures")
      let account = canary.bodies.uuid()
      let session = try server.issueSession(account: account)
      let database = try server.openDatabase()
      func send() {
        for kind in [WireBatch.Kind.events, .summaries] {
          var batch = canary.batch(kind)
          for item in batch.items.indices { batch.items[item]["osVersion"] = canary.mark() }
          canary.send("POST", batch.path, jsonHeaders + [bearer(session)], batch.body())
        }
      }
      send()
      try database.execute(
        "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'broken'; END $$")
      for table in ["events", "keyboard_summaries", "installations"] {
        try database.execute("CREATE TRIGGER broken BEFORE INSERT ON \(table) FOR EACH ROW EXECUTE FUNCTION refuse()")
        for _ in 0..<3 { send() }
        try database.execute("DROP TRIGGER broken ON \(table)")
        // What is usually said of a row that breaks a rule names its values.
        try database.execute("ALTER TABLE \(table) ADD CONSTRAINT broken CHECK (installation_key < 0) NOT VALID")
        for _ in 0..<3 { send() }
        try database.execute("ALTER TABLE \(table) DROP CONSTRAINT broken")
      }
      try database.holdDatabase()
      send()
      try database.execute("ROLLBACK")
      let others = "FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
      for _ in 0..<10 {
        _ = try database.rows("SELECT pg_terminate_backend(pid) \(others)")
        send()
      }
      for sql in [
        "DROP VIEW v_events; ALTER TABLE events ALTER COLUMN os_version TYPE integer USING 1",
        "ALTER TABLE keyboard_summaries DROP COLUMN client_summary_id CASCADE", "DROP TABLE events CASCADE",
      ] {
        try database.execute(sql)
        // Until the server has connected anew, and has found out.
        let errors = try traces.errorCount()
        let isNoticed = try waitUntil(seconds: 20) {
          send()
          return try traces.errorCount() > errors
        }
        #expect(isNoticed, "\(sql)")
      }
      canary.send("GET", "/metrics")
      _ = server.terminate()
      let secrets =
        canary.installationNeedles + canary.markNeedles + canary.clientIDNeedles + Needles.spellings(ofUUID: account)
        + Needles.spellings(ofToken: session) + traces.passwords
      expectNone(of: secrets, in: try traces.all().filter { !$0.key.holdsData })
      expectNone(of: secrets, in: ["answers": Data(canary.answers)])
      try traces.expectComplete()
      let text = String(decoding: try #require(try traces.all()[.statementLog]), as: UTF8.self)
      let own = " \(server.database.name)@\(server.database.name) "
      for fault in ["ERROR:  broken", "ERROR:  new row", "ERROR:  canceling", "FATAL:  terminating"] {
        #expect(text.contains(own + fault), "\(fault)")
      }
    }
  }

  private func sendFacts(_ canary: Canary, _ source: inout WireFacts, _ own: [(String, String)]) {
    func send(_ body: String, _ headers: [(String, String)]) {
      canary.send("POST", WireFacts.path, headers, Array(body.utf8))
    }
    for row in FactRow.all {
      for member in FactRow.members.keys + ["factId", "type", "occurredAt"] {
        for text in [canary.mark(), "with space \(canary.mark())", canary.mark() + String(repeating: "x", count: 200)] {
          send(WireFacts.json([source.fact(row.type), source.fact(row.type).with(member, text)]), own)
        }
        let nested = "{\"\(canary.mark())\":[\"\(canary.mark())\"]}"
        send(WireFacts.json([source.fact(row.type).with(member, json: nested)]), own)
      }
      send(WireFacts.json([source.fact(row.type).with(canary.mark(), canary.mark())]), own)
      let good = WireFacts.json([source.fact(row.type)])
      for body in [
        "{\"\(canary.mark())\":\"\(canary.mark())\"," + good.dropFirst(), good + canary.mark(), canary.mark() + good,
        String(good.dropLast()) + ",\"" + canary.mark(), "{\"facts\":\"\(canary.mark())\"}",
        good.replacingOccurrences(of: "factId", with: "\\ud800\(canary.mark())"),
      ] { send(body, own) }
      // Taken, with marks around the facts.
      for name in ["User-Agent", "Cookie", "X-Forwarded-For", "Referer", "X-Request-Id", "X-\(canary.mark())"] {
        send(WireFacts.json([source.fact(row.type)]), own + [(name, canary.mark())])
      }
    }
    for (method, path) in [
      ("POST", "?\(canary.mark())=\(canary.mark())"), ("POST", "/\(canary.mark())"), ("GET", "?a=\(canary.mark())"),
    ] { canary.send(method, WireFacts.path + path, own, Array(WireFacts.json([source.fact("ACCOUNT_CREATED")]).utf8)) }
    send(canary.mark() + String(repeating: " ", count: 5 << 20), own)
    // Members of a transaction that nobody reads, and those for which it isn't believed.
    for member in [
      "webOrderLineItemId", "subscriptionGroupIdentifier", "transactionReason", "storefrontId", "qzxwkvjy", "bundleId",
      "environment", "type", "currency", "storefront", "appAccountToken", "signedDate",
    ] {
      for json in ["\"\(canary.mark()) \"", "{\"\(canary.mark())\":\"\(canary.mark())\"}"] {
        let transaction = source.transaction([member: json])
        send(WireFacts.json([source.fact("STOREKIT_TRANSACTION", ["signedTransaction": transaction])]), own)
      }
    }
  }

  @Test("of what the account server states, nothing is in an answer, the log or the metrics, nor stored beyond need")
  func facts() async throws {
    try await withServer(ServerOptions(arguments: storeKitArguments)) { server in
      let traces = try Traces(server)
      let canary = Canary(server, seed: "facts")
      let token = try server.createToken(scope: "server", name: "canary-facts")
      let own = jsonHeaders + [bearer(token)]
      var source = WireFacts(seed: "canary facts")
      sendFacts(canary, &source, own)
      #expect(canary.marks > 500)

      let (account, digest, transactionID) = (source.uuid(), source.digest(), "4\(source.digest().filter(\.isNumber))")
      let jws = source.transaction([
        "appAccountToken": "\"\(account)\"", "transactionId": "\"\(transactionID.prefix(18))\"",
      ])
      let stated = FactRow.all.filter { $0.type != "ACCOUNT_DELETED" }.map {
        source.fact(
          $0.type,
          [
            "accountId": account, "inviterAccountId": account, "tokenDigest": digest, "signedTransaction": jws,
          ])
      }
      let body = Array(WireFacts.json(stated).utf8)
      for status in [200, 200] { #expect(canary.send("POST", WireFacts.path, own, body) == status) }
      var conflict = stated
      conflict[0]["occurredAt"] = "2026-11-29T01:00:00Z"
      #expect(canary.send("POST", WireFacts.path, own, Array(WireFacts.json(conflict).utf8)) == 409)
      canary.send("GET", "/metrics")

      let parts = jws.split(separator: ".").map { Array($0.utf8) }
      let secrets =
        canary.markNeedles + Needles.spellings(ofToken: token)
        + [Array(parts[0].prefix(200)), Array(parts[1].prefix(60)), parts[2]] + traces.passwords
      let storable =
        Needles.spellings(ofUUID: account) + [Needles.bytes(ofHex: digest), Array(digest.utf8)]
        + [Array(transactionID.prefix(18).utf8)]
        + stated.flatMap { Needles.spellings(ofUUID: $0["factId"]!) }
      for _ in 0..<2 {
        let kept = try traces.all()
        expectNone(of: secrets, in: kept)
        expectNone(of: storable, in: kept.filter { !$0.key.holdsData })
        let data = kept.filter(\.key.holdsData)
        #expect(data.values.contains { $0.holds(anyOf: Needles.spellings(ofUUID: account)) })
        #expect(data.values.contains { $0.holds(anyOf: [Array(transactionID.prefix(18).utf8)]) })
        _ = server.terminate()
      }
      expectNone(of: secrets + storable, in: ["answers": Data(canary.answers)])
    }
  }

  private func expectNone<Place: Hashable>(
    of needles: [[UInt8]], in places: [Place: Data], sourceLocation: SourceLocation = #_sourceLocation
  ) {
    for (place, data) in places {
      for needle in needles where data.holds(anyOf: [needle]) {
        Issue.record(
          "\(place) holds \(String(decoding: needle, as: UTF8.self)): \(data.surroundings(of: needle))",
          sourceLocation: sourceLocation)
      }
    }
  }

  /// The digest of a text by a program that shares nothing with the server.
  private func sha256(_ text: String) throws -> (hex: String, raw: [UInt8]) {
    let result = try runCommand(["sh", "-c", "printf %s \"$1\" | sha256sum", "sh", text])
    let hex = String(result.output.prefix(64))
    return (hex, Needles.bytes(ofHex: hex))
  }
}
