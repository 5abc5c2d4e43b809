import AnalyticsContract
import Ingestion

/// What the invitation page needs of a database, beside the day's count, which the group committer adds to.
public protocol InvitationStore: Sendable {
  /// Whether a referral code was issued and is not revoked.
  /// - Parameter code: the SHA-256 digest of the 22 characters.
  /// - Returns: `false` for a code that is unknown or revoked.
  /// - Throws: where the database can't be asked.
  func isValidReferralCode(_ code: Digest) async throws(StoreFailure) -> Bool
}
