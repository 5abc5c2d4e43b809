import AnalyticsContract
import Ingestion
import Synchronization

/// A store whose commits a test sees, holds and answers one by one.
actor ScriptedStore: BatchStore {
  /// A commit that waits for its answer.
  struct Commit: Sendable {
    let group: [Submission]
    let counts: DayCounts
    fileprivate let answer: CheckedContinuation<Result<[CommitOutcome], StoreFailure>, Never>

    var rejections: RejectionCounts { counts.rejections }

    /// The installations' digests in order.
    var installations: [Digest] { group.map(\.installation) }

    /// Stores every batch; what is accepted is its number of items, what is replayed its place in the group.
    func succeed() {
      succeed(group.enumerated().map { .stored(accepted: $1.items.count, replayed: $0) })
    }

    func succeed(_ outcomes: [CommitOutcome]) { answer.resume(returning: .success(outcomes)) }
    func fail(_ failure: StoreFailure) { answer.resume(returning: .failure(failure)) }
  }

  private var arrived: [Commit] = []
  private var waiting: [CheckedContinuation<Commit, Never>] = []

  /// The next commit, as soon as it comes.
  func next() async -> Commit {
    if !arrived.isEmpty { return arrived.removeFirst() }
    return await withCheckedContinuation { waiting.append($0) }
  }

  /// Whether a commit came that no test has seen.
  var hasUnseenCommit: Bool { !arrived.isEmpty }

  func commit(_ group: [Submission], counts: DayCounts) async throws(StoreFailure) -> [CommitOutcome] {
    let result = await withCheckedContinuation { answer in
      let commit = Commit(group: group, counts: counts, answer: answer)
      if waiting.isEmpty { arrived.append(commit) } else { waiting.removeFirst().resume(returning: commit) }
    }
    return try result.get()
  }

  func isValidSession(_ token: AccessToken, at instant: Instant) async throws(StoreFailure) -> Bool { false }
}

/// A store that answers at once by a function, and keeps what it was asked.
final class AnsweringStore: BatchStore {
  typealias Answer = @Sendable ([Submission], DayCounts) -> Result<[CommitOutcome], StoreFailure>

  struct Log: Sendable {
    var commits: [(group: [Submission], counts: DayCounts)] = []
    /// The counts of the commits that succeeded.
    var durableRejections = RejectionCounts()
    var durableViews: [CalendarDay: Int] = [:]
    var sessionsAsked: [(token: AccessToken, instant: Instant)] = []
  }

  private let log = Mutex(Log())
  private let session: Result<Bool, StoreFailure>
  private let answer: Answer

  /// Everything that was asked so far.
  var asked: Log { log.withLock { $0 } }

  init(
    session: Result<Bool, StoreFailure> = .success(true),
    answer: @escaping Answer = { group, _ in .success(group.map { .stored(accepted: $0.items.count, replayed: 0) }) }
  ) {
    self.session = session
    self.answer = answer
  }

  func commit(_ group: [Submission], counts: DayCounts) async throws(StoreFailure) -> [CommitOutcome] {
    await Task.yield()
    let result = answer(group, counts)
    log.withLock { log in
      log.commits.append((group, counts))
      if case .success = result {
        log.durableRejections.add(counts.rejections)
        log.durableViews.merge(counts.invitationViews, uniquingKeysWith: +)
      }
    }
    return try result.get()
  }

  func isValidSession(_ token: AccessToken, at instant: Instant) async throws(StoreFailure) -> Bool {
    log.withLock { $0.sessionsAsked.append((token, instant)) }
    return try session.get()
  }
}

/// Lets a test wait until the committer's queue has a length, and keeps what the committer told.
final class RecordingObserver: CommitObserver {
  struct State: Sendable {
    var waitingBatches = 0
    var waitingBytes = 0
    var longest = 0
    var changes = 0
    var committed: [(batches: Int, items: Int)] = []
    var failures: [StoreFailure] = []
    fileprivate var waiters: [(batches: Int, continuation: CheckedContinuation<Void, Never>)] = []
  }

  private let state = Mutex(State())

  /// What the committer told so far.
  var told: State { state.withLock { $0 } }

  /// Returns once as many batches wait.
  func waitUntilQueueHas(_ batches: Int) async {
    await withCheckedContinuation { continuation in
      let isThere = state.withLock { state in
        if state.waitingBatches == batches { return true }
        state.waiters.append((batches, continuation))
        return false
      }
      if isThere { continuation.resume() }
    }
  }

  func queueChanged(batches: Int, bytes: Int) {
    state.withLock { state in
      state.waitingBatches = batches
      state.waitingBytes = bytes
      state.changes += 1
      state.longest = max(state.longest, batches)
      for waiter in state.waiters where waiter.batches == batches { waiter.continuation.resume() }
      state.waiters.removeAll { $0.batches == batches }
    }
  }

  func groupCommitted(batches: Int, items: Int, duration: Duration) {
    state.withLock { $0.committed.append((batches, items)) }
  }

  func groupFailed(_ failure: StoreFailure) { state.withLock { $0.failures.append(failure) } }
}

/// A committer over a scripted store.
struct Committing {
  let store = ScriptedStore()
  let observer = RecordingObserver()
  let committer: GroupCommitter

  init(writers: Int = 1, limits: GroupLimits = .init()) {
    committer = GroupCommitter(store: store, writers: writers, limits: limits, observer: observer)
  }

  /// Submits without waiting for the outcome.
  func submit(_ submission: Submission) -> Task<Result<CommitOutcome, SubmissionFailure>, Never> {
    Task {
      do throws(SubmissionFailure) { return .success(try await committer.submit(submission)) } catch {
        return .failure(error)
      }
    }
  }

  /// Submits, and returns once the batch is in the queue as the one that makes it this long.
  func queue(
    _ submission: Submission, as length: Int
  ) async -> Task<Result<CommitOutcome, SubmissionFailure>, Never> {
    let task = submit(submission)
    await observer.waitUntilQueueHas(length)
    return task
  }

  /// Submits batches of installations one after another while the store is busy, so that their order is known.
  func queue(
    _ installations: [UInt64], items: Int = 1
  ) async -> [Task<Result<CommitOutcome, SubmissionFailure>, Never>] {
    var tasks: [Task<Result<CommitOutcome, SubmissionFailure>, Never>] = []
    let before = observer.told.waitingBatches
    for (position, installation) in installations.enumerated() {
      tasks.append(await queue(submission(installation, items: items), as: before + position + 1))
    }
    return tasks
  }
}

/// The digests of installations.
func digests(_ installations: [UInt64]) -> [Digest] { installations.map { installation($0).digest } }

/// The counts of one code on the day of all tests.
func count(_ code: ErrorCode, in rejections: RejectionCounts) -> Int {
  rejections.counts.filter { $0.key.code == code && $0.key.day == now.day }.reduce(0) { $0 + $1.value }
}

/// Something that has happened or not.
final class Flag: Sendable {
  private let state = Mutex(false)

  var isSet: Bool { state.withLock { $0 } }
  func set() { state.withLock { $0 = true } }
}
