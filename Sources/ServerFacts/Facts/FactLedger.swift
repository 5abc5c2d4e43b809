import AnalyticsContract

/// A fact contradicts what is known.
public struct FactConflict: Error {}

/// Judges facts against what is stored, and says what is to be stored. A pure value, so that both databases follow the
/// same rules: a store loads the rows that ``Keys`` names, applies the facts, and writes what changed.
///
/// The rules make the order of facts irrelevant: whatever order a set of facts comes in, the same is stored in the end.
/// So a fact that knows more fills in what another one left open, a deletion leaves what a later fact would have found,
/// and of two revocations the earlier counts.
public struct FactLedger: Sendable {
  /// Fact ids, with the digest of what was stated under each.
  public var facts = LedgerTable<UUIDValue, Digest>()
  /// Accounts, by their id.
  public var accounts = LedgerTable<UUIDValue, AccountRecord>()
  /// Deleted accounts, by the digest of their id.
  public var tombstones = LedgerTable<Digest, TombstoneRecord>()
  /// Sessions, by the digest of their token.
  public var sessions = LedgerTable<Digest, SessionRecord>()
  /// Settlements, by their id.
  public var settlements = LedgerTable<UUIDValue, SettlementRecord>()
  /// Verified transactions, by their id.
  public var transactions = LedgerTable<String, StoreKitTransaction>()
  /// Referral codes, by their digest.
  public var codes = LedgerTable<Digest, ReferralCodeRecord>()
  /// Referrals, by their id.
  public var referrals = LedgerTable<UUIDValue, ReferralRecord>()
  /// Accounts to erase before anything else is written.
  public private(set) var deletedAccounts: [UUIDValue] = []
  /// Registrations of accounts that were deleted, to add to those of their day.
  public private(set) var deletedRegistrations: [CalendarDay: Int64] = [:]

  private let now: Instant

  /// - Parameter now: the server's clock.
  public init(at now: Instant) { self.now = now }

  /// Applies a fact.
  /// - Parameter fact: the fact.
  /// - Returns: whether it is new; `false` where it was stated before.
  /// - Throws: ``FactConflict`` where it contradicts what is known.
  public mutating func apply(_ fact: Fact) throws(FactConflict) -> Bool {
    let digest = fact.valuesDigest
    if let known = facts[fact.id] {
      if known == digest { return false }
      throw FactConflict()
    }
    let isNew = try apply(fact.kind, at: fact.occurredAt)
    facts[fact.id] = digest
    return isNew
  }

  private mutating func apply(_ kind: FactKind, at instant: Instant) throws(FactConflict) -> Bool {
    switch kind {
    case .accountCreated(let account): return try create(account, at: instant)
    case .accountDeleted(let account): return delete(account)
    case .sessionIssued(let account, let token, let expiresAt):
      return try issue(session: token, of: account, until: expiresAt)
    case .sessionRevoked(let token):
      var session = sessions[token] ?? SessionRecord()
      session.revokedAt = min(session.revokedAt ?? instant, instant)
      sessions[token] = session
      return true
    case .creditsSettled(let account, let settlement, let feature, let credits):
      return try settle(
        settlement,
        SettlementRecord(account: reference(account), settledAt: instant, feature: feature, credits: credits))
    case .storeKitTransaction(let transaction): return try record(transaction)
    case .referralCodeIssued(let account, let code): return try issue(code: code, of: account, at: instant)
    case .referralCodeRevoked(let code):
      var row = codes[code] ?? ReferralCodeRecord()
      row.revokedAt = min(row.revokedAt ?? instant, instant)
      codes[code] = row
      return true
    case .referralBound(let referral, let inviter, let invitee):
      return try bind(referral, inviter, invitee, at: instant)
    case .referralQualified(let referral): return try qualify(referral, at: instant)
    case .referralRewarded(let referral, let credits): return try reward(referral, credits, at: instant)
    }
  }
}

