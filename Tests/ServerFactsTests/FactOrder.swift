import AnalyticsContract
import ServerFacts
import TestSupport
import Testing

private let noon = Instant(iso8601: "2026-11-30T12:00:00Z")!

private func id(_ number: UInt64) -> UUIDValue { UUIDValue(high: 1, low: number) }

private func digest(_ text: String) -> Digest { Digest(hashing: text) }

private func transaction(
  _ id: String = "t1", account: UUIDValue? = nil, refundedAt: Instant? = nil, price: Int64? = 12_990
) -> StoreKitTransaction {
  StoreKitTransaction(
    transactionID: id, originalTransactionID: "t0", productID: "pro", type: .consumable, quantity: 1, purchasedAt: noon,
    price: price, currency: "USD", refundedAt: refundedAt, environment: .production, storefront: "USA", account: account
  )
}

/// A database that does what a store does with a ledger: loads what facts are about, and keeps what changed.
private struct PlainStore {
  var facts: [UUIDValue: Digest] = [:]
  var accounts: [UUIDValue: AccountRecord] = [:]
  var tombstones: [Digest: TombstoneRecord] = [:]
  var sessions: [Digest: SessionRecord] = [:]
  var settlements: [UUIDValue: SettlementRecord] = [:]
  var transactions: [String: StoreKitTransaction] = [:]
  var codes: [Digest: ReferralCodeRecord] = [:]
  var referrals: [UUIDValue: ReferralRecord] = [:]
  var deletedRegistrations: [CalendarDay: Int64] = [:]

  /// - Returns: how many were new.
  mutating func state(_ batch: [Fact]) throws(FactConflict) -> Int {
    var ledger = FactLedger(at: noon)
    let keys = FactLedger.Keys(of: batch)
    for key in keys.facts { if let row = facts[key] { ledger.facts.load(key, row) } }
    for key in keys.accounts {
      if let row = accounts[key] { ledger.accounts.load(key, row) }
      if let row = tombstones[key.accountDigest] { ledger.tombstones.load(key.accountDigest, row) }
    }
    for key in keys.sessions { if let row = sessions[key] { ledger.sessions.load(key, row) } }
    for key in keys.settlements { if let row = settlements[key] { ledger.settlements.load(key, row) } }
    for key in keys.transactions { if let row = transactions[key] { ledger.transactions.load(key, row) } }
    for key in keys.codes { if let row = codes[key] { ledger.codes.load(key, row) } }
    for key in keys.referrals { if let row = referrals[key] { ledger.referrals.load(key, row) } }
    var accepted = 0
    for fact in batch where try ledger.apply(fact) { accepted += 1 }
    for account in ledger.deletedAccounts { erase(account) }
    for (key, row) in ledger.facts.changes { facts[key] = row }
    for (key, row) in ledger.accounts.changes { accounts[key] = row }
    for (key, row) in ledger.tombstones.changes { tombstones[key] = row }
    for (key, row) in ledger.sessions.changes { sessions[key] = row }
    for (key, row) in ledger.settlements.changes { settlements[key] = row }
    for (key, row) in ledger.transactions.changes { transactions[key] = row }
    for (key, row) in ledger.codes.changes { codes[key] = row }
    for (key, row) in ledger.referrals.changes { referrals[key] = row }
    deletedRegistrations.merge(ledger.deletedRegistrations, uniquingKeysWith: +)
    return accepted
  }

  private mutating func erase(_ account: UUIDValue) {
    accounts[account] = nil
    for (key, row) in sessions where row.account == account {
      sessions[key] = row.revokedAt.map { SessionRecord(revokedAt: $0) }
    }
    for (key, row) in codes where row.account == account {
      codes[key] = row.revokedAt.map { ReferralCodeRecord(revokedAt: $0) }
    }
    for key in settlements.keys where settlements[key]!.account == account { settlements[key]!.account = nil }
    for key in transactions.keys where transactions[key]!.account == account { transactions[key]!.account = nil }
    for key in referrals.keys {
      if referrals[key]!.inviter == account { referrals[key]!.inviter = nil }
      if referrals[key]!.invitee == account { referrals[key]!.invitee = nil }
    }
  }

