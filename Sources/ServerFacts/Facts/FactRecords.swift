import AnalyticsContract

/// What is kept of an account.
public struct AccountRecord: Sendable, Equatable {
  /// When it was created; `nil` until that is stated.
  public var createdAt: Instant?

  /// - Parameter createdAt: when it was created.
  public init(createdAt: Instant? = nil) { self.createdAt = createdAt }
}

/// What is kept of a deleted account.
public struct TombstoneRecord: Sendable, Equatable {
  /// When the deletion was received.
  public var deletedAt: Instant
  /// When it was created; `nil` until that is stated.
  public var createdAt: Instant?

  /// - Parameters:
  ///   - deletedAt: when the deletion was received.
  ///   - createdAt: when it was created.
  public init(deletedAt: Instant, createdAt: Instant?) {
    self.deletedAt = deletedAt
    self.createdAt = createdAt
  }
}

/// What is kept of an access token: all of it once it was issued, or its revocation alone.
public struct SessionRecord: Sendable, Equatable {
  /// Whose it is.
  public var account: UUIDValue?
  /// Until when it is good.
  public var expiresAt: Instant?
  /// Since when it is not.
  public var revokedAt: Instant?

  /// - Parameters:
  ///   - account: whose it is.
  ///   - expiresAt: until when it is good.
  ///   - revokedAt: since when it is not.
  public init(account: UUIDValue? = nil, expiresAt: Instant? = nil, revokedAt: Instant? = nil) {
    self.account = account
    self.expiresAt = expiresAt
    self.revokedAt = revokedAt
  }
}

/// What is kept of a settlement.
public struct SettlementRecord: Sendable, Equatable {
  /// Who consumed the credits; `nil` once the account is deleted.
  public var account: UUIDValue?
  /// When.
  public var settledAt: Instant
  /// What for.
  public var feature: Feature
  /// How many.
  public var credits: Int64

  /// - Parameters:
  ///   - account: who consumed the credits.
  ///   - settledAt: when.
  ///   - feature: what for.
  ///   - credits: how many.
  public init(account: UUIDValue?, settledAt: Instant, feature: Feature, credits: Int64) {
    self.account = account
    self.settledAt = settledAt
    self.feature = feature
    self.credits = credits
  }
}

/// What is kept of a referral code: all of it once it was issued, or its revocation alone.
public struct ReferralCodeRecord: Sendable, Equatable {
  /// Who invites with it.
  public var account: UUIDValue?
  /// Since when.
  public var issuedAt: Instant?
  /// Until when.
  public var revokedAt: Instant?

  /// - Parameters:
  ///   - account: who invites with it.
  ///   - issuedAt: since when.
  ///   - revokedAt: until when.
  public init(account: UUIDValue? = nil, issuedAt: Instant? = nil, revokedAt: Instant? = nil) {
    self.account = account
    self.issuedAt = issuedAt
    self.revokedAt = revokedAt
  }
}

/// What is kept of a referral: its steps, in whatever order they are stated.
public struct ReferralRecord: Sendable, Equatable {
  /// Who invited; `nil` before that is stated and once the account is deleted.
  public var inviter: UUIDValue?
  /// Who was invited; `nil` before that is stated and once the account is deleted.
  public var invitee: UUIDValue?
  /// When the invitation was accepted.
  public var boundAt: Instant?
  /// When the invited one did what the reward is for.
  public var qualifiedAt: Instant?
  /// When the reward was given.
  public var rewardedAt: Instant?
  /// The reward.
  public var credits: Int64?

  /// Nothing yet.
  public init() {}
}

/// The rows of one table that a batch of facts may change: those that are stored, and what becomes of them.
public struct LedgerTable<Key: Hashable & Sendable, Record: Equatable & Sendable>: Sendable {
  private var rows: [Key: Record] = [:]
  private var changedKeys: Set<Key> = []

  /// No rows.
  public init() {}

  /// Takes a row as it is stored.
  public mutating func load(_ key: Key, _ record: Record) { rows[key] = record }

  /// The row; setting it to another value is a change, and to `nil` takes back what was not stored yet.
  public subscript(key: Key) -> Record? {
    get { rows[key] }
    set {
      guard newValue != rows[key] else { return }
      rows[key] = newValue
      if newValue == nil { changedKeys.remove(key) } else { changedKeys.insert(key) }
    }
  }

  /// The rows to write.
  public var changes: [(key: Key, record: Record)] {
    changedKeys.compactMap { key in rows[key].map { (key, $0) } }
  }

  /// Changes all rows, with `nil` to take one away.
  mutating func update(_ change: (Record) -> Record?) {
    for (key, record) in rows { self[key] = change(record) }
  }
}
