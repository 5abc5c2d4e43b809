import Foundation
import TestSupport
import Testing

/// Transactions that the App Store signed, and others.
@Suite("Signed transactions", .ownThread)
struct StoreKitFactTests {
  private func row(_ facts: FactServer, _ transaction: String) throws -> [String?] {
    let database = try facts.server.openDatabase()
    defer { database.close() }
    let account =
      DatabaseUnderTest.isSQLite ? "nullif(lower(hex(account_id)), '')" : "replace(account_id::text, '-', '')"
    return try database.rows(
      """
      SELECT \(account), original_transaction_id, product_id, quantity, purchased_at, price, currency, refunded_at,
        environment, storefront
      FROM storekit_transactions WHERE transaction_id = '\(transaction)'
      """
    ).first ?? []
  }

  private func refusals(_ facts: FactServer) throws -> [String: Double] {
    let page = try PrometheusPage(try exchange("GET", path: "/metrics", port: facts.port).text)
    let samples = page.families["osg_analytics_storekit_refusals_total"]?.samples ?? []
    return Dictionary(uniqueKeysWithValues: samples.map { ($0.labels["reason"] ?? "", $0.value) })
  }

  @Test("what is kept of a transaction, and a refund before or after its purchase")
  func refunds() async throws {
    try await withFactServer { facts in
      var source = WireFacts(seed: "refunds")
      func fact(_ id: String, _ changes: [String: String?]) -> WireItem {
        source.fact(
          "STOREKIT_TRANSACTION",
          ["signedTransaction": source.transaction(["transactionId": "\"\(id)\""].merging(changes) { $1 })])
      }
      let account = source.uuid().lowercased()
      let common: [String: String?] = ["appAccountToken": "\"\(account)\"", "originalTransactionId": "\"77\""]
      let refunded = common.merging(["revocationDate": "1699999999000", "revocationReason": "1"]) { $1 }
      var expected: [String?] = [
        account.filter { $0 != "-" }, "77", "com.example.keyboard.pro_monthly-1", "1", "1699999990123000", "9990",
        "USD",
        nil, "1", "USA",
      ]
      let purchase = fact("101", common)
      expectTaken(try facts.state([purchase]), accepted: 1)
      #expect(try row(facts, "101") == expected)
      expectTaken(try facts.state([fact("101", common)]), accepted: 0, replayed: 1, "stated again")
      expectTaken(try facts.state([fact("101", refunded)]), accepted: 1, "a refund is no conflict")
      expected[7] = "1699999999000000"
      #expect(try row(facts, "101") == expected)
      expectTaken(try facts.state([fact("101", refunded)]), accepted: 0, replayed: 1)
      expectTaken(try facts.state([purchase]), accepted: 0, replayed: 1)
      #expect(try row(facts, "101") == expected, "an older statement takes no refund back")

      expectTaken(try facts.state([fact("102", refunded)]), accepted: 1, "the refund first")
      #expect(try row(facts, "102") == expected)
      #expect(try facts.state([fact("102", common)]).status == 200)
      #expect(try row(facts, "102") == expected)
      // A refund of something else than was bought.
      expectError(try facts.state([fact("102", refunded.merging(["price": "1"]) { $1 })]), 409)
      expectError(try facts.state([fact("101", common.merging(["currency": "\"EUR\""]) { $1 })]), 409)
      expectError(
        try facts.state([fact("101", refunded.merging(["revocationDate": "1699999999001"]) { $1 })]), 409, sent: [],
        "another refund")
      // Without an account, a price and a storefront.
      let bare: [String: String?] = [
        "appAccountToken": nil, "price": nil, "currency": nil, "storefront": nil, "originalTransactionId": "\"77\"",
      ]
      expectTaken(try facts.state([fact("103", bare)]), accepted: 1)
      #expect(
        try row(facts, "103") == [
          nil, "77", "com.example.keyboard.pro_monthly-1", "1", "1699999990123000", nil, nil, nil, "1", nil,
        ])
      #expect(try refusals(facts).values.reduce(0, +) == 0)
      let checked = try facts.server.run(["check"])
      #expect(checked.status == .code(0), "\(checked.output)\(checked.error)")
    }
  }

  @Test("what isn't believed is 422, nothing of its batch is stored, and the reason is counted")
  func refused() async throws {
    try await withFactServer { facts in
      var source = WireFacts(seed: "unbelieved")
      let good = source.transaction()
      let parts = good.split(separator: ".").map(String.init)
      let stranger = StoreKitAuthority()
      let forged = StoreKitAuthority.base64URL(Array(StoreKitPayload(["price": "1"]).json.utf8))
      let payload = StoreKitPayload().json
      let unmarked = StoreKitAuthority(leaf: .leaf.with { $0.marks = [] })
      let unsigned = StoreKitAuthority.base64URL(Array(WireFacts.authority.header(algorithm: "none").utf8))
      let cases: [(String, String, String?)] = [
        ("altered payload", "\(parts[0]).\(forged).\(parts[2])", "signature"),
        (
          "altered signature", "\(parts[0]).\(parts[1]).\(parts[2].hasPrefix("A") ? "B" : "A")\(parts[2].dropFirst())",
          "signature"
        ),
        ("another bundle", source.transaction(["bundleId": "\"com.example.other\""]), "bundle"),
        ("no bundle", source.transaction(["bundleId": nil]), nil),
        ("a sandbox", source.transaction(["environment": "\"Sandbox\""]), "environment"),
        ("Xcode", source.transaction(["environment": "\"Xcode\""]), "environment"),
        ("a stranger's root", stranger.sign(payload), "root"),
        ("a root without its mark", unmarked.sign(payload), "root"),
        (
          "a stranger's leaf under our root",
          stranger.sign(
            payload,
            header: stranger.header(certificates: [
              stranger.certificates[0], stranger.certificates[1], WireFacts.authority.certificates[2],
            ])), nil
        ),
        ("no algorithm", "\(unsigned).\(parts[1]).", nil), ("no JWS", "qzxw", "malformed"),
        ("no transaction", WireFacts.authority.sign("{}"), nil), ("no JSON", WireFacts.authority.sign("qzxw"), nil),
        ("a negative price", source.transaction(["price": "-1"]), "payload"),
        ("no date", source.transaction(["purchaseDate": nil]), "payload"),
        ("signed outside the chain's time", source.transaction(["signedDate": "1600000000000"]), "chain"),
      ]
      let before = try facts.counts()
      for (name, jws, reason) in cases {
        let counted = try refusals(facts)
        let fact = source.fact("STOREKIT_TRANSACTION", ["signedTransaction": jws])
        let reply = try facts.state([
          source.fact("CREDITS_SETTLED"), fact, source.fact("STOREKIT_TRANSACTION", ["signedTransaction": good]),
        ])
        expectError(reply, 422, sent: [], "\(name)")
        #expect(
          ErrorBody(reply)?.violations?.contains(.init(path: "/facts/1/signedTransaction", rule: "not_verified"))
            == true, "\(name): \(reply.text)")
        let grown = try refusals(facts).filter { $0.value != counted[$0.key] }.keys.sorted()
        #expect(grown.count == 1, "\(name): \(grown)")
        if let reason { #expect(grown == [reason], "\(name)") }
      }
      #expect(try facts.counts() == before)
      expectTaken(
        try facts.state([source.fact("STOREKIT_TRANSACTION", ["signedTransaction": good])]), accepted: 1)
      #expect(facts.server.log.contains("com.example") == false)
    }
  }

  @Test("the sandbox is taken where that is allowed, and kept apart")
  func sandbox() async throws {
    try await withFactServer(arguments: ["--storekit-sandbox"]) { facts in
      var source = WireFacts(seed: "sandbox")
      for (environment, code) in [("Production", "1"), ("Sandbox", "2")] {
        let id = "20\(code)"
        let jws = source.transaction(["environment": "\"\(environment)\"", "transactionId": "\"\(id)\""])
        expectTaken(
          try facts.state([source.fact("STOREKIT_TRANSACTION", ["signedTransaction": jws])]), accepted: 1)
        #expect(try row(facts, id)[8] == code)
      }
    }
  }
}
