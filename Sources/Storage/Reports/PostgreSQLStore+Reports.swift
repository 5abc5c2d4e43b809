import AnalyticsContract
import Ingestion
import PostgreSQL
import Reporting
import ServerFacts

extension PostgreSQLStore: ReportStore {
  /// Makes a report in a transaction that only reads: it holds up nobody.
  /// - Throws: `StoreFailure`.
  public func answer(_ report: Report, _ query: ReportQuery, at now: Instant) async throws -> ReportAnswer {
    do throws(PostgreSQLError) {
      return try await reports.perform { (connection) throws(PostgreSQLError) in
        // A report that nobody waits for any more is not begun. One that runs ends with its time limit.
        if Task.isCancelled { throw .timedOut }
        try connection.execute("BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
        let answer = try ReportCalculator(
          source: StoredReportSource(runner: connection), now: now, retainedFrom: RetentionPolicy(at: now).retainedFrom
        ).answer(report, query)
        try connection.execute("COMMIT")
        return answer
      }
    } catch { throw error.failure }
  }

  /// Whether there is nothing that reports could be about.
  public var isEmpty: Bool {
    get async throws {
      do throws(PostgreSQLError) {
        return try await reports.perform { (connection) throws(PostgreSQLError) in
          try StoredReportSource(runner: connection).bounds() == DataBounds()
        }
      } catch { throw error.failure }
    }
  }

  /// Makes the sets anew in one transaction, while other servers merge nothing.
  /// - Throws: `StoreFailure`.
  public func rebuildSets(at now: Instant) async throws -> Int64 {
    let session = PostgreSQLSession(url, .checking, noticed: noticed)
    do throws(PostgreSQLError) {
      let count = try await session.perform { (connection) throws(PostgreSQLError) in
        // The lock comes before the transaction sees anything.
        try connection.execute("SELECT pg_advisory_lock(\(PostgreSQLSchema.setLock))")
        try connection.execute("BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        let count = try SetRebuilding(runner: connection, days: SetRebuilding<PostgreSQLConnection>.days(at: now))
          .replace()
        try connection.commit([])
        return count
      }
      await session.close()
      return count
    } catch { throw error.failure }
  }
}

/// Merges what transactions have added to sets: one server at a time, while groups go on.
enum PostgreSQLSetMerger {
  /// How many deltas one transaction merges.
  private static let rowsAtOnce = 1000

  /// Merges what there is, a bounded piece at a time; where another server is doing that already, nothing.
  static func merge(_ connection: PostgreSQLConnection) throws(PostgreSQLError) {
    while true {
      let results = try connection.run([
        PostgreSQLRequest("BEGIN"),
        PostgreSQLRequest("SELECT pg_try_advisory_xact_lock(\(PostgreSQLSchema.setLock))"),
      ])
      guard results[1].boolean(0, 0) else {
        try connection.execute("ROLLBACK")
        return
      }
      let sets = StoredSets(runner: connection)
      let merge = try sets.merge(atMost: rowsAtOnce)
      try sets.store(merge.sets)
      try sets.remove(merge.sequences)
      try connection.execute("COMMIT")
      if merge.sequences.count < rowsAtOnce { return }
    }
  }
}
