import AnalyticsContract

/// A database that reports can be made of.
public protocol ReportStore: Sendable {
  /// Makes a report of the database as it is at one moment, with everything that was acknowledged before the call.
  /// Cancelling the task ends it.
  /// - Parameters:
  ///   - report: the report.
  ///   - query: what it is asked about.
  ///   - now: the server's clock.
  /// - Returns: the answer.
  /// - Throws: where the database can't be read, or not within ``ReportLimits/seconds``.
  func answer(_ report: Report, _ query: ReportQuery, at now: Instant) async throws -> ReportAnswer

  /// Whether there is no event, summary, settlement or purchase yet.
  var isEmpty: Bool { get async throws }

  /// Makes the sets that distinct counts come from anew, from events, summaries and first opens.
  /// - Parameter now: the server's clock.
  /// - Returns: how many sets there are.
  /// - Throws: where the database can't be read or written; nothing has changed then.
  func rebuildSets(at now: Instant) async throws -> Int64
}

/// What a report may take.
public enum ReportLimits {
  /// How long the database may take, in seconds.
  public static let seconds = 10
}
