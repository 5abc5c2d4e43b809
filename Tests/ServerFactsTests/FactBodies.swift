import AnalyticsContract
import Ingestion
import ServerFacts
import Testing

private let noon = Instant(iso8601: "2026-11-30T12:00:00Z")!
private let uuid = "6513270e-269e-4d37-b2a7-4de452e6b438"
private let digest = String(repeating: "0a", count: 32)

/// The members of each type, with good values.
private let values: [WireMember: String] = [
  .accountId: "\"\(uuid)\"", .tokenDigest: "\"\(digest)\"", .expiresAt: "\"2026-12-30T12:00:00Z\"",
  .settlementId: "\"\(uuid)\"", .feature: "\"POLISH\"", .credits: "5", .signedTransaction: "\"a.b.c\"",
  .codeDigest: "\"\(digest)\"", .referralId: "\"\(uuid)\"", .inviterAccountId: "\"\(uuid)\"",
  .inviteeAccountId: "\"\(uuid)\"",
]

private let purchase = StoreKitTransaction(
  transactionID: "1", originalTransactionID: "1", productID: "pro", type: .consumable, quantity: 1, purchasedAt: noon,
  price: nil, currency: nil, refundedAt: nil, environment: .production, storefront: nil, account: nil)

private func decode(_ body: String) -> Result<[Fact], BatchRejection> {
  let decoder = FactDecoder(at: noon) { (text) throws(StoreKitRefusal) in
    if text.elementsEqual("a.b.c".utf8) { return purchase }
    throw .malformed
  }
  return Result { () throws(BatchRejection) in try decoder.decode(Array(body.utf8)) }
}

/// A fact's members as JSON, with some left out, changed or added.
private func fact(
  _ type: FactType, _ changes: [WireMember: String] = [:], without missing: WireMember? = nil, more: String = ""
) -> String {
  var members: [WireMember: String] = [
    .factId: "\"\(uuid)\"", .type: "\"\(type.wireName)\"", .occurredAt: "\"2026-11-30T10:00:00Z\"",
  ]
  for member in type.members { members[member] = values[member]! }
  for (member, value) in changes { members[member] = value }
  if let missing { members[missing] = nil }
  let texts = members.map { "\"\($0.key.wireName)\":\($0.value)" }.sorted()
  return "{\(texts.joined(separator: ","))\(more)}"
}

private func violations(_ facts: String...) -> [String] {
  switch decode("{\"facts\":[\(facts.joined(separator: ","))]}") {
  case .success: []
  case .failure(let rejection): rejection.violations.map { "\($0.path) \($0.rule.rawValue)" }
  }
}

/// Bodies of facts are read as strictly as batches.
@Suite struct FactBodies {
  @Test(arguments: FactType.allCases) func ofEveryTypeAreRead(_ type: FactType) throws {
    let facts = try decode("{\"facts\":[\(fact(type))]}").get()
    #expect(facts.count == 1)
    #expect(facts[0].kind.type == type)
    #expect(facts[0].id == UUIDValue(text: uuid))
    #expect(facts[0].occurredAt == Instant(iso8601: "2026-11-30T10:00:00Z"))
  }

  @Test(arguments: FactType.allCases) func needEveryMemberOfTheType(_ type: FactType) {
    for member in type.members {
      #expect(violations(fact(type, without: member)) == ["/facts/0/\(member.wireName) required"])
      // No member is optional, so null is a value of the wrong type.
      for wrong in ["null", "true", "[]", "{}", member == .credits ? "\"1\"" : "1"] {
        #expect(violations(fact(type, [member: wrong])) == ["/facts/0/\(member.wireName) wrong_type"])
      }
    }
    for member in [WireMember.factId, .type, .occurredAt] {
      #expect(violations(fact(type, without: member)) == ["/facts/0/\(member.wireName) missing_member"])
    }
  }

  @Test(arguments: FactType.allCases) func haveNoMemberOfAnotherType(_ type: FactType) {
    for (member, value) in values where !type.members.contains(member) {
      #expect(violations(fact(type, [member: value])) == ["/facts/0/\(member.wireName) not_allowed"])
    }
    #expect(violations(fact(type, more: ",\"surprise\":1")) == ["/facts/0 unknown_member"])
    #expect(violations(fact(type, more: ",\"installationId\":\"\(uuid)\"")) == ["/facts/0 unknown_member"])
    #expect(violations(fact(type, more: ",\"factId\":\"\(uuid)\"")) == ["/facts/0/factId duplicate_member"])
  }

  @Test(arguments: [
    (WireMember.accountId, "\"6513270e\"", "uuid"), (.accountId, "\"00000000-0000-0000-0000-000000000000\"", "uuid"),
    (.settlementId, "\"\"", "uuid"), (.factId, "\"x\"", "uuid"), (.feature, "\"polish\"", "unknown_value"),
    (.credits, "0", "out_of_range"), (.credits, "-1", "out_of_range"), (.credits, "1000000001", "out_of_range"),
    (.credits, "99999999999999999999", "out_of_range"), (.credits, "1.0", "wrong_type"),
    (.credits, "1e2", "wrong_type"),
    (.type, "\"ACCOUNT\"", "unknown_value"), (.occurredAt, "\"2026-11-30\"", "timestamp"),
    (.occurredAt, "\"2026-11-30T12:05:00.000001Z\"", "in_future"),
  ]) func haveValuesOfTheContract(_ member: WireMember, _ value: String, _ rule: String) {
    let found = violations(fact(.creditsSettled, [member: value]))
    #expect(found == ["/facts/0/\(member.wireName) \(rule)"])
  }

