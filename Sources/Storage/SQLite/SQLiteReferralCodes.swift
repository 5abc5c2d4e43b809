import AnalyticsContract

/// The statement that judges referral codes.
struct SQLiteReferralCodes {
  private let find: SQLiteStatement

  init(_ connection: SQLiteConnection) throws(SQLiteError) {
    // A row may know the revocation alone, or have lost its account.
    find = try connection.prepare(
      """
      SELECT code_digest FROM referral_codes
      WHERE code_digest = ? AND issued_at IS NOT NULL AND account_id IS NOT NULL AND revoked_at IS NULL
      """)
  }

  func isValid(_ code: Digest) throws(SQLiteError) -> Bool {
    find.bind(code, at: 0)
    guard try find.step() else { return false }
    defer { find.reset() }
    return find.digest(0) == code
  }
}
