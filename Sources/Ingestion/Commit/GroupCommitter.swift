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
///
/// What is counted by day rides with the groups. A view of an invitation page waits for its group as a batch does; a
/// refused request has been answered already, so its count only has to arrive some time.
public final class GroupCommitter: Sendable {
  private typealias Waiter = CheckedContinuation<Result<CommitOutcome, SubmissionFailure>, Never>

  /// A view of an invitation page that waits until its count is durable.
  private struct View: Sendable {
    let day: CalendarDay
    let waiter: CheckedContinuation<SubmissionFailure?, Never>
  }

  /// What is committed in one transaction.
  private struct Group {
    var batches: [GroupQueue<Waiter>.Entry] = []
    var rejections = RejectionCounts()
    var views: [View] = []

    var counts: DayCounts {
      DayCounts(rejections: rejections, invitationViews: views.reduce(into: [:]) { $0[$1.day, default: 0] += 1 })
    }

    /// What each fails or succeeds on its own where one of them may be the cause of a failure: every batch, and the
    /// counts of a kind.
    var parts: [Group] {
      batches.map { Group(batches: [$0]) } + (rejections.isEmpty ? [] : [Group(rejections: rejections)])
        + (views.isEmpty ? [] : [Group(views: views)])
    }
  }

  private struct State {
    var queue: GroupQueue<Waiter>
    var rejections = RejectionCounts()
    // Each belongs to a connection, whose number is bounded, and takes a few bytes: they need no bound of their own.
    var views: [View] = []
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

  /// Counts a view of an invitation page and waits until that is durable, or has failed. Views that come together share
  /// one commit. Cancelling the task does not withdraw the view.
  /// - Parameter day: the UTC day of the view.
  /// - Throws: ``SubmissionFailure``; the view is not counted then, unless the store could not tell what became of it.
  public func countInvitationView(on day: CalendarDay) async throws(SubmissionFailure) {
    let failure = await withCheckedContinuation { waiter in
      let isTaken = state.withLock { state in
        if state.isStopping { return false }
        state.views.append(View(day: day, waiter: waiter))
        wakeWriter(&state)
        return true
      }
      if !isTaken { waiter.resume(returning: .stopping) }
    }
    if let failure { throw failure }
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
    while let group = takeGroup(orRejectionsAlone: triesRejectionsAlone) {
      let isStored = await commit(group)
      state.withLock { state in
        state.queue.finish(group.batches)
        if !isStored { state.rejections.add(group.rejections) }
      }
      // Counts that could not be stored wait for the next batch or flush instead of being tried in a loop.
      triesRejectionsAlone = isStored
    }
  }

  /// Takes what is to be committed next, or ends this writer's turn. Both happen under one lock: a batch that comes a
  /// moment later finds an idle writer to wake.
  private func takeGroup(orRejectionsAlone: Bool) -> Group? {
    var waitingForIdle: [CheckedContinuation<Void, Never>] = []
    let next: Group? = state.withLock { state in
      var group = Group(batches: state.queue.takeGroup())
      observer.queueChanged(batches: state.queue.waitingBatches, bytes: state.queue.waitingBytes)
      if group.batches.isEmpty, state.views.isEmpty, state.rejections.isEmpty || !orRejectionsAlone {
        state.idleWriters += 1
        if state.idleWriters == writers { swap(&waitingForIdle, &state.waitingForIdle) }
        return nil
      }
      swap(&group.rejections, &state.rejections)
      swap(&group.views, &state.views)
      return group
    }
    waitingForIdle.forEach { $0.resume() }
    return next
  }

  /// Commits a group and gives each batch and each view its outcome.
  /// - Returns: whether the rejection counts are done with.
  private func commit(_ group: Group) async -> Bool {
    let start = ContinuousClock.now
    do throws(StoreFailure) {
      let outcomes = try await store.commit(group.batches.map(\.submission), counts: group.counts)
      precondition(outcomes.count == group.batches.count, "a store owes every batch an outcome")
      let items = group.batches.reduce(0) { $0 + $1.submission.items.count }
      observer.groupCommitted(batches: group.batches.count, items: items, duration: ContinuousClock.now - start)
      for (entry, outcome) in zip(group.batches, outcomes) { entry.waiter.resume(returning: .success(outcome)) }
      for view in group.views { view.waiter.resume(returning: nil) }
      return true
    } catch {
      observer.groupFailed(error)
      let parts = error.mayConcernOneBatch ? group.parts : []
      if parts.count > 1 {
        // One batch, or counts of one kind, must have caused it: the others must not suffer.
        var isStored = true
        for part in parts {
          let isPartStored = await commit(part)
          if !part.rejections.isEmpty { isStored = isPartStored }
        }
        return isStored
      }
      for entry in group.batches { entry.waiter.resume(returning: .failure(.store(error))) }
      // Whoever looked is told that it failed, and not counted later.
      for view in group.views { view.waiter.resume(returning: .store(error)) }
      // Counts that are a defect by themselves would be one for ever.
      return error == .defect
    }
  }
}
