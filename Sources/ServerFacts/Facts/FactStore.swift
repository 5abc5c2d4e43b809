import AnalyticsContract
import Ingestion

/// What became of a batch of facts.
public enum FactOutcome: Sendable, Equatable {
  /// All of it is durable: so many facts are new, so many had been stated before; and what deletions among them erased.
  case stored(accepted: Int, replayed: Int, erased: ErasureCounts)
  /// A fact contradicts what is known; nothing is stored.
  case conflict
}

/// What an erasure removed, as counts.
public struct ErasureCounts: Sendable, Equatable {
  /// Installations, with everything that is kept of them.
  public var installations: Int64 = 0
  /// Events of those installations.
  public var events: Int64 = 0
  /// Keyboard usage summaries of those installations.
  public var summaries: Int64 = 0
  /// Days on which something is known of those installations.
  public var activityDays: Int64 = 0
  /// Sessions.
  public var sessions: Int64 = 0
  /// Referral codes.
  public var referralCodes: Int64 = 0
  /// Settlements, transactions and referrals that stay without their account.
  public var unlinked: Int64 = 0

  /// Nothing.
  public init() {}
}

/// Where facts are kept.
public protocol FactStore: Sendable {
  /// Stores facts in one durable transaction: all of them, or nothing.
  /// - Parameters:
  ///   - facts: 1 to 500 facts.
  ///   - now: the server's clock.
  /// - Returns: what became of them.
  /// - Throws: where nothing could be stored.
  func state(_ facts: [Fact], at now: Instant) async throws(StoreFailure) -> FactOutcome

  /// Erases an installation and everything that is kept of it, in one durable transaction.
  /// - Parameter installation: the digest of its identifier.
  /// - Returns: what was removed.
  /// - Throws: where nothing was removed.
  func erase(installation: Digest) async throws(StoreFailure) -> ErasureCounts
}
