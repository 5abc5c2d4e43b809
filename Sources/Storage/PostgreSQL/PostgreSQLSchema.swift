import AnalyticsContract
import PostgreSQL

/// The PostgreSQL schema that everything lies in, and what brings it up to this program's version.
struct PostgreSQLSchema {
  /// The schema's name: a database may be shared with the account server, whose tables have names like ours.
  static let name = "osg_analytics"
  /// The advisory locks that servers take: numbers that no other program is likely to use.
  static let migrationLock = 0x4F53_4741_0001
  static let foldLock = 0x4F53_4741_0002
  static let factLock = 0x4F53_4741_0003
  static let retentionLock = 0x4F53_4741_0004
  static let setLock = 0x4F53_4741_0005

  let connection: PostgreSQLConnection
  let migrations: [Migration]

  /// What serving needs, table by table, and no more: for a role that is not the owner of the schema.
  static let privileges = [
    ("schema_migrations", "SELECT"), ("installations", "SELECT, INSERT, UPDATE, DELETE"),
    ("events", "SELECT, INSERT, DELETE"), ("keyboard_summaries", "SELECT, INSERT, DELETE"),
    ("activity", "SELECT, INSERT, UPDATE, DELETE"),
    ("installation_sets", "SELECT, INSERT, UPDATE, DELETE"), ("installation_set_deltas", "SELECT, INSERT, DELETE"),
    ("day_total_deltas", "SELECT, INSERT, DELETE"),
    ("folded_event_day_totals", "SELECT, INSERT, UPDATE"), ("folded_usage_day_totals", "SELECT, INSERT, UPDATE"),
    ("folded_receipt_day_totals", "SELECT, INSERT, UPDATE"), ("folded_rejection_day_totals", "SELECT, INSERT, UPDATE"),
    ("folded_link_day_totals", "SELECT, INSERT, UPDATE"), ("folded_invitation_day_totals", "SELECT, INSERT, UPDATE"),
    ("event_day_totals", "SELECT"), ("usage_day_totals", "SELECT"), ("receipt_day_totals", "SELECT"),
    ("rejection_day_totals", "SELECT"), ("link_day_totals", "SELECT"), ("invitation_day_totals", "SELECT"),
    ("deleted_registration_day_totals", "SELECT, INSERT, UPDATE"),
    ("erased_day_totals", "SELECT, INSERT, UPDATE"),
    ("sealed_days", "SELECT, INSERT"), ("sealed_cohorts", "SELECT, INSERT"),
    ("retention_runs", "SELECT, INSERT, UPDATE, DELETE"), ("accounts", "SELECT, INSERT, UPDATE, DELETE"),
    ("deleted_accounts", "SELECT, INSERT, UPDATE, DELETE"), ("sessions", "SELECT, INSERT, UPDATE, DELETE"),
    ("facts", "SELECT, INSERT, UPDATE, DELETE"), ("settlements", "SELECT, INSERT, UPDATE"),
    ("storekit_transactions", "SELECT, INSERT, UPDATE"), ("referral_codes", "SELECT, INSERT, UPDATE, DELETE"),
    ("referrals", "SELECT, INSERT, UPDATE"), ("tokens", "SELECT, INSERT, UPDATE"),
  ]

  /// Takes the missing steps in one transaction, under a lock: any number of servers may start at once.
  /// - Parameters:
  ///   - creates: whether a missing schema is created.
  ///   - now: when it happens.
  /// - Returns: the versions that were taken.
  /// - Throws: ``PostgreSQLOpenError``.
  func migrate(creates: Bool, at now: Instant) throws(PostgreSQLOpenError) -> [Int64] {
    if connection.serverVersion < 150_000 { throw .tooOld(connection.serverVersion / 10_000) }
    // Where nothing is missing, no lock and no right to change the schema is needed.
    if try missing().isEmpty { return [] }
    if !creates { throw .missing }
    do throws(PostgreSQLOpenError) {
      try execute("BEGIN; SELECT pg_advisory_xact_lock(\(Self.migrationLock))")
      // Looked at again under the lock: another server may have taken the steps meanwhile.
      let steps = try missing()
      if steps.count == migrations.count { try createSchema() }
      for step in steps { try take(step, at: now) }
      try execute("COMMIT")
      return steps.map(\.version)
    } catch {
      rollBack()
      throw error
    }
  }

