import Synchronization

/// Ends a query that takes too long, or that nobody waits for any more.
final class ReadLimit: Sendable {
  private let isCancelled = Atomic<Bool>(false)
  private let deadline = Mutex<ContinuousClock.Instant?>(nil)

  /// Begins to count the time.
  func begin(_ duration: Duration) { deadline.withLock { $0 = .now + duration } }

  /// Ends the query.
  func cancel() { isCancelled.store(true, ordering: .relaxed) }

  /// Whether the query must end.
  var isReached: Bool {
    isCancelled.load(ordering: .relaxed) || deadline.withLock { $0.map { ContinuousClock.now > $0 } ?? false }
  }
}
