import Foundation
import TestSupport
import Testing

/// Facts come in any order, and what they leave is the same.
@Suite("The order of facts", .ownThread)
struct FactOrderTests {
  private func facts() -> (all: [WireItem], source: WireFacts) {
    var source = WireFacts(seed: "order")
    let (kept, deleted) = (source.uuid(), source.uuid())
    var facts: [WireItem] = []
    func add(_ type: String, _ members: [String: String] = [:], at time: String) {
      source.time = "2026-11-29T\(time):00.000Z"
      facts.append(source.fact(type, members))
    }
    for (index, account) in [kept, deleted].enumerated() {
      let (open, closed) = (source.digest(), source.digest())
      add("ACCOUNT_CREATED", ["accountId": account], at: "01:00")
      add("SESSION_ISSUED", ["accountId": account, "tokenDigest": open], at: "02:0\(index)")
      add("SESSION_ISSUED", ["accountId": account, "tokenDigest": closed], at: "02:1\(index)")
      add("SESSION_REVOKED", ["tokenDigest": closed], at: "03:0\(index)")
      add("CREDITS_SETTLED", ["accountId": account], at: "04:0\(index)")
      add("CREDITS_SETTLED", ["accountId": account, "feature": "AGENT", "credits": "7"], at: "04:1\(index)")
      let (code, gone) = (source.digest(), source.digest())
      add("REFERRAL_CODE_ISSUED", ["accountId": account, "codeDigest": code], at: "05:0\(index)")
      add("REFERRAL_CODE_ISSUED", ["accountId": account, "codeDigest": gone], at: "05:1\(index)")
      add("REFERRAL_CODE_REVOKED", ["codeDigest": gone], at: "05:2\(index)")
      let transaction: [String: String?] = [
        "transactionId": "\"30000000000000\(index)\"", "originalTransactionId": "\"3\"",
        "appAccountToken": "\"\(account)\"",
      ]
      add("STOREKIT_TRANSACTION", ["signedTransaction": source.transaction(transaction)], at: "06:0\(index)")
      let refund = transaction.merging(["revocationDate": "1699999999000", "revocationReason": "0"]) { $1 }
      add("STOREKIT_TRANSACTION", ["signedTransaction": source.transaction(refund)], at: "06:1\(index)")
      let other: [String: String?] = [
        "transactionId": "\"30000000000001\(index)\"", "appAccountToken": "\"\(account)\"",
      ]
      add("STOREKIT_TRANSACTION", ["signedTransaction": source.transaction(other)], at: "06:2\(index)")
    }
    for (inviter, invitee) in [(kept, deleted), (deleted, kept)] {
      let referral = source.uuid()
      add(
        "REFERRAL_BOUND", ["referralId": referral, "inviterAccountId": inviter, "inviteeAccountId": invitee],
        at: "07:00")
      add("REFERRAL_QUALIFIED", ["referralId": referral], at: "07:10")
      add("REFERRAL_REWARDED", ["referralId": referral, "credits": "500"], at: "07:20")
    }
    add("ACCOUNT_DELETED", ["accountId": deleted], at: "08:00")
    return (facts, source)
  }

  @Test("thirty orders, one by one and in batches, leave the same")
  func orders() async throws {
    try await withFactServer { server in
      var (facts, source) = facts()
      let database = try server.server.openDatabase()
      var expected: [String: [String]]?
      for round in 0..<60 {
        let order = round == 0 ? facts : facts.shuffled(using: &source.bodies.generator)
        var (rest, replies) = (order[...], [HTTPReply]())
        while !rest.isEmpty {
          let size = round < 30 ? 1 : Int.random(in: 1...facts.count, using: &source.bodies.generator)
          replies.append(try server.state(Array(rest.prefix(size))))
          rest = rest.dropFirst(size)
        }
        #expect(replies.allSatisfy { $0.status == 200 }, "round \(round): \(replies.map(\.text))")
        let dump = try FactTables.dump(database)
        if expected == nil { expected = dump }
        for (table, rows) in dump where rows != expected?[table] {
          let types = order.map { "\($0["type"]!) \($0["occurredAt"]!.dropFirst(11).prefix(5))" }
          let difference = (expected?[table] ?? []).difference(from: rows)
          Issue.record("\(table) in round \(round): \(difference)\norder: \(types)")
        }
        let again = try server.state(order)
        expectTaken(again, accepted: 0, replayed: facts.count)
        #expect(try FactTables.dump(database) == dump, "a replay changes nothing")
        if round % 10 == 0 {
          let checked = try server.server.run(["check"])
          #expect(checked.status == .code(0), "\(checked.output)\(checked.error)")
        }
        for table in FactTables.all + ["facts"] { try database.execute("DELETE FROM \(table)") }
      }
      #expect(expected?["accounts"]?.count == 1)
      #expect(expected?["settlements"]?.count == 4)
      #expect(expected?["storekit_transactions"]?.count == 4)
      #expect(expected?["referrals"]?.count == 2)
      #expect(expected?["deleted_accounts"]?.count == 1)
    }
  }
}