  /// Everything but the ids of facts, in a form that can be compared.
  var contents: [String] {
    func lines<Key: Hashable, Row>(_ name: String, _ rows: [Key: Row], _ text: (Key, Row) -> String) -> [String] {
      rows.map { "\(name) \(text($0.key, $0.value))" }.sorted()
    }
    func text(_ value: UUIDValue?) -> String { value?.text() ?? "-" }
    func text(_ value: Instant?) -> String { value?.description ?? "-" }
    func text(_ value: Digest) -> String {
      value.withUnsafeBytes { $0.prefix(8).map { "\($0)" }.joined(separator: ".") }
    }
    return lines("account", accounts) { text($0) + text($1.createdAt) }
      + lines("tombstone", tombstones) { text($0) + text($1.createdAt) }
      + lines("session", sessions) { text($0) + text($1.account) + text($1.expiresAt) + text($1.revokedAt) }
      + lines("settlement", settlements) { text($0) + text($1.account) + text($1.settledAt) + "\($1.credits)" }
      + lines("transaction", transactions) { $0 + text($1.account) + text($1.refundedAt) }
      + lines("code", codes) { text($0) + text($1.account) + text($1.issuedAt) + text($1.revokedAt) }
      + lines("referral", referrals) { key, row in
        text(key) + text(row.inviter) + text(row.invitee) + text(row.boundAt) + text(row.qualifiedAt)
          + text(row.rewardedAt) + "\(row.credits ?? 0)"
      } + lines("registrations", deletedRegistrations) { "\($0) \($1)" }
      + ["facts \(facts.count)"]
  }
}

/// Whatever order facts come in, and however they are cut into requests, the same is stored.
@Suite struct FactOrder {
  private static let account = id(1)
  private static let other = id(2)

  private static func fact(_ number: UInt64, _ kind: FactKind, hoursLater hours: Int64 = 0) -> Fact {
    Fact(id: id(100 + number), occurredAt: noon.advanced(bySeconds: hours * 3600), kind: kind)
  }

  /// Small sets, each about one thing, with the deletion of an account among them.
  private static let sets: [[Fact]] = [
    [
      fact(1, .accountCreated(account: account)), fact(2, .accountDeleted(account: account), hoursLater: 1),
      fact(3, .accountCreated(account: account)), fact(4, .accountDeleted(account: account), hoursLater: 2),
    ],
    [
      fact(1, .sessionIssued(account: account, token: digest("s"), expiresAt: noon)),
      fact(2, .sessionRevoked(token: digest("s")), hoursLater: 2),
      fact(3, .sessionRevoked(token: digest("s")), hoursLater: 1), fact(4, .accountDeleted(account: account)),
      fact(5, .sessionIssued(account: account, token: digest("s"), expiresAt: noon), hoursLater: 3),
    ],
    [
      fact(1, .sessionIssued(account: account, token: digest("s"), expiresAt: noon)),
      fact(2, .sessionIssued(account: other, token: digest("o"), expiresAt: noon)),
      fact(3, .sessionRevoked(token: digest("o"))), fact(4, .accountDeleted(account: account)),
    ],
    [
      fact(1, .referralCodeIssued(account: account, code: digest("c"))),
      fact(2, .referralCodeRevoked(code: digest("c")), hoursLater: 1), fact(3, .accountDeleted(account: account)),
      fact(4, .referralCodeIssued(account: other, code: digest("d"))),
      fact(5, .referralCodeRevoked(code: digest("e"))),
    ],
    [
      fact(1, .creditsSettled(account: account, settlement: id(9), feature: .polish, credits: 5)),
      fact(2, .creditsSettled(account: account, settlement: id(9), feature: .polish, credits: 5)),
      fact(3, .creditsSettled(account: other, settlement: id(8), feature: .agent, credits: 7)),
      fact(4, .accountDeleted(account: account)), fact(5, .accountCreated(account: account)),
    ],
    [
      fact(1, .storeKitTransaction(transaction(account: account))),
      fact(2, .storeKitTransaction(transaction(account: account, refundedAt: noon))),
      fact(3, .storeKitTransaction(transaction("t2"))), fact(4, .accountDeleted(account: account)),
      fact(5, .storeKitTransaction(transaction(account: account))),
    ],
    [
      fact(1, .referralBound(referral: id(7), inviter: account, invitee: other)),
      fact(2, .referralQualified(referral: id(7)), hoursLater: 1),
      fact(3, .referralRewarded(referral: id(7), credits: 50), hoursLater: 2),
      fact(4, .accountDeleted(account: account)), fact(5, .accountDeleted(account: other)),
    ],
  ]