// MARK: - Accounts

extension FactLedger {
  /// What to store for an account that a fact names: its row is made where it is not known yet, and a deleted one stays
  /// unnamed.
  private mutating func reference(_ account: UUIDValue) -> UUIDValue? {
    if tombstones[account.accountDigest] != nil { return nil }
    if accounts[account] == nil { accounts[account] = AccountRecord() }
    return account
  }

  private mutating func create(_ account: UUIDValue, at instant: Instant) throws(FactConflict) -> Bool {
    if var tombstone = tombstones[account.accountDigest] {
      guard try isNew(tombstone.createdAt, instant) else { return false }
      tombstone.createdAt = instant
      tombstones[account.accountDigest] = tombstone
      deletedRegistrations[instant.day, default: 0] += 1
      return true
    }
    guard try isNew(accounts[account]?.createdAt, instant) else { return false }
    accounts[account] = AccountRecord(createdAt: instant)
    return true
  }

  private mutating func delete(_ account: UUIDValue) -> Bool {
    if tombstones[account.accountDigest] == nil {
      let createdAt = accounts[account]?.createdAt
      tombstones[account.accountDigest] = TombstoneRecord(deletedAt: now, createdAt: createdAt)
      if let createdAt { deletedRegistrations[createdAt.day, default: 0] += 1 }
    }
    // Also where it is deleted already: whoever writes tables directly may have brought it back.
    deletedAccounts.append(account)
    accounts[account] = nil
    // What erasing does to the stored rows, done to those at hand.
    sessions.update { session in
      guard session.account == account else { return session }
      return session.revokedAt.map { SessionRecord(revokedAt: $0) }
    }
    codes.update { code in
      guard code.account == account else { return code }
      return code.revokedAt.map { ReferralCodeRecord(revokedAt: $0) }
    }
    settlements.update { settlement in
      var settlement = settlement
      if settlement.account == account { settlement.account = nil }
      return settlement
    }
    transactions.update { transaction in
      var transaction = transaction
      if transaction.account == account { transaction.account = nil }
      return transaction
    }
    referrals.update { referral in
      var referral = referral
      if referral.inviter == account { referral.inviter = nil }
      if referral.invitee == account { referral.invitee = nil }
      return referral
    }
    return true
  }

  /// Whether a value is stated for the first time.
  /// - Throws: ``FactConflict`` where another one was.
  private func isNew<Value: Equatable>(_ known: Value?, _ stated: Value) throws(FactConflict) -> Bool {
    guard let known else { return true }
    if known == stated { return false }
    throw FactConflict()
  }
}

extension UUIDValue {
  /// What a tombstone keeps of an account: the digest of the id's canonical text.
  public var accountDigest: Digest { Digest(hashing: text()) }
}

// MARK: - Everything else

extension FactLedger {
  private mutating func issue(
    session token: Digest, of account: UUIDValue, until expiresAt: Instant
  ) throws(FactConflict) -> Bool {
    guard let account = reference(account) else { return true }
    var session = sessions[token] ?? SessionRecord()
    let stated = SessionRecord(account: account, expiresAt: expiresAt, revokedAt: session.revokedAt)
    guard try isNew(session.account == nil ? nil : session, stated) else { return false }
    session = stated
    sessions[token] = session
    return true
  }

  private mutating func settle(_ id: UUIDValue, _ settlement: SettlementRecord) throws(FactConflict) -> Bool {
    guard try isNew(settlements[id], settlement) else { return false }
    settlements[id] = settlement
    return true
  }

  /// A refund is a later statement of the same transaction, and may come before it.
  private mutating func record(_ stated: StoreKitTransaction) throws(FactConflict) -> Bool {
    var stated = stated
    if let account = stated.account { stated.account = reference(account) }
    guard var known = transactions[stated.transactionID] else {
      transactions[stated.transactionID] = stated
      return true
    }
    let refundedAt = known.refundedAt
    known.refundedAt = stated.refundedAt
    _ = try isNew(known, stated)
    guard let refund = stated.refundedAt, try isNew(refundedAt, refund) else { return false }
    transactions[stated.transactionID] = stated
    return true
  }

