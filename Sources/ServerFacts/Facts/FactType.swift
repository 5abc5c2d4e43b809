import AnalyticsContract

/// What the account server can state. Codes are permanent: digests of stored facts are made with them.
public enum FactType: UInt8, CatalogValue {
  /// An account was created.
  case accountCreated = 1
  /// An account was deleted, and everything that names it goes.
  case accountDeleted = 2
  /// A person signed in.
  case sessionIssued = 3
  /// An access token is no longer good.
  case sessionRevoked = 4
  /// Credits were consumed by a managed AI operation.
  case creditsSettled = 5
  /// Something was bought, or refunded.
  case storeKitTransaction = 6
  /// An account got a code to invite others with.
  case referralCodeIssued = 7
  /// A code is no longer good.
  case referralCodeRevoked = 8
  /// Someone accepted an invitation.
  case referralBound = 9
  /// The invited one did what the reward is for.
  case referralQualified = 10
  /// The reward was given.
  case referralRewarded = 11

  /// The name on the wire, ASCII.
  public var wireName: StaticString {
    switch self {
    case .accountCreated: "ACCOUNT_CREATED"
    case .accountDeleted: "ACCOUNT_DELETED"
    case .sessionIssued: "SESSION_ISSUED"
    case .sessionRevoked: "SESSION_REVOKED"
    case .creditsSettled: "CREDITS_SETTLED"
    case .storeKitTransaction: "STOREKIT_TRANSACTION"
    case .referralCodeIssued: "REFERRAL_CODE_ISSUED"
    case .referralCodeRevoked: "REFERRAL_CODE_REVOKED"
    case .referralBound: "REFERRAL_BOUND"
    case .referralQualified: "REFERRAL_QUALIFIED"
    case .referralRewarded: "REFERRAL_REWARDED"
    }
  }

  /// The members that a fact of this type has beside those that every fact has.
  public var members: [WireMember] {
    switch self {
    case .accountCreated, .accountDeleted: [.accountId]
    case .sessionIssued: [.accountId, .tokenDigest, .expiresAt]
    case .sessionRevoked: [.tokenDigest]
    case .creditsSettled: [.accountId, .settlementId, .feature, .credits]
    case .storeKitTransaction: [.signedTransaction]
    case .referralCodeIssued: [.accountId, .codeDigest]
    case .referralCodeRevoked: [.codeDigest]
    case .referralBound: [.referralId, .inviterAccountId, .inviteeAccountId]
    case .referralQualified: [.referralId]
    case .referralRewarded: [.referralId, .credits]
    }
  }
}
