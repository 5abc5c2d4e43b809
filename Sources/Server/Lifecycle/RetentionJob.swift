import AnalyticsContract
import Ingestion
import ServerFacts
import Storage

/// Runs retention once a day, beside everything else that the server does; of several servers one does it.
struct RetentionJob: Sendable {
  let store: any AnalyticsStore
  let clock: UTCClock
  let metrics: ServerMetrics
  let logger: Logger

  /// How often the job looks whether it was done today: also after a failure, and where another server failed.
  private static let interval = Duration.seconds(600)

  /// Starts the job. Cancelling the task ends it after the piece that it is at.
  func start() -> Task<Void, Never> {
    Task {
      while !Task.isCancelled {
        await runIfDue()
        try? await Task.sleep(for: Self.interval)
      }
    }
  }

  private func runIfDue() async {
    let now = clock.now
    let start = ContinuousClock.now
    do {
      if let last = try await store.lastRetentionDay(), last >= now.day { return }
      guard let report = try await Retention(store: store).run(at: now) else { return }
      for (step, count) in report.removed { metrics.retentionRemoved[step].increment(by: UInt64(clamping: count)) }
      metrics.retentionCompleted.set(now.microseconds / 1_000_000)
      logger.info(
        "retention_completed", .field("days_sealed", report.sealedDays),
        .field("rows_removed", report.removed.values.reduce(0, +)), .duration(ContinuousClock.now - start))
    } catch let failure as StoreFailure {
      logger.warning("retention_failed", .reason(failure))
    } catch {
      // The server is stopping.
    }
  }
}