  private mutating func issue(
    code: Digest, of account: UUIDValue, at instant: Instant
  ) throws(FactConflict) -> Bool {
    guard let account = reference(account) else { return true }
    let known = codes[code]
    let stated = ReferralCodeRecord(account: account, issuedAt: instant, revokedAt: known?.revokedAt)
    guard try isNew(known?.issuedAt == nil ? nil : known, stated) else { return false }
    codes[code] = stated
    return true
  }

  private mutating func bind(
    _ id: UUIDValue, _ inviter: UUIDValue, _ invitee: UUIDValue, at instant: Instant
  ) throws(FactConflict) -> Bool {
    let known = referrals[id]
    var stated = known ?? ReferralRecord()
    stated.inviter = reference(inviter)
    stated.invitee = reference(invitee)
    stated.boundAt = instant
    guard try isNew(known?.boundAt == nil ? nil : known, stated) else { return false }
    referrals[id] = stated
    return true
  }

  private mutating func qualify(_ id: UUIDValue, at instant: Instant) throws(FactConflict) -> Bool {
    var referral = referrals[id] ?? ReferralRecord()
    guard try isNew(referral.qualifiedAt, instant) else { return false }
    referral.qualifiedAt = instant
    referrals[id] = referral
    return true
  }

  private mutating func reward(_ id: UUIDValue, _ credits: Int64, at instant: Instant) throws(FactConflict) -> Bool {
    let known = referrals[id]
    var stated = known ?? ReferralRecord()
    stated.rewardedAt = instant
    stated.credits = credits
    guard try isNew(known?.rewardedAt == nil ? nil : known, stated) else { return false }
    referrals[id] = stated
    return true
  }
}

// MARK: - What to load

extension FactLedger {
  /// The keys of the rows that some facts are about.
  public struct Keys: Sendable {
    /// Fact ids.
    public private(set) var facts: Set<UUIDValue> = []
    /// Accounts; the digests of their ids are the keys of tombstones.
    public private(set) var accounts: Set<UUIDValue> = []
    /// Digests of access tokens.
    public private(set) var sessions: Set<Digest> = []
    /// Settlements.
    public private(set) var settlements: Set<UUIDValue> = []
    /// Transactions.
    public private(set) var transactions: Set<String> = []
    /// Digests of referral codes.
    public private(set) var codes: Set<Digest> = []
    /// Referrals.
    public private(set) var referrals: Set<UUIDValue> = []

    /// - Parameter list: the facts.
    public init(of list: [Fact]) {
      for fact in list {
        facts.insert(fact.id)
        insert(fact.kind)
      }
    }

    private mutating func insert(_ kind: FactKind) {
      switch kind {
      case .accountCreated(let account), .accountDeleted(let account): accounts.insert(account)
      case .sessionIssued(let account, let token, _):
        accounts.insert(account)
        sessions.insert(token)
      case .sessionRevoked(let token): sessions.insert(token)
      case .creditsSettled(let account, let settlement, _, _):
        accounts.insert(account)
        settlements.insert(settlement)
      case .storeKitTransaction(let transaction):
        if let account = transaction.account { accounts.insert(account) }
        transactions.insert(transaction.transactionID)
      case .referralCodeIssued(let account, let code):
        accounts.insert(account)
        codes.insert(code)
      case .referralCodeRevoked(let code): codes.insert(code)
      case .referralBound(let referral, let inviter, let invitee):
        accounts.formUnion([inviter, invitee])
        referrals.insert(referral)
      case .referralQualified(let referral), .referralRewarded(let referral, _): referrals.insert(referral)
      }
    }
  }
}
