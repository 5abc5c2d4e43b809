import AnalyticsContract
import PostgreSQL

/// What referral codes are looked up with.
enum ReferralCodeStatements {
  static let searches = [findReferralCode]

  // A row may know the revocation alone, or have lost its account.
  static let findReferralCode = PostgreSQLStatement(
    "find_referral_code",
    """
    SELECT code_digest FROM referral_codes
    WHERE code_digest = $1::bytea AND issued_at IS NOT NULL AND account_id IS NOT NULL AND revoked_at IS NULL
    """)
}

extension PostgreSQLConnection {
  func isValidReferralCode(_ code: Digest) throws(PostgreSQLError) -> Bool {
    var parameters = PostgreSQLParameters()
    parameters.add(code)
    let rows = try run(ReferralCodeStatements.findReferralCode, parameters)
    return rows.rowCount == 1 && rows.digest(0, 0) == code
  }
}
