import AnalyticsContract
import Ingestion
import PostgreSQL
import ServerFacts

/// What credentials are changed and looked up with.
enum CredentialStatements {
  static let changes = [createToken, revokeToken]
  static let searches = [findSession, findAccount, listTokens, findScopes]

  static let createToken = PostgreSQLStatement(
    "create_token",
    """
    INSERT INTO tokens VALUES ($1::text, $2::bytea, $3::smallint, $4::bigint, NULL) ON CONFLICT (name) DO NOTHING
    """)
  static let revokeToken = PostgreSQLStatement(
    "revoke_token", "UPDATE tokens SET revoked_at = $1::bigint WHERE name = $2::text AND revoked_at IS NULL")

  // The join: a session counts only while its account exists.
  static let findSession = PostgreSQLStatement(
    "find_session",
    """
    SELECT token_digest FROM sessions JOIN accounts USING (account_id)
    WHERE token_digest = $1::bytea AND expires_at > $2::bigint AND revoked_at IS NULL
    """)
  // What a token states itself is in no row: only a revocation may be.
  static let findAccount = PostgreSQLStatement(
    "find_account",
    """
    SELECT account_id FROM accounts
    WHERE account_id = $1::uuid
      AND NOT EXISTS (SELECT FROM sessions WHERE token_digest IN ($2::bytea, $3::bytea) AND revoked_at IS NOT NULL)
    """)
  static let listTokens = PostgreSQLStatement(
    "list_tokens", "SELECT name, scope, created_at, revoked_at FROM tokens ORDER BY created_at, name")
  static let findScopes = PostgreSQLStatement(
    "find_scopes", "SELECT token_digest, scope FROM tokens WHERE revoked_at IS NULL")
}

extension PostgreSQLConnection {
  /// - Returns: whether the name was free.
  func createToken(
    _ digest: Digest, name: String, scope: TokenScope, at instant: Instant
  ) throws(PostgreSQLError) -> Bool {
    var parameters = PostgreSQLParameters()
    parameters.add(name)
    parameters.add(digest)
    parameters.add(Int16(scope.rawValue))
    parameters.add(instant.microseconds)
    return try run(CredentialStatements.createToken, parameters).affectedRows == 1
  }

  func tokens() throws(PostgreSQLError) -> [TokenDescription] {
    let rows = try run(CredentialStatements.listTokens)
    return (0..<rows.rowCount).compactMap { row in
      TokenScope(rawValue: UInt8(clamping: rows.integer(row, 1))).map { scope in
        TokenDescription(
          name: rows.text(row, 0), scope: scope, createdAt: Instant(microseconds: rows.integer(row, 2)),
          revokedAt: rows.optionalInteger(row, 3).map(Instant.init(microseconds:)))
      }
    }
  }

  /// - Returns: whether there was a valid token of that name.
  func revokeToken(named name: String, at instant: Instant) throws(PostgreSQLError) -> Bool {
    var parameters = PostgreSQLParameters()
    parameters.add(instant.microseconds)
    parameters.add(name)
    return try run(CredentialStatements.revokeToken, parameters).affectedRows == 1
  }

  /// Compares a token with every valid one to the last byte, so that the time taken tells nothing about any of them.
  func scope(ofToken digest: Digest) throws(PostgreSQLError) -> TokenScope? {
    let rows = try run(CredentialStatements.findScopes)
    var scope: TokenScope?
    for row in 0..<rows.rowCount where rows.digest(row, 0) == digest {
      scope = TokenScope(rawValue: UInt8(clamping: rows.integer(row, 1)))
    }
    return scope
  }

  func isValidSession(_ token: AccessToken, at instant: Instant) throws(PostgreSQLError) -> Bool {
    var parameters = PostgreSQLParameters()
    if let stated = token.account {
      parameters.add(stated)
      parameters.add(token.digest)
      parameters.add(token.twin)
      return try run(CredentialStatements.findAccount, parameters).rowCount == 1
    }
    parameters.add(token.digest)
    parameters.add(instant.microseconds)
    let rows = try run(CredentialStatements.findSession, parameters)
    return rows.rowCount == 1 && rows.digest(0, 0) == token.digest
  }
}
