import Foundation
import TestSupport
import Testing

/// What the account server may state, and how.
@Suite("Facts", .ownThread)
struct FactTests {
  private func expectViolation(
    _ reply: HTTPReply, _ status: Int, _ rule: String, at path: String? = nil, _ comment: Comment,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    expectError(reply, status, sent: [], comment, sourceLocation: sourceLocation)
    let violations = ErrorBody(reply)?.violations ?? []
    #expect(
      violations.contains { $0.rule == rule && (path == nil || $0.path == path) }, "\(comment): \(violations)",
      sourceLocation: sourceLocation)
  }

  @Test("every type is taken with its members, alone and with the others, and again as a replay")
  func types() async throws {
    try await withFactServer { facts in
      var source = WireFacts(seed: "types")
      let all = FactRow.all.map { source.fact($0.type) }
      for fact in all {
        expectTaken(try facts.state([fact]), accepted: 1, "\(fact.json)")
        expectTaken(try facts.state([fact]), accepted: 0, replayed: 1, "\(fact.json)")
      }
      expectTaken(try facts.state(all), accepted: 0, replayed: all.count)
      let fresh = FactRow.all.map { source.fact($0.type) }
      expectTaken(try facts.state(fresh + all + fresh), accepted: all.count, replayed: 2 * all.count)
      let counts = try facts.counts()
      #expect(counts["facts"] == 2 * all.count)
      #expect(counts["settlements"] == 2)
      #expect(counts["storekit_transactions"] == 2)
      #expect(counts["deleted_accounts"] == 2)
      // Neither letter case of identifiers nor the form of an instant is a value.
      let settled = source.fact("CREDITS_SETTLED")
      var other = settled
      for member in ["factId", "accountId", "settlementId"] { other[member] = settled[member]?.lowercased() }
      other["occurredAt"] = source.time.replacing("000Z", with: "0+00:00")
      expectTaken(try facts.state([settled, other]), accepted: 1, replayed: 1)
    }
  }

  @Test("only a service token states facts, and that is judged before the body")
  func scopes() async throws {
    try await withFactServer { facts in
      var source = WireFacts(seed: "scopes")
      let admin = try facts.server.createToken(scope: "admin", name: "admin")
      let revoked = try facts.server.createToken(scope: "server", name: "revoked")
      #expect(try facts.server.run(["token", "revoke", "--name", "revoked"]).status == .code(0))
      let session = try facts.server.issueSession(account: source.uuid())
      let good = WireFacts.json([source.fact("ACCOUNT_CREATED")])
      let before = try facts.counts()
      for body in [good, "{", "", "{\"facts\":[]}", String(repeating: " ", count: 5 << 20)] {
        for type in ["application/json", "text/plain"] {
          func reply(_ headers: [(String, String)]) throws -> HTTPReply {
            try exchange(
              path: WireFacts.path, port: facts.port, headers: [("Content-Type", type)] + headers,
              body: Array(body.utf8))
          }
          let comment: Comment = "\(body.prefix(20)) \(type)"
          expectError(try reply([]), 401, sent: [], comment)
          for token in ["osgs_unknown", facts.token + "x", revoked, ""] {
            let refused = try reply([bearer(token)])
            expectError(refused, 401, sent: [], comment)
            #expect(refused.header("www-authenticate")?.contains("Bearer") == true)
          }
          expectError(try reply([bearer(admin)]), 403, sent: [], comment)
          expectError(try reply([bearer(session)]), 401, 403, sent: [], comment)
        }
      }
      #expect(try facts.counts() == before)
    }
  }

  @Test("methods, media types, sizes and what is no JSON")
  func transport() async throws {
    try await withFactServer { facts in
      var source = WireFacts(seed: "transport")
      let good = WireFacts.json([source.fact("ACCOUNT_CREATED")])
      for method in ["GET", "PUT", "DELETE", "PATCH"] {
        expectError(try exchange(method, path: WireFacts.path, port: facts.port), 401, sent: [], "\(method)")
        let reply = try exchange(method, path: WireFacts.path, port: facts.port, headers: [bearer(facts.token)])
        expectError(reply, 405, sent: [], "\(method)")
        #expect(reply.header("allow")?.contains("POST") == true, "\(method)")
      }
      for type in ["text/plain", "application/x-www-form-urlencoded", "application/jsonx"] {
        expectError(try facts.send(good, headers: [("Content-Type", type)]), 415, sent: [], "\(type)")
      }
      expectError(try facts.send(good, headers: jsonHeaders + [("Content-Encoding", "br")]), 415)
      for body in [
        "", "{", "[]", "null", "1", "\"facts\"", good + "x", "\u{FEFF}" + good, String(good.dropLast()),
        "{\"facts\":[],}", "{\"facts\":{}}", "{\"facts\":null}", "{}", "{\"facts\":[1]}", "{\"facts\":[[]]}",
        "{\"facts\":[null]}", String(repeating: "[", count: 100_000), "{\"facts\":[],\"facts\":[]}",
        "{\"facts\":" + String(repeating: "[", count: 100_000), "{\"more\":1," + good.dropFirst(),
        good.dropLast() + ",\"facts\":[]}",
      ] {
        expectError(try facts.send(body), 400, sent: [], "\(body.prefix(60))")
      }
      let invalid = Array(good.utf8.dropLast(2)) + [0xff, 0x5d, 0x7d]
      let headers = jsonHeaders + [bearer(facts.token)]
      expectError(try exchange(path: WireFacts.path, port: facts.port, headers: headers, body: invalid), 400)
      let limit = 4 << 20
      let largest = good + String(repeating: " ", count: limit - good.utf8.count)
      expectTaken(try facts.send(largest), accepted: 1, "exactly the limit")
      expectError(try facts.send(largest + " "), 413)
      let bomb = gzipped(Array((largest + " ").utf8))
      expectError(
        try exchange(
          path: WireFacts.path, port: facts.port, headers: headers + [("Content-Encoding", "gzip")], body: bomb), 413)
      #expect(try facts.counts()["accounts"] == 1)
    }
  }

  @Test("1 to 500 facts")
  func numbers() async throws {
    try await withFactServer { facts in
      var source = WireFacts(seed: "numbers")
      let many = (0..<501).map { _ in source.fact("ACCOUNT_CREATED") }
      expectError(try facts.state([]), 400)
      expectError(try facts.state(many), 400)
      #expect(try facts.counts()["accounts"] == 0)
      expectTaken(try facts.state(Array(many.prefix(500))), accepted: 500)
      #expect(try facts.counts()["accounts"] == 500)
    }
  }

  @Test("the members of a type: all of them, no other, each once and of its kind", arguments: FactRow.all)
  func members(_ row: FactRow) async throws {
    try await withFactServer { facts in
      var source = WireFacts(seed: "members \(row)")
      let first = source.fact("ACCOUNT_CREATED")
      let before = try facts.counts()
      /// Sends a fact after a good one, of which nothing may be stored either.
      func refused(
        _ fact: WireItem, _ status: Int, rule: String? = nil, at path: String? = nil, _ comment: Comment
      ) throws {
        let reply = try facts.state([first, fact])
        if let rule {
          expectViolation(reply, status, rule, at: path, comment)
        } else {
          expectError(reply, status, sent: [], comment)
        }
      }
      for member in ["factId", "type", "occurredAt"] {
        try refused(source.fact(row.type).with(member, nil), 400, rule: "missing_member", "\(member)")
        for json in ["null", "1", "true", "[]", "{}"] {
          try refused(source.fact(row.type).with(member, json: json), 400, "\(member) \(json)")
        }
        try refused(source.fact(row.type).with(member, "qzxw"), 422, "\(member)")
      }
      try refused(source.fact(row.type).with("factId", "00000000-0000-0000-0000-000000000000"), 422, "nil")
      for (name, kind) in FactRow.members {
        let path = "/facts/1/\(name)"
        let fact = source.fact(row.type)
        guard row.members[name] != nil else {
          let extra = source.fact(FactRow.all.first { $0.members[name] != nil }!.type).members[name]!
          try refused(fact.with(name, json: extra), 422, rule: "not_allowed", at: path, "\(name)")
          continue
        }
        try refused(fact.with(name, nil), 422, rule: "required", at: path, "no \(name)")
        let null = try facts.state([first, fact.with(name, json: "null")])
        expectError(null, 400, 422, sent: [], "\(name) null")
        let wrong = kind == .credits ? ["\"1\"", "1.0", "1e2", "true", "[]", "{}"] : ["1", "true", "[]", "{}"]
        for json in wrong { try refused(fact.with(name, json: json), 400, "\(name) \(json)") }
        let twice = fact.json.dropLast() + ",\"\(name)\":\(fact.members[name]!)}"
        expectError(try facts.send("{\"facts\":[\(first.json),\(twice)]}"), 400, sent: [], "\(name) twice")
        for json in invalid(kind) {
          try refused(fact.with(name, json: json), 422, rule: kind == .digest ? "digest" : nil, "\(name) \(json)")
        }
      }
      try refused(source.fact(row.type).with("qzxwkvjy", "1"), 400, rule: "unknown_member", at: "/facts/1", "unknown")
      try refused(source.fact(row.type).with("AccountId", source.uuid()), 400, rule: "unknown_member", "letter case")
      #expect(try facts.counts() == before)
    }
  }

  private func invalid(_ kind: FactRow.Kind) -> [String] {
    switch kind {
    case .uuid:
      [
        "\"\"", "\"qzxw\"", "\"00000000-0000-0000-0000-000000000000\"",
        "\"{12345678-1234-1234-1234-123456789012}\"", "\"12345678123412341234123456789012\"",
        "\"12345678-1234-1234-1234-12345678901g\"",
      ]
    case .digest:
      ["\"\"", "\"ab\""] + [63, 65, 128].map { "\"\(String(repeating: "a", count: $0))\"" }
        + ["\"\(String(repeating: "a", count: 63))g\"", "\"\(String(repeating: "é", count: 32))\""]
    case .instant: ["\"\"", "\"2026-11-31T10:00:00Z\"", "\"2026-11-29\"", "\"2026-11-29T10:00:00+01:00\""]
    case .feature: ["\"\"", "\"polish\"", "\"QZXW\""]
    case .credits: ["0", "-1", "1000000001", "9223372036854775807"]
    case .transaction: ["\"\"", "\"qzxw\"", "\"a.b.c\"", "\"..\""]
    }
  }

  @Test("an unknown type, and instants")
  func typesAndInstants() async throws {
    try await withFactServer { facts in
      var source = WireFacts(seed: "instants")
      for type in ["", "QZXW", "account_created", "FIRST_OPEN", "ACCOUNT_CREATED "] {
        expectError(try facts.state([source.fact("ACCOUNT_CREATED").with("type", type)]), 422, sent: [], "\(type)")
      }
      for (time, isTaken) in [
        ("2026-11-29T12:05:00.000000Z", true), ("2026-11-29T12:05:00.000001Z", false), ("2020-02-29T00:00:00Z", true),
        ("2026-11-29T12:06:00Z", false), ("2027-11-29T12:00:00Z", false),
      ] {
        let reply = try facts.state([source.fact("CREDITS_SETTLED").with("occurredAt", time)])
        if isTaken {
          expectTaken(reply, accepted: 1, "\(time)")
        } else {
          expectViolation(reply, 422, "in_future", at: "/facts/0/occurredAt", "\(time)")
        }
      }
      for credits in ["1", "1000000000"] {
        expectTaken(try facts.state([source.fact("CREDITS_SETTLED").with("credits", json: credits)]), accepted: 1)
      }
      for feature in WireCatalog.dimensions["feature"]! {
        expectTaken(try facts.state([source.fact("CREDITS_SETTLED", ["feature": feature])]), accepted: 1)
      }
    }
  }

  @Test("the same fact with another value is 409, and nothing of its batch is stored", arguments: FactRow.all)
  func conflicts(_ row: FactRow) async throws {
    try await withFactServer { facts in
      var source = WireFacts(seed: "conflicts \(row)")
      let fact = source.fact(row.type)
      expectTaken(try facts.state([fact]), accepted: 1)
      var others = [fact.with("occurredAt", "2026-11-29T09:59:59.999Z")]
      for (name, kind) in row.members {
        let value =
          switch kind {
          case .feature: "AGENT"
          case .credits: "251"
          default: source.fact(row.type)[name]!
          }
        others.append(kind == .credits ? fact.with(name, json: value) : fact.with(name, kind == .instant ? nil : value))
        if kind == .instant { others[others.count - 1][name] = "2026-12-30T10:00:00.000Z" }
      }
      let different = FactRow.all.first { $0.type != row.type }!.type
      others.append(source.fact(different).with("factId", fact["factId"]))
      let before = try facts.counts()
      for other in others {
        expectError(try facts.state([source.fact("CREDITS_SETTLED"), other]), 409, sent: [], "\(other.json)")
        expectError(try facts.state([other, source.fact("CREDITS_SETTLED"), fact]), 409, sent: [], "\(other.json)")
        expectTaken(try facts.state([fact]), accepted: 0, replayed: 1)
      }
      #expect(try facts.counts() == before)
    }
  }

  @Test(
    "what is stated again under another fact id: equal values are a replay, other values are 409",
    arguments: [
      "ACCOUNT_CREATED", "SESSION_ISSUED", "CREDITS_SETTLED", "STOREKIT_TRANSACTION", "REFERRAL_CODE_ISSUED",
      "REFERRAL_BOUND", "REFERRAL_QUALIFIED", "REFERRAL_REWARDED",
    ])
  func naturalKeys(_ type: String) async throws {
    try await withFactServer { facts in
      var source = WireFacts(seed: "naturalKeys \(type)")
      let fact = source.fact(type)
      expectTaken(try facts.state([fact]), accepted: 1)
      func again(_ other: WireItem) -> WireItem { other.with("factId", source.uuid()) }
      expectTaken(try facts.state([again(fact)]), accepted: 0, replayed: 1)
      expectTaken(try facts.state([again(fact), fact, again(fact)]), accepted: 0, replayed: 3)
      var others: [WireItem] = []
      // A transaction has its dates within it.
      if type != "STOREKIT_TRANSACTION" { others.append(fact.with("occurredAt", "2026-11-29T09:59:59.999Z")) }
      switch type {
      case "SESSION_ISSUED":
        others += [fact.with("accountId", source.uuid()), fact.with("expiresAt", "2026-12-30T10:00:00Z")]
        others.removeFirst()
      case "CREDITS_SETTLED":
        others += [
          fact.with("accountId", source.uuid()), fact.with("feature", "AGENT"), fact.with("credits", json: "251"),
        ]
      case "STOREKIT_TRANSACTION":
        let number = "\"2000000000000001\""
        expectTaken(
          try facts.state([
            fact.with("factId", source.uuid()).with(
              "signedTransaction", source.transaction(["transactionId": number]))
          ]), accepted: 1)
        others.append(
          fact.with("signedTransaction", source.transaction(["transactionId": number, "price": "9991"])))
      case "REFERRAL_CODE_ISSUED": others.append(fact.with("accountId", source.uuid()))
      case "REFERRAL_BOUND":
        others += [fact.with("inviterAccountId", source.uuid()), fact.with("inviteeAccountId", source.uuid())]
      case "REFERRAL_REWARDED": others.append(fact.with("credits", json: "251"))
      default: break
      }
      let before = try facts.counts()
      for other in others {
        let settled = source.fact("CREDITS_SETTLED")
        expectError(try facts.state([settled, again(other)]), 409, sent: [], "\(other.json)")
        expectError(try facts.state([again(other), settled]), 409, sent: [], "\(other.json)")
      }
      let after = try facts.counts()
      for table in FactTables.all { #expect(after[table] == before[table], "\(table)") }
      // Two that contradict each other within one batch.
      let fresh = source.fact("CREDITS_SETTLED")
      expectError(try facts.state([fresh, again(fresh).with("credits", json: "1")]), 409)
      #expect(try facts.counts()["settlements"] == before["settlements"])
    }
  }

  @Test("the same facts from eight clients at once are accepted once", arguments: nodeCounts)
  func together(_ count: Int) async throws {
    try await withDatabase { database in
      var nodes: [ServerProcess] = []
      defer { for node in nodes { node.remove() } }
      for _ in 0..<count {
        nodes.append(try ServerProcess(ServerOptions(arguments: storeKitArguments, database: database)))
      }
      let token = try nodes[0].createToken(scope: "server")
      let ports = nodes.map(\.port)
      var source = WireFacts(seed: "together \(count)")
      for round in 0..<15 {
        let account = source.uuid()
        let facts = FactRow.all.map {
          source.fact($0.type, ["accountId": account, "inviterAccountId": account])
        }
        // In another order at every client, half of them without the deletion at first.
        let orders = (0..<8).map { client in
          round % 2 == 0 ? facts : facts.shuffled(using: &source.bodies.generator) + (client % 2 == 0 ? [] : [facts[0]])
        }
        let gate = StartingGate(count: 8)
        let replies = try await onThreads(8) { client in
          let connection = try HTTPConnection(port: ports[client % ports.count], timeoutSeconds: 60)
          gate.arrive()
          return try connection.request(
            "POST", WireFacts.path, headers: jsonHeaders + [bearer(token)],
            body: Array(WireFacts.json(orders[client]).utf8))
        }
        let outcomes = replies.map { Outcome($0) }
        #expect(replies.allSatisfy { $0.status == 200 }, "round \(round): \(replies.map(\.text))")
        #expect(outcomes.compactMap { $0?.accepted }.reduce(0, +) == facts.count, "round \(round)")
        for (order, outcome) in zip(orders, outcomes) {
          #expect(outcome.map { $0.accepted + $0.replayed } == order.count, "round \(round)")
        }
      }
      let checked = try nodes[0].run(["check"])
      #expect(checked.status == .code(0), "\(checked.output)\(checked.error)")
    }
  }
}
