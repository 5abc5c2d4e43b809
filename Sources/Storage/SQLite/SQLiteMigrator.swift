import AnalyticsContract

/// Brings a database's schema up to this program's version.
struct SQLiteMigrator {
  let path: String
  let migrations: [Migration]

  /// Takes the missing steps in one transaction, so that several processes may start at once.
  /// - Returns: the versions that were taken.
  func migrate(_ connection: SQLiteConnection, at now: Instant) throws(SQLiteOpenError) -> [Int64] {
    var taken: [Int64] = []
    do throws(SQLiteError) {
      // Where nothing is missing the write lock isn't needed, and someone else may hold it.
      if try connection.integer("PRAGMA user_version") < migrations.last!.version {
        taken = try connection.transaction { () throws(SQLiteError) in try takeMissing(connection, now) }
      }
    } catch { throw SQLiteOpenError(error, path: path) }
    try verify(connection)
    return taken
  }

  private func takeMissing(_ connection: SQLiteConnection, _ now: Instant) throws(SQLiteError) -> [Int64] {
    // Read again under the lock: another process may have taken the steps meanwhile.
    let reached = try connection.integer("PRAGMA user_version")
    let missing = migrations.filter { $0.version > reached }
    if missing.isEmpty { return [] }
    if reached == 0 { try connection.execute(Self.bookkeeping) }
    for migration in missing {
      try connection.execute(migration.sqlite)
      try record(migration, connection, now)
    }
    try connection.execute(
      "PRAGMA application_id = \(SQLiteFile.applicationID); PRAGMA user_version = \(migrations.last!.version)")
    return missing.map(\.version)
  }

  private static let bookkeeping = """
    CREATE TABLE schema_migrations (
      version INTEGER NOT NULL PRIMARY KEY,
      name TEXT NOT NULL,
      checksum BLOB NOT NULL CHECK (length(checksum) = 32),
      applied_at INTEGER NOT NULL
    ) STRICT
    """

  /// Refuses a database that is another program's or a newer version's, without changing anything of it.
  func inspect(_ connection: SQLiteConnection) throws(SQLiteOpenError) {
    let version: Int64
    let isForeign: Bool
    do throws(SQLiteError) {
      version = try connection.integer("PRAGMA user_version")
      let isOurs = try connection.integer("PRAGMA application_id") == Int64(SQLiteFile.applicationID)
      let tables = try connection.integer("SELECT count(*) FROM sqlite_schema")
      isForeign = !isOurs && (version > 0 || tables > 0)
    } catch { throw SQLiteOpenError(error, path: path) }
    if isForeign { throw .foreignDatabase(path: path) }
    try SQLiteFile.refuseNewer(version, path: path)
  }

  private func record(_ migration: Migration, _ connection: SQLiteConnection, _ now: Instant) throws(SQLiteError) {
    let insert = try connection.prepare("INSERT INTO schema_migrations VALUES (?, ?, ?, ?)")
    insert.bind(migration.version, at: 0)
    insert.bind(migration.name, at: 1)
    insert.bind(Digest(hashing: migration.sqlite), at: 2)
    insert.bind(now.microseconds, at: 3)
    try insert.run()
  }

  /// Makes sure that what the database has taken is what this program would have done.
  private func verify(_ connection: SQLiteConnection) throws(SQLiteOpenError) {
    var different: Int64?
    do throws(SQLiteError) {
      let rows = try connection.prepare("SELECT version, checksum FROM schema_migrations ORDER BY version")
      var recorded: [Int64: Digest] = [:]
      while try rows.step() { recorded[rows.integer(0)] = rows.digest(1) }
      different = migrations.first { recorded[$0.version] != Digest(hashing: $0.sqlite) }?.version
    } catch { throw SQLiteOpenError(error, path: path) }
    if let different { throw .differentMigration(path: path, version: different) }
  }
}