  @Test(arguments: [String(repeating: "0", count: 63), String(repeating: "0", count: 65), digest.dropLast() + "g", ""])
  func haveDigestsOf64Digits(_ text: String) {
    #expect(violations(fact(.sessionRevoked, [.tokenDigest: "\"\(text)\""])) == ["/facts/0/tokenDigest digest"])
    #expect(violations(fact(.referralCodeRevoked, [.codeDigest: "\"\(text)\""])) == ["/facts/0/codeDigest digest"])
  }

  @Test func haveDigestsInEitherLetterCase() throws {
    let lower = try decode("{\"facts\":[\(fact(.sessionRevoked))]}").get()
    let upper = try decode("{\"facts\":[\(fact(.sessionRevoked, [.tokenDigest: "\"\(digest.uppercased())\""]))]}").get()
    #expect(lower[0].kind == upper[0].kind)
  }

  @Test(arguments: [
    WireMember.credits: ["1", "1000000000"], .occurredAt: ["\"2026-11-30T12:05:00Z\"", "\"1970-01-01T00:00:00Z\""],
  ])
  func haveValuesUpToTheLimits(_ member: WireMember, _ texts: [String]) {
    for text in texts { #expect(violations(fact(.creditsSettled, [member: text])).isEmpty) }
  }

  @Test func haveTransactionsThatAreVerified() {
    #expect(
      violations(fact(.storeKitTransaction, [.signedTransaction: "\"a.b.d\""])) == [
        "/facts/0/signedTransaction not_verified"
      ])
  }

  @Test func haveOneTo500Facts() throws {
    #expect(violations() == ["/facts item_count"])
    let one = fact(.accountCreated)
    #expect(try decode("{\"facts\":[\(Array(repeating: one, count: 500).joined(separator: ","))]}").get().count == 500)
    let many = Array(repeating: one, count: 501).joined(separator: ",")
    guard case .failure(let rejection) = decode("{\"facts\":[\(many)]}") else {
      Issue.record("501 facts were taken")
      return
    }
    #expect(rejection.code == .invalidRequest)
    #expect(rejection.violations.map(\.rule) == [.itemCount])
  }

  @Test(arguments: [
    "", "{", "[]x", "{\"facts\":[{}]}}", "\u{FEFF}{\"facts\":[]}", "{\"facts\":[1,]}", "nul",
    "{\"facts\":[\"\\ud800\"]}",
  ]) func areJSON(_ body: String) {
    guard case .failure(let rejection) = decode(body) else {
      Issue.record("taken")
      return
    }
    #expect(rejection.violations.map(\.rule) == [.invalidJSON])
    #expect(rejection.violations[0].path == "")
  }

  @Test(arguments: [
    ("[]", " wrong_type"), ("1", " wrong_type"), ("{}", "/facts missing_member"),
    ("{\"facts\":{}}", "/facts wrong_type"),
    ("{\"facts\":null}", "/facts wrong_type"), ("{\"facts\":[7]}", "/facts/0 wrong_type"),
  ]) func haveTheFormOfTheEndpoint(_ body: String, _ violation: String) {
    guard case .failure(let rejection) = decode(body) else {
      Issue.record("taken")
      return
    }
    #expect(rejection.code == .invalidRequest)
    #expect(rejection.violations.map { "\($0.path) \($0.rule.rawValue)" } == [violation])
  }

  /// The order of members is free, though the type decides what the others may be.
  @Test func haveMembersInAnyOrder() throws {
    let members = ["\"type\":\"ACCOUNT_CREATED\"", "\"factId\":\"\(uuid)\"", "\"accountId\":\"\(uuid)\""]
    let time = "\"occurredAt\":\"2026-11-30T10:00:00Z\""
    for first in members.indices {
      let order = members[first...] + [time] + members[..<first]
      #expect(try decode("{\"facts\":[{\(order.joined(separator: ","))}]}").get().count == 1)
    }
  }

  /// Cut short or with one byte changed, a body is refused or means facts, and nothing else happens.
  @Test func mayBeDamagedInAnyWay() {
    let body = Array("{\"facts\":[\(fact(.referralBound)),\(fact(.sessionIssued))]}".utf8)
    let decoder = FactDecoder(at: noon) { (_) throws(StoreKitRefusal) in throw .malformed }
    for length in body.indices {
      #expect(throws: BatchRejection.self) { try decoder.decode(Array(body[..<length])) }
    }
    for position in body.indices {
      for byte: UInt8 in [0, 0x22, 0x2C, 0x5B, 0x5C, 0x7B, 0x7D, 0x80, 0xFF] {
        var changed = body
        changed[position] = byte
        if let facts = try? decoder.decode(changed) { #expect(facts.count == 2) }
      }
    }
  }

  @Test func neverShowWhatTheyHold() throws {
    let facts = try FactType.allCases.flatMap { try decode("{\"facts\":[\(fact($0))]}").get() }
    for fact in facts {
      var dump = ""
      Swift.dump(fact, to: &dump)
      #expect(!"\(fact) \(fact.kind) \(dump)".lowercased().contains("6513270e"))
    }
  }
}
