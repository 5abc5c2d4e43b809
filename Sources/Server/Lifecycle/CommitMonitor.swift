import Ingestion
import Synchronization

/// Turns what the committer tells into metrics and log lines.
final class CommitMonitor: CommitObserver {
  private let metrics: ServerMetrics
  private let logger: Logger
  private let isFailing = Atomic<Bool>(false)

  init(metrics: ServerMetrics, logger: Logger) {
    self.metrics = metrics
    self.logger = logger
  }

  func queueChanged(batches: Int, bytes: Int) {
    metrics.queueBatches.set(Int64(batches))
    metrics.queueBytes.set(Int64(bytes))
  }

  func groupCommitted(batches: Int, items: Int, duration: Duration) {
    metrics.recordCommit(batches: batches, items: items, duration: duration)
    if isFailing.exchange(false, ordering: .relaxed) { logger.info("commits_recovered") }
  }

  func groupFailed(_ failure: StoreFailure) {
    metrics.commitFailures[failure].increment()
    isFailing.store(true, ordering: .relaxed)
    // Limited, because a full disk fails every group that clients send.
    logger.clientWarning("commit_failed", .reason(failure))
  }
}
