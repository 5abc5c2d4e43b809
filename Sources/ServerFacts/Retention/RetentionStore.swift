import AnalyticsContract
import Ingestion

/// What retention needs of a database. Each call is one transaction that holds up nobody for long.
public protocol RetentionStore: Sendable {
  /// Makes sure that no other server does the same at the same time.
  /// - Returns: `false` where another one does.
  /// - Throws: where the database can't be asked.
  func beginRetention() async throws(StoreFailure) -> Bool

  /// Lets others do it, after noting that it was done to the end.
  /// - Parameter completed: when it was done to the end; `nil` where it was not.
  /// - Throws: where the database can't be written.
  func endRetention(completed: Instant?) async throws(StoreFailure)

  /// The day on which retention was last done to the end.
  /// - Returns: `nil` where it never was.
  /// - Throws: where the database can't be asked.
  func lastRetentionDay() async throws(StoreFailure) -> CalendarDay?

  /// The days that are to be sealed next: from the one after the last that is, or the first of which anything is known.
  /// - Parameter last: the last day that may be sealed.
  /// - Returns: `nil` where there is none.
  /// - Throws: where the database can't be asked.
  func daysToSeal(through last: CalendarDay) async throws(StoreFailure) -> ClosedRange<CalendarDay>?

  /// Seals a day, all days before which are sealed: keeps its distinct counts, the digest of its totals, and the cohort
  /// that has been watched long enough with it. Does nothing where it is sealed.
  /// - Parameters:
  ///   - day: the day.
  ///   - now: the server's clock.
  /// - Throws: where nothing was sealed.
  func seal(_ day: CalendarDay, at now: Instant) async throws(StoreFailure)

  /// Removes some of what has expired.
  /// - Parameters:
  ///   - step: of what.
  ///   - policy: what has expired.
  ///   - cursor: where the last call left off; `nil` to begin.
  ///   - dryRun: whether only to count.
  /// - Returns: how many rows went, and where to go on; no cursor at the end.
  /// - Throws: where nothing was removed.
  func expire(
    _ step: RetentionStep, _ policy: RetentionPolicy, after cursor: Int64?, dryRun: Bool
  ) async throws(StoreFailure) -> (removed: Int64, cursor: Int64?)
}

/// What retention did, or would do.
public struct RetentionReport: Sendable, Equatable {
  /// How many days were sealed.
  public var sealedDays: Int64 = 0
  /// How many rows went, step by step.
  public var removed: [RetentionStep: Int64] = [:]

  /// Nothing.
  public init() {}
}

/// Seals what is over, then removes what has expired, piece by piece. It may be stopped or killed at any point: what is
/// done is done, and the next run goes on.
public struct Retention: Sendable {
  private let store: any RetentionStore

  /// - Parameter store: the database.
  public init(store: any RetentionStore) { self.store = store }

  /// Does all that is due.
  /// - Parameters:
  ///   - now: the server's clock.
  ///   - dryRun: whether only to count.
  /// - Returns: what was done; `nil` where another server is doing it.
  /// - Throws: where the database failed, or `CancellationError` where the task was cancelled.
  public func run(at now: Instant, dryRun: Bool = false) async throws -> RetentionReport? {
    guard try await store.beginRetention() else { return nil }
    do {
      let report = try await perform(at: now, dryRun: dryRun)
      try await store.endRetention(completed: dryRun ? nil : now)
      return report
    } catch {
      try? await store.endRetention(completed: nil)
      throw error
    }
  }

  private func perform(at now: Instant, dryRun: Bool) async throws -> RetentionReport {
    let policy = RetentionPolicy(at: now)
    var report = RetentionReport()
    // Nothing goes before the days that it belongs to are sealed.
    if let days = try await store.daysToSeal(through: policy.sealableThrough) {
      var day = days.lowerBound
      while day <= days.upperBound {
        if !dryRun { try await pacing { try await store.seal(day, at: now) } }
        report.sealedDays += 1
        day = day.advanced(by: 1)
      }
    }
    for step in RetentionStep.allCases {
      var cursor: Int64?
      repeat {
        let piece = try await pacing {
          try await store.expire(step, policy, after: cursor, dryRun: dryRun)
        }
        report.removed[step, default: 0] += piece.removed
        cursor = piece.cursor
      } while cursor != nil
    }
    return report
  }

  /// Leaves the database to others for at least as long as a piece took, and longer after one that changed something.
  private func pacing<Result>(_ piece: () async throws -> Result) async throws -> Result {
    try Task.checkCancellation()
    let start = ContinuousClock.now
    let result = try await piece()
    let took = ContinuousClock.now - start
    if took > .milliseconds(1) { try await Task.sleep(for: min(took * 2, .milliseconds(200))) }
    return result
  }
}
