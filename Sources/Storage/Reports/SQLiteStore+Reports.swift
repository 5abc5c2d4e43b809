import AnalyticsContract
import CSQLite
import Ingestion
import Reporting
import ServerFacts

extension SQLiteStore: ReportStore {
  /// Makes a report, on a connection that only reads: it holds up nobody.
  /// - Throws: `StoreFailure`.
  public func answer(_ report: Report, _ query: ReportQuery, at now: Instant) async throws -> ReportAnswer {
    let limit = ReadLimit()
    return try await withTaskCancellationHandler {
      try await reports.read { (connection) throws(SQLiteError) in
        connection.limit = limit
        // A report that nobody waits for any more is not begun.
        if limit.isReached { throw SQLiteError(code: SQLITE_INTERRUPT) }
        limit.begin(.seconds(ReportLimits.seconds))
        defer { connection.limit = nil }
        try connection.execute("BEGIN")
        defer { try? connection.execute("ROLLBACK") }
        return try ReportCalculator(
          source: StoredReportSource(runner: connection), now: now, retainedFrom: RetentionPolicy(at: now).retainedFrom
        ).answer(report, query)
      }
    } onCancel: {
      limit.cancel()
    }
  }

  /// Whether there is nothing that reports could be about.
  public var isEmpty: Bool {
    get async throws {
      try await reports.read { (connection) throws(SQLiteError) in
        try StoredReportSource(runner: connection).bounds() == DataBounds()
      }
    }
  }

  /// Makes the sets anew in one transaction.
  /// - Throws: `StoreFailure`.
  public func rebuildSets(at now: Instant) async throws -> Int64 {
    try await writer.transaction { (connection) throws(SQLiteError) in
      try SetRebuilding(runner: connection, days: SetRebuilding<SQLiteConnection>.days(at: now)).replace()
    }
  }

  // MARK: - Merging

  /// So many deltas are merged at a time.
  private static var rowsAtOnce: Int { 2000 }
  /// So many bytes of sets are written in one transaction: batches wait no longer for it than for each other.
  private static var bytesAtOnce: Int { 512 * 1024 }

  /// Merges what transactions have added to sets, unless that is being done: what is read does not change by it, but is
  /// read faster. Sets are stored before the deltas that are in them go, so that it may end anywhere.
  func mergeSets() async {
    let isFree = merging.withLock { isMerging in
      defer { isMerging = true }
      return !isMerging
    }
    guard isFree else { return }
    defer { merging.withLock { $0 = false } }
    var isDone = false
    while !isDone {
      do throws(StoreFailure) { isDone = try await mergeSome() } catch { return }
    }
  }

  private func mergeSome() async throws(StoreFailure) -> Bool {
    let merge = try await merger.read { (connection) throws(SQLiteError) in
      try connection.execute("BEGIN")
      defer { try? connection.execute("ROLLBACK") }
      return try StoredSets(runner: connection).merge(atMost: Self.rowsAtOnce)
    }
    if merge.sequences.isEmpty { return true }
    var rest = merge.sets[...]
    while !rest.isEmpty {
      var bytes = 0
      let piece = rest.prefix { set in
        defer { bytes += set.members.count }
        return bytes < Self.bytesAtOnce
      }
      try await writer.transaction { (connection) throws(SQLiteError) in
        try StoredSets(runner: connection).store(piece)
      }
      rest = rest.dropFirst(piece.count)
    }
    try await writer.transaction { (connection) throws(SQLiteError) in
      try StoredSets(runner: connection).remove(merge.sequences)
    }
    return merge.sequences.count < Self.rowsAtOnce
  }
}