  @Test(arguments: sets.indices) func isIrrelevantOneByOne(_ index: Int) throws {
    var expected: [String]?
    for permutation in permutations(of: Self.sets[index]) {
      var store = PlainStore()
      for fact in permutation { _ = try store.state([fact]) }
      #expect(expected == nil || store.contents == expected)
      expected = expected ?? store.contents
    }
  }

  @Test(arguments: sets.indices) func isIrrelevantInOneRequestAndInTwo(_ index: Int) throws {
    var expected = PlainStore()
    for fact in Self.sets[index] { _ = try expected.state([fact]) }
    for permutation in permutations(of: Self.sets[index]) {
      for cut in 0..<permutation.count {
        var store = PlainStore()
        if cut > 0 { _ = try store.state(Array(permutation[..<cut])) }
        _ = try store.state(Array(permutation[cut...]))
        #expect(store.contents == expected.contents)
      }
    }
  }

  @Test func isIrrelevantForAllSetsAtOnce() throws {
    let all = Self.sets.enumerated().flatMap { index, facts in
      facts.map { Fact(id: id($0.id.low + UInt64(index) * 1000), occurredAt: $0.occurredAt, kind: $0.kind) }
    }
    var generator = SeededGenerator(seed: "fact order")
    var expected: [String]?
    for _ in 0..<200 {
      var store = PlainStore()
      var rest = all.shuffled(using: &generator)[...]
      while !rest.isEmpty {
        let batch = rest.prefix(Int.random(in: 1...9, using: &generator))
        rest = rest.dropFirst(batch.count)
        _ = try store.state(Array(batch))
      }
      #expect(expected == nil || store.contents == expected)
      expected = expected ?? store.contents
    }
  }

  /// Heap's algorithm.
  private func permutations(of facts: [Fact]) -> [[Fact]] {
    var result: [[Fact]] = []
    var list = facts
    func permute(_ count: Int) {
      if count <= 1 { return result.append(list) }
      for position in 0..<count {
        permute(count - 1)
        list.swapAt(count % 2 == 0 ? position : 0, count - 1)
      }
    }
    permute(list.count)
    return result
  }
}

/// What is stated again, and what contradicts.
@Suite struct FactRepetition {
  private static let account = id(1)

  /// For each kind with a natural key: a fact, and others under another id that contradict it.
  private static let contradictions: [(FactKind, [FactKind])] = [
    (
      .sessionIssued(account: account, token: digest("s"), expiresAt: noon),
      [
        .sessionIssued(account: id(2), token: digest("s"), expiresAt: noon),
        .sessionIssued(account: account, token: digest("s"), expiresAt: noon.advanced(bySeconds: 1)),
      ]
    ),
    (
      .creditsSettled(account: account, settlement: id(9), feature: .polish, credits: 5),
      [
        .creditsSettled(account: id(2), settlement: id(9), feature: .polish, credits: 5),
        .creditsSettled(account: account, settlement: id(9), feature: .agent, credits: 5),
        .creditsSettled(account: account, settlement: id(9), feature: .polish, credits: 6),
      ]
    ),
    (
      .storeKitTransaction(transaction(account: account, refundedAt: noon)),
      [
        .storeKitTransaction(transaction(account: id(2))),
        .storeKitTransaction(transaction(account: account, price: 1)),
        .storeKitTransaction(transaction(account: account, refundedAt: noon.advanced(bySeconds: 1))),
      ]
    ),
    (
      .referralCodeIssued(account: account, code: digest("c")),
      [.referralCodeIssued(account: id(2), code: digest("c"))]
    ),
    (
      .referralBound(referral: id(7), inviter: account, invitee: id(2)),
      [
        .referralBound(referral: id(7), inviter: id(2), invitee: account),
        .referralBound(referral: id(7), inviter: account, invitee: id(3)),
      ]
    ),
    (.referralRewarded(referral: id(7), credits: 5), [.referralRewarded(referral: id(7), credits: 6)]),
  ]

