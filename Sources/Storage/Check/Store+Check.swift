import AnalyticsContract
import Ingestion
import PostgreSQL
import ServerFacts

extension SQLiteStore: CheckStore {
  /// Reads the whole database, as it is at one moment. Also lets SQLite prove its own structures.
  public func check(at now: Instant) async throws(StoreFailure) -> [CheckFinding] {
    try await maintenance.read { (connection) throws(SQLiteError) in
      try connection.execute("BEGIN")
      defer { try? connection.execute("ROLLBACK") }
      let problems = try connection.select("PRAGMA integrity_check(1000)", [], [.text])
      let damage = problems.first?[0].text == "ok" ? 0 : problems.count
      let findings = try Checker(runner: connection, now: now).findings()
      return [CheckFinding(rule: "the database file is whole", violations: Int64(damage))] + findings
    }
  }
}

extension PostgreSQLStore: CheckStore {
  /// Reads the whole database, as it is at one moment.
  public func check(at now: Instant) async throws(StoreFailure) -> [CheckFinding] {
    let session = PostgreSQLSession(url, .checking, noticed: noticed)
    do throws(PostgreSQLError) {
      let findings = try await session.perform { (connection) throws(PostgreSQLError) in
        try connection.execute("BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
        let findings = try Checker(runner: connection, now: now).findings()
        try connection.execute("ROLLBACK")
        return findings
      }
      await session.close()
      return findings
    } catch { throw error.failure }
  }
}
