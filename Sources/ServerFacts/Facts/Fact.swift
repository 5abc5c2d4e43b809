import AnalyticsContract

/// Something that the account server states. It happened once, and stating it again changes nothing.
public struct Fact: Sendable, Redacted {
  /// The idempotency key.
  public let id: UUIDValue
  /// When it happened.
  public let occurredAt: Instant
  /// What happened.
  public let kind: FactKind

  /// - Parameters:
  ///   - id: the idempotency key.
  ///   - occurredAt: when it happened.
  ///   - kind: what happened.
  public init(id: UUIDValue, occurredAt: Instant, kind: FactKind) {
    self.id = id
    self.occurredAt = occurredAt
    self.kind = kind
  }
}

/// What happened, with the values that belong to it.
public enum FactKind: Sendable, Hashable, Redacted {
  /// The account exists since then.
  case accountCreated(account: UUIDValue)
  /// The account is gone.
  case accountDeleted(account: UUIDValue)
  /// The digest of an access token stands for the account until it expires.
  case sessionIssued(account: UUIDValue, token: Digest, expiresAt: Instant)
  /// The access token is no longer good.
  case sessionRevoked(token: Digest)
  /// The account consumed credits, 1 to 1,000,000,000.
  case creditsSettled(account: UUIDValue, settlement: UUIDValue, feature: Feature, credits: Int64)
  /// A verified purchase or refund.
  case storeKitTransaction(StoreKitTransaction)
  /// The digest of a referral code stands for the account that invites with it.
  case referralCodeIssued(account: UUIDValue, code: Digest)
  /// The code is no longer good.
  case referralCodeRevoked(code: Digest)
  /// One account accepted the invitation of another.
  case referralBound(referral: UUIDValue, inviter: UUIDValue, invitee: UUIDValue)
  /// The referral counts.
  case referralQualified(referral: UUIDValue)
  /// The inviter got credits, 1 to 1,000,000,000.
  case referralRewarded(referral: UUIDValue, credits: Int64)

  /// The type.
  public var type: FactType {
    switch self {
    case .accountCreated: .accountCreated
    case .accountDeleted: .accountDeleted
    case .sessionIssued: .sessionIssued
    case .sessionRevoked: .sessionRevoked
    case .creditsSettled: .creditsSettled
    case .storeKitTransaction: .storeKitTransaction
    case .referralCodeIssued: .referralCodeIssued
    case .referralCodeRevoked: .referralCodeRevoked
    case .referralBound: .referralBound
    case .referralQualified: .referralQualified
    case .referralRewarded: .referralRewarded
    }
  }
}

/// Bounds of the facts.
public enum FactLimits {
  /// The most facts in a request; the fewest is 1.
  public static let maximumFacts = 500
  /// The largest request body in bytes, after inflating.
  public static let maximumBodyBytes = 4 << 20
  /// The credits of one settlement or reward.
  public static let credits: ClosedRange<Int64> = 1...1_000_000_000
  /// How long a fact id and the tombstone of an account are remembered, in days.
  public static let memoryDays: Int32 = 90
}

// MARK: - Equality of what was stated

extension Fact {
  /// The digest of all values: what tells a repeated fact from another one under the same id.
  public var valuesDigest: Digest {
    var values = ValueBytes()
    values.append(id)
    values.append(Int64(kind.type.code))
    values.append(occurredAt.microseconds)
    switch kind {
    case .accountCreated(let account), .accountDeleted(let account): values.append(account)
    case .sessionIssued(let account, let token, let expiresAt):
      values.append(account)
      values.append(token)
      values.append(expiresAt.microseconds)
    case .sessionRevoked(let digest), .referralCodeRevoked(let digest): values.append(digest)
    case .creditsSettled(let account, let settlement, let feature, let credits):
      values.append(account)
      values.append(settlement)
      values.append(Int64(feature.code))
      values.append(credits)
    case .storeKitTransaction(let transaction): values.append(transaction)
    case .referralCodeIssued(let account, let code):
      values.append(account)
      values.append(code)
    case .referralBound(let referral, let inviter, let invitee):
      values.append(referral)
      values.append(inviter)
      values.append(invitee)
    case .referralQualified(let referral): values.append(referral)
    case .referralRewarded(let referral, let credits):
      values.append(referral)
      values.append(credits)
    }
    return values.digest
  }
}

/// Values one after the other, each with a length that is known or written before it, so that no two lists of values
/// give the same bytes.
private struct ValueBytes {
  private var bytes: [UInt8] = []

  var digest: Digest { bytes.withUnsafeBytes { Digest(hashing: $0) } }

  mutating func append(_ value: Int64) {
    withUnsafeBytes(of: value.bigEndian) { bytes.append(contentsOf: $0) }
  }

  mutating func append(_ value: UUIDValue) { bytes.append(contentsOf: value.bytes) }

  mutating func append(_ value: Digest) { value.withUnsafeBytes { bytes.append(contentsOf: $0) } }

  mutating func append(_ value: Int64?) {
    append(Int64(value == nil ? 0 : 1))
    append(value ?? 0)
  }

  mutating func append(_ value: String?) {
    append(Int64(value?.utf8.count ?? -1))
    bytes.append(contentsOf: (value ?? "").utf8)
  }

  mutating func append(_ transaction: StoreKitTransaction) {
    append(transaction.transactionID)
    append(transaction.originalTransactionID)
    append(transaction.account ?? UUIDValue(high: 0, low: 0))
    append(transaction.productID)
    append(Int64(transaction.type.rawValue))
    append(Int64(transaction.quantity))
    append(transaction.purchasedAt.microseconds)
    append(transaction.price)
    append(transaction.currency)
    append(transaction.refundedAt?.microseconds)
    append(Int64(transaction.environment.rawValue))
    append(transaction.storefront)
  }
}
