import AnalyticsContract
import Ingestion
import ServerFacts

/// The statements that judge account sessions.
struct SQLiteSessions {
  private let find: SQLiteStatement
  private let findAccount: SQLiteStatement

  init(_ connection: SQLiteConnection) throws(SQLiteError) {
    // The join: a session counts only while its account exists.
    find = try connection.prepare(
      """
      SELECT token_digest, account_id FROM sessions JOIN accounts USING (account_id)
      WHERE token_digest = ? AND expires_at > ? AND revoked_at IS NULL
      """)
    // What a token states itself is in no row: only a revocation may be.
    findAccount = try connection.prepare(
      """
      SELECT account_id FROM accounts
      WHERE account_id = ?1
        AND NOT EXISTS (SELECT 1 FROM sessions WHERE token_digest IN (?2, ?3) AND revoked_at IS NOT NULL)
      """)
  }

  /// The account whose session a token is, if it is valid at an instant.
  func account(of token: AccessToken, at instant: Instant) throws(SQLiteError) -> UUIDValue? {
    if let stated = token.account {
      findAccount.bind(stated, at: 0)
      findAccount.bind(token.digest, at: 1)
      findAccount.bind(token.twin, at: 2)
      guard try findAccount.step() else { return nil }
      findAccount.reset()
      return stated
    }
    find.bind(token.digest, at: 0)
    find.bind(instant.microseconds, at: 1)
    guard try find.step() else { return nil }
    defer { find.reset() }
    return find.digest(0) == token.digest ? find.uuid(1) : nil
  }
}

/// The statements that change and list credentials. They run rarely, so they are compiled for each use.
struct SQLiteCredentials {
  let connection: SQLiteConnection

  func createToken(_ digest: Digest, name: String, scope: TokenScope, at instant: Instant) throws(SQLiteError) -> Bool {
    let insert = try connection.prepare("INSERT INTO tokens VALUES (?, ?, ?, ?, NULL) ON CONFLICT (name) DO NOTHING")
    insert.bind(name, at: 0)
    insert.bind(digest, at: 1)
    insert.bind(Int64(scope.rawValue), at: 2)
    insert.bind(instant.microseconds, at: 3)
    try insert.run()
    return connection.changes == 1
  }

  func tokens() throws(SQLiteError) -> [TokenDescription] {
    let rows = try connection.prepare(
      "SELECT name, scope, created_at, revoked_at FROM tokens ORDER BY created_at, name")
    var tokens: [TokenDescription] = []
    while try rows.step() {
      guard let scope = TokenScope(rawValue: UInt8(clamping: rows.integer(1))) else { continue }
      tokens.append(
        TokenDescription(
          name: rows.text(0), scope: scope, createdAt: Instant(microseconds: rows.integer(2)),
          revokedAt: rows.optionalInteger(3).map(Instant.init(microseconds:))))
    }
    return tokens
  }

  func revokeToken(named name: String, at instant: Instant) throws(SQLiteError) -> Bool {
    let update = try connection.prepare("UPDATE tokens SET revoked_at = ? WHERE name = ? AND revoked_at IS NULL")
    update.bind(instant.microseconds, at: 0)
    update.bind(name, at: 1)
    try update.run()
    return connection.changes == 1
  }

  /// Compares a token with every valid one to the last byte, so that the time taken tells nothing about any of them.
  func scope(ofToken digest: Digest) throws(SQLiteError) -> TokenScope? {
    let rows = try connection.prepare("SELECT token_digest, scope FROM tokens WHERE revoked_at IS NULL")
    var scope: TokenScope?
    while try rows.step() {
      if rows.digest(0) == digest { scope = TokenScope(rawValue: UInt8(clamping: rows.integer(1))) }
    }
    return scope
  }
}
