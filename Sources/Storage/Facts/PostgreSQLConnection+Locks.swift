import AnalyticsContract
import PostgreSQL

extension PostgreSQLConnection {
  /// Locks accounts and then their installations, in the order in which groups of batches lock them: whoever links to one
  /// of these accounts has done so, or will find it gone.
  func lock(accounts: [UUIDValue]) throws(PostgreSQLError) {
    var ids = BinaryArray(of: .uuid)
    for account in accounts { ids.append(account) }
    let parameters = PostgreSQLParameters(ids)
    _ = try query(
      "SELECT account_id FROM accounts WHERE account_id = ANY ($1::uuid[]) ORDER BY account_id FOR UPDATE", parameters)
    _ = try query(
      """
      SELECT installation_key FROM installations WHERE account_id = ANY ($1::uuid[])
      ORDER BY installation_key FOR UPDATE
      """, parameters)
  }

  /// Locks an installation: batches that come meanwhile find it gone.
  func lock(installation: Digest) throws(PostgreSQLError) {
    var parameters = PostgreSQLParameters()
    parameters.add(installation)
    _ = try query("SELECT installation_key FROM installations WHERE digest = $1::bytea FOR UPDATE", parameters)
  }
}
