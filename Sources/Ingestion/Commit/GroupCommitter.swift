import AnalyticsContract
import Synchronization

/// Why a batch got no outcome.
public enum SubmissionFailure: Error, Sendable, Equatable {
  /// Too many batches wait already.
  case queueFull
  /// The server is stopping.
  case stopping
  /// The store failed; nothing of the batch is stored.
  case store(StoreFailure)
}

/// Learns what the committer does, for metrics.
public protocol CommitObserver: Sendable {
  /// The queue's length changed.
  func queueChanged(batches: Int, bytes: Int)
  /// A group was committed.
  func groupCommitted(batches: Int, items: Int, duration: Duration)
  /// A group could not be committed.
  func groupFailed(_ failure: StoreFailure)
}

/// Group commit: batches queue up, and each writer takes all that waits and commits it in one transaction. While one
/// group commits the next one gathers, so an idle server adds no latency and a busy one shares each flush to disk
/// among many batches. There is no timer.
public final class GroupCommitter: Sendable {
  private typealias Waiter = CheckedContinuation<Result<CommitOutcome, SubmissionFailure>, Never>

  private struct State {
    var queue: GroupQueue<Waiter>
    var rejections = RejectionCounts()
    var idleWriters: Int
    var rejectionFlush: Task<Void, Never>?
    var isStopping = false
    var waitingForIdle: [CheckedContinuation<Void, Never>] = []
  }

  private let store: any BatchStore
  private let observer: any CommitObserver
  private let writers: Int
  private let state: Mutex<State>

  /// - Parameters:
  ///   - store: where groups are committed.
  ///   - writers: how many groups may be in flight at once; as many as the store can commit side by side.
  ///   - limits: bounds of the queue and of a group.
  ///   - observer: learns what happens.
  public init(store: any BatchStore, writers: Int = 1, limits: GroupLimits = .init(), observer: any CommitObserver) {
    self.store = store
    self.writers = writers
    self.observer = observer
    state = Mutex(State(queue: GroupQueue(limits: limits), idleWriters: writers))
  }

  /// Queues a batch and waits until its group is durable or has failed. Cancelling the task does not withdraw it.
  /// - Throws: ``SubmissionFailure``; nothing of the batch is stored then.
  public func submit(_ submission: Submission) async throws(SubmissionFailure) -> CommitOutcome {
    let result = await withCheckedContinuation { (waiter: Waiter) in
      let refusal: SubmissionFailure? = state.withLock { state in
        if state.isStopping { return .stopping }
        if !state.queue.append(submission, waiter: waiter) { return .queueFull }
        wakeWriter(&state)
        return nil
      }
      if let refusal { waiter.resume(returning: .failure(refusal)) }
    }
    return try result.get()
  }

  /// Counts a refused request. The count becomes durable with the next group, or within about a second.
  public func countRejection(_ code: ErrorCode, on day: CalendarDay) {
    state.withLock { state in
      state.rejections.add(code, on: day)
      if state.rejectionFlush == nil, !state.isStopping {
        state.rejectionFlush = Task {
          try? await Task.sleep(for: .seconds(1))
          self.state.withLock { state in
            state.rejectionFlush = nil
            if !state.rejections.isEmpty { self.wakeWriter(&state) }
          }
        }
      }
    }
  }

  /// Refuses further batches and waits until all that were taken have their outcome and the counts are durable.
  public func stop() async {
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      let isIdle = state.withLock { state in
        state.isStopping = true
        state.rejectionFlush?.cancel()
        if !state.rejections.isEmpty { wakeWriter(&state) }
        if state.idleWriters == writers { return true }
        state.waitingForIdle.append(continuation)
        return false
      }
      if isIdle { continuation.resume() }
    }
  }

  private func wakeWriter(_ state: inout State) {
    observer.queueChanged(batches: state.queue.waitingBatches, bytes: state.queue.waitingBytes)
    if state.idleWriters > 0 {
      state.idleWriters -= 1
      Task { await self.commitGroups() }
    }
  }

  /// Commits one group after another until nothing waits that this writer could take.
  private func commitGroups() async {
    var triesRejectionsAlone = true
    while let (group, rejections) = takeGroup(orRejectionsAlone: triesRejectionsAlone) {
      let isStored = await commit(group, rejections)
      state.withLock { state in
        state.queue.finish(group)
        if !isStored { state.rejections.add(rejections) }
      }
      // Counts that could not be stored wait for the next batch or flush instead of being tried in a loop.
      triesRejectionsAlone = isStored
    }
  }

  /// Takes what is to be committed next, or ends this writer's turn. Both happen under one lock: a batch that comes a
  /// moment later finds an idle writer to wake.
  private func takeGroup(orRejectionsAlone: Bool) -> ([GroupQueue<Waiter>.Entry], RejectionCounts)? {
    var waitingForIdle: [CheckedContinuation<Void, Never>] = []
    let next: ([GroupQueue<Waiter>.Entry], RejectionCounts)? = state.withLock { state in
      let group = state.queue.takeGroup()
      observer.queueChanged(batches: state.queue.waitingBatches, bytes: state.queue.waitingBytes)
      if group.isEmpty, state.rejections.isEmpty || !orRejectionsAlone {
        state.idleWriters += 1
        if state.idleWriters == writers { swap(&waitingForIdle, &state.waitingForIdle) }
        return nil
      }
      defer { state.rejections = RejectionCounts() }
      return (group, state.rejections)
    }
    waitingForIdle.forEach { $0.resume() }
    return next
  }

  /// Commits a group and gives each batch its outcome.
  /// - Returns: whether the rejection counts are done with.
  private func commit(_ group: [GroupQueue<Waiter>.Entry], _ rejections: RejectionCounts) async -> Bool {
    let start = ContinuousClock.now
    do throws(StoreFailure) {
      let outcomes = try await store.commit(group.map(\.submission), rejections: rejections)
      precondition(outcomes.count == group.count, "a store owes every batch an outcome")
      let items = group.reduce(0) { $0 + $1.submission.items.count }
      observer.groupCommitted(batches: group.count, items: items, duration: ContinuousClock.now - start)
      for (entry, outcome) in zip(group, outcomes) { entry.waiter.resume(returning: .success(outcome)) }
      return true
    } catch {
      observer.groupFailed(error)
      if error.mayConcernOneBatch, group.count + (rejections.isEmpty ? 0 : 1) > 1 {
        // One batch, or the counts, must have caused it: the others must not suffer.
        for entry in group { _ = await commit([entry], RejectionCounts()) }
        return rejections.isEmpty ? true : await commit([], rejections)
      }
      for entry in group { entry.waiter.resume(returning: .failure(.store(error))) }
      // Counts that are a defect by themselves would be one for ever.
      return error == .defect
    }
  }
}
