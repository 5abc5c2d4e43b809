/// Every member name of the contract, of batches and of facts. A name that is not here is never materialised.
public enum WireMember: UInt8, CaseIterable, Sendable {
  case installationId, events, summaries
  case clientEventId, eventType, occurredAt, surface
  case acquisitionChannel, feature, executionMode, failureCategory, durationBucket
  case appVersion, osVersion
  case clientSummaryId, summaryDate
  case chineseCharacterCount, englishCharacterCount, otherCharacterCount
  case inputSessionCount, chineseOnlySessionCount, englishOnlySessionCount, mixedLanguageSessionCount
  case otherOnlySessionCount
  case facts, factId, type, accountId, tokenDigest, expiresAt, settlementId, credits, signedTransaction, codeDigest
  case referralId, inviterAccountId, inviteeAccountId

  /// The name on the wire, ASCII.
  public var wireName: StaticString {
    switch self {
    case .installationId: "installationId"
    case .events: "events"
    case .summaries: "summaries"
    case .clientEventId: "clientEventId"
    case .eventType: "eventType"
    case .occurredAt: "occurredAt"
    case .surface: "surface"
    case .acquisitionChannel: "acquisitionChannel"
    case .feature: "feature"
    case .executionMode: "executionMode"
    case .failureCategory: "failureCategory"
    case .durationBucket: "durationBucket"
    case .appVersion: "appVersion"
    case .osVersion: "osVersion"
    case .clientSummaryId: "clientSummaryId"
    case .summaryDate: "summaryDate"
    case .chineseCharacterCount: "chineseCharacterCount"
    case .englishCharacterCount: "englishCharacterCount"
    case .otherCharacterCount: "otherCharacterCount"
    case .inputSessionCount: "inputSessionCount"
    case .chineseOnlySessionCount: "chineseOnlySessionCount"
    case .englishOnlySessionCount: "englishOnlySessionCount"
    case .mixedLanguageSessionCount: "mixedLanguageSessionCount"
    case .otherOnlySessionCount: "otherOnlySessionCount"
    case .facts: "facts"
    case .factId: "factId"
    case .type: "type"
    case .accountId: "accountId"
    case .tokenDigest: "tokenDigest"
    case .expiresAt: "expiresAt"
    case .settlementId: "settlementId"
    case .credits: "credits"
    case .signedTransaction: "signedTransaction"
    case .codeDigest: "codeDigest"
    case .referralId: "referralId"
    case .inviterAccountId: "inviterAccountId"
    case .inviteeAccountId: "inviteeAccountId"
    }
  }
}

/// A set of members, for noticing a repeated or a missing one.
public struct WireMemberSet: Sendable, Hashable {
  private var bits: UInt64 = 0

  /// A set of some members.
  public init(_ members: [WireMember] = []) {
    for member in members { insert(member) }
  }

  /// Adds a member.
  /// - Returns: whether it was not there yet.
  @discardableResult
  public mutating func insert(_ member: WireMember) -> Bool {
    let bit: UInt64 = 1 << member.rawValue
    defer { bits |= bit }
    return bits & bit == 0
  }

  /// Whether a member is in the set.
  public func contains(_ member: WireMember) -> Bool { bits & 1 << member.rawValue != 0 }

  /// Whether all members of another set are in this one.
  public func isSuperset(of other: WireMemberSet) -> Bool { bits & other.bits == other.bits }
}