  /// Lets a role serve.
  /// - Throws: ``PostgreSQLOpenError``.
  func grant(to role: String) throws(PostgreSQLOpenError) {
    let quoted = try quotedName(ofRole: role)
    let warnings = connection.warningCount
    let tables = Self.privileges.map { "GRANT \($0.1) ON \(Self.name).\($0.0) TO \(quoted);" }
    do throws(PostgreSQLOpenError) {
      try execute(
        """
        BEGIN;
        REVOKE ALL ON ALL TABLES IN SCHEMA \(Self.name) FROM \(quoted);
        GRANT USAGE ON SCHEMA \(Self.name) TO \(quoted);
        \(tables.joined(separator: "\n"))
        """)
      // Whoever may grant nothing is told so in a warning.
      if connection.warningCount != warnings { throw .notPermitted }
      try execute("COMMIT")
    } catch {
      rollBack()
      throw error
    }
  }

  /// A role's name as statements have it.
  /// - Throws: ``PostgreSQLOpenError/noSuchRole(_:)``, among others.
  func quotedName(ofRole role: String) throws(PostgreSQLOpenError) -> String {
    var parameters = PostgreSQLParameters()
    parameters.add(role)
    let name = try query("SELECT quote_ident(rolname) FROM pg_roles WHERE rolname = $1::text", parameters)
    if name.rowCount == 0 { throw .noSuchRole(role) }
    return name.text(0, 0)
  }

  private func execute(_ script: String) throws(PostgreSQLOpenError) {
    do throws(PostgreSQLError) { try connection.execute(script) } catch { throw PostgreSQLOpenError(error) }
  }

  private func query(
    _ sql: String, _ parameters: PostgreSQLParameters = .init()
  ) throws(PostgreSQLOpenError) -> PostgreSQLResult {
    do throws(PostgreSQLError) { return try connection.query(sql, parameters) } catch {
      throw PostgreSQLOpenError(error)
    }
  }

  private func rollBack() {
    if connection.isInTransaction, !connection.isBroken { try? connection.execute("ROLLBACK") }
  }

  /// The steps that the database has not taken.
  private func missing() throws(PostgreSQLOpenError) -> [Migration] {
    let exists = try query(
      """
      SELECT to_regnamespace('\(Self.name)') IS NOT NULL, to_regclass('\(Self.name).schema_migrations') IS NOT NULL,
        (SELECT count(*) FROM pg_class WHERE relnamespace = to_regnamespace('\(Self.name)')),
        coalesce(has_schema_privilege(to_regnamespace('\(Self.name)'), 'USAGE'), true)
      """)
    guard exists.boolean(0, 3) else { throw .notPermitted }
    guard exists.boolean(0, 1) else {
      if exists.integer(0, 2) > 0 { throw .foreign }
      return migrations
    }
    let rows = try query("SELECT version, checksum FROM \(Self.name).schema_migrations ORDER BY version")
    var taken: [Int64: Digest?] = [:]
    for row in 0..<rows.rowCount { taken[rows.integer(row, 0)] = rows.digest(row, 1) }
    let known = migrations.last!.version
    if let newest = taken.keys.max(), newest > known {
      throw .newerThanProgram(databaseVersion: newest, programVersion: known)
    }
    for migration in migrations {
      if let checksum = taken[migration.version], checksum != Digest(hashing: migration.postgreSQL) {
        throw .differentMigration(migration.version)
      }
    }
    return migrations.filter { taken[$0.version] == nil }
  }

  private func createSchema() throws(PostgreSQLOpenError) {
    try execute(
      """
      CREATE SCHEMA IF NOT EXISTS \(Self.name);
      CREATE TABLE \(Self.name).schema_migrations (
        version bigint NOT NULL PRIMARY KEY,
        name text NOT NULL,
        checksum bytea NOT NULL CHECK (length(checksum) = 32),
        applied_at bigint NOT NULL
      )
      """)
  }

  private func take(_ step: Migration, at now: Instant) throws(PostgreSQLOpenError) {
    try execute(step.postgreSQL)
    var parameters = PostgreSQLParameters()
    parameters.add(step.version)
    parameters.add(step.name)
    parameters.add(Digest(hashing: step.postgreSQL))
    parameters.add(now.microseconds)
    _ = try query(
      "INSERT INTO schema_migrations VALUES ($1::bigint, $2::text, $3::bytea, $4::bigint)", parameters)
  }
}
