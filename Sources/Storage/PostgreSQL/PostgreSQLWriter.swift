import AnalyticsContract
import Ingestion
import PostgreSQL

/// One of the connections that commit groups of batches.
actor PostgreSQLWriter {
  private let session: PostgreSQLSession
  private var lastFailure: StoreFailure?

  /// A transaction that overtook ours has stored what stopped us, and the next attempt finds it. Only ever new ones could
  /// stop a group this often.
  private static let attempts = 10

  nonisolated var unownedExecutor: UnownedSerialExecutor { session.unownedExecutor }

  init(_ session: PostgreSQLSession) { self.session = session }

  func commit(_ group: [Submission], counts: DayCounts) async throws(StoreFailure) -> [CommitOutcome] {
    do throws(PostgreSQLError) {
      let outcomes = try await attempt(group, counts)
      lastFailure = nil
      return outcomes
    } catch {
      lastFailure = error.failure
      throw error.failure
    }
  }

  private func attempt(
    _ group: [Submission], _ counts: DayCounts
  ) async throws(PostgreSQLError) -> [CommitOutcome] {
    var last = PostgreSQLError.refused("40001")
    for _ in 0..<Self.attempts {
      do throws(PostgreSQLError) {
        let attempt = try await session.perform { (connection) throws(PostgreSQLError) in
          let attempt = try PostgreSQLGroupWriter(connection: connection, group: group, counts: counts).commit()
          if case .overtaken = attempt { try connection.execute("ROLLBACK") }
          return attempt
        }
        if case .committed(let outcomes) = attempt { return outcomes }
      } catch {
        guard case .refused(let state) = error, state.isWorthRetrying else { throw error }
        last = error
      }
    }
    throw last
  }

  /// After a failure, writes something to find out whether that is over: a server that gets no traffic because it is not
  /// ready would never find out otherwise.
  func probe() async throws(StoreFailure) {
    guard let lastFailure else { return }
    do throws(PostgreSQLError) {
      try await session.perform { (connection) throws(PostgreSQLError) in
        if lastFailure == .unavailable(.full) { try connection.execute(Self.takeRoom) }
        try connection.execute("BEGIN; INSERT INTO day_total_deltas DEFAULT VALUES; COMMIT")
      }
      self.lastFailure = nil
    } catch { throw error.failure }
  }

  /// A small row may still fit where a group of batches does not: this takes room for a megabyte, of which only the room
  /// stays.
  private static let takeRoom = """
    BEGIN;
    INSERT INTO day_total_deltas (rejection_days)
      SELECT array_agg((random() * 1000000000)::integer) FROM generate_series(1, 262144);
    ROLLBACK
    """

  /// Runs a closure with the connection.
  func perform<Result: Sendable>(
    _ body: @Sendable (PostgreSQLConnection) throws(PostgreSQLError) -> Result
  ) async throws(StoreFailure) -> Result {
    do throws(PostgreSQLError) { return try await session.perform(body) } catch { throw error.failure }
  }

  func close() async { await session.close() }
}