  @Test(arguments: contradictions.indices) func underAnotherIDIsAReplayOrAContradiction(_ index: Int) throws {
    let (kind, others) = Self.contradictions[index]
    var store = PlainStore()
    #expect(try store.state([Fact(id: id(1), occurredAt: noon, kind: kind)]) == 1)
    let contents = store.contents.dropLast()
    #expect(try store.state([Fact(id: id(2), occurredAt: noon, kind: kind)]) == 0)
    #expect(store.contents.dropLast() == contents)
    for other in others {
      let untouched = store.contents
      #expect(throws: FactConflict.self) { try store.state([Fact(id: id(3), occurredAt: noon, kind: other)]) }
      #expect(throws: FactConflict.self) {
        try store.state([
          Fact(id: id(4), occurredAt: noon, kind: .accountCreated(account: id(77))),
          Fact(id: id(3), occurredAt: noon, kind: other),
        ])
      }
      #expect(store.contents == untouched)
    }
  }

  @Test(arguments: contradictions.indices) func underTheSameIDIsComparedInEveryValue(_ index: Int) throws {
    let (kind, others) = Self.contradictions[index]
    var store = PlainStore()
    #expect(try store.state([Fact(id: id(1), occurredAt: noon, kind: kind)]) == 1)
    #expect(try store.state([Fact(id: id(1), occurredAt: noon, kind: kind)]) == 0)
    let changed = others.map { Fact(id: id(1), occurredAt: noon, kind: $0) }
    for fact in changed + [Fact(id: id(1), occurredAt: noon.advanced(bySeconds: 1), kind: kind)] {
      #expect(throws: FactConflict.self) { try store.state([fact]) }
    }
  }

  @Test func anAccountIsCreatedOnce() throws {
    var store = PlainStore()
    func created(_ number: UInt64, at instant: Instant) throws -> Int {
      try store.state([Fact(id: id(number), occurredAt: instant, kind: .accountCreated(account: Self.account))])
    }
    #expect(try created(1, at: noon) == 1)
    #expect(try created(2, at: noon) == 0)
    #expect(throws: FactConflict.self) { try created(3, at: noon.advanced(bySeconds: 1)) }
    // Also once it is deleted, when the day's registrations must not be counted again.
    #expect(try store.state([Fact(id: id(4), occurredAt: noon, kind: .accountDeleted(account: Self.account))]) == 1)
    #expect(try created(5, at: noon) == 0)
    #expect(throws: FactConflict.self) { try created(6, at: noon.advanced(bySeconds: 1)) }
    #expect(store.deletedRegistrations == [noon.day: 1])
  }

  @Test func aRefundIsNoContradiction() throws {
    var store = PlainStore()
    func state(_ number: UInt64, _ transaction: StoreKitTransaction) throws -> Int {
      try store.state([Fact(id: id(number), occurredAt: noon, kind: .storeKitTransaction(transaction))])
    }
    #expect(try state(1, transaction()) == 1)
    #expect(try state(2, transaction(refundedAt: noon)) == 1)
    #expect(try state(3, transaction(refundedAt: noon)) == 0)
    #expect(try state(4, transaction()) == 0)
    #expect(store.transactions["t1"]?.refundedAt == noon)
  }
}
