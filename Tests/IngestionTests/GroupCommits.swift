import AnalyticsContract
import Ingestion
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(5))) struct GroupCommits {
  @Test func `A batch that comes to an idle committer is committed at once and alone`() async {
    let committing = Committing()
    let task = committing.submit(submission(1, items: 3))
    let commit = await committing.store.next()
    #expect(commit.installations == digests([1]))
    #expect(commit.rejections.isEmpty)
    commit.succeed([.stored(accepted: 2, replayed: 1)])
    #expect(await task.value == .success(.stored(accepted: 2, replayed: 1)))
    await committing.committer.stop()
    #expect(committing.observer.told.committed.map(\.batches) == [1])
    #expect(committing.observer.told.committed.map(\.items) == [3])
    #expect(committing.observer.told.waitingBatches == 0)
    #expect(committing.observer.told.waitingBytes == 0)
  }

  @Test func `Batches gather while one group commits, and each gets its own outcome`() async {
    let committing = Committing()
    let first = committing.submit(submission(1))
    let commit = await committing.store.next()
    let tasks = await committing.queue([2, 3, 4, 5])
    #expect(await !committing.store.hasUnseenCommit)
    commit.succeed()
    #expect(await first.value == .success(.stored(accepted: 1, replayed: 0)))
    let group = await committing.store.next()
    #expect(group.installations == digests([2, 3, 4, 5]))
    group.succeed([.conflict, .stored(accepted: 7, replayed: 8), .unauthorized, .stored(accepted: 0, replayed: 1)])
    #expect(await tasks[0].value == .success(.conflict))
    #expect(await tasks[1].value == .success(.stored(accepted: 7, replayed: 8)))
    #expect(await tasks[2].value == .success(.unauthorized))
    #expect(await tasks[3].value == .success(.stored(accepted: 0, replayed: 1)))
  }

  @Test func `Batches of one installation are committed one after another, in order`() async {
    let committing = Committing()
    let first = committing.submit(submission(1))
    let commit = await committing.store.next()
    let tasks = await committing.queue([2, 2, 3, 2])
    commit.succeed()
    for expected in [[2, 3], [2], [2]] as [[UInt64]] {
      let group = await committing.store.next()
      #expect(group.installations == digests(expected))
      group.succeed()
    }
    for task in [first] + tasks {
      guard case .success(.stored(accepted: 1, _)) = await task.value else {
        Issue.record("not stored")
        continue
      }
    }
  }

  @Test func `A second writer takes nothing of an installation in flight, and all else`() async {
    let committing = Committing(writers: 2)
    let first = committing.submit(submission(1))
    let commit = await committing.store.next()
    let second = await committing.queue(submission(1), as: 1)
    let third = committing.submit(submission(2))
    let other = await committing.store.next()
    #expect(other.installations == digests([2]))
    other.succeed()
    #expect(await third.value == .success(.stored(accepted: 1, replayed: 0)))
    #expect(await !committing.store.hasUnseenCommit)
    commit.succeed()
    #expect(await first.value == .success(.stored(accepted: 1, replayed: 0)))
    let last = await committing.store.next()
    #expect(last.installations == digests([1]))
    last.succeed()
    #expect(await second.value == .success(.stored(accepted: 1, replayed: 0)))
  }

  @Test func `A full queue refuses a batch at once and takes the next after a group has left`() async {
    let committing = Committing(limits: GroupLimits(waitingBatches: 2))
    let first = committing.submit(submission(1))
    let commit = await committing.store.next()
    let tasks = await committing.queue([2, 3])
    #expect(await committing.submit(submission(4)).value == .failure(.queueFull))
    commit.succeed()
    let group = await committing.store.next()
    #expect(group.installations == digests([2, 3]))
    let late = await committing.queue(submission(4), as: 1)
    group.succeed()
    await committing.store.next().succeed()
    for task in [first, tasks[0], late] { #expect(await task.value == .success(.stored(accepted: 1, replayed: 0))) }
  }

  @Test func `A queue without room refuses every batch and stops all the same`() async {
    for limits in [GroupLimits(waitingBatches: 0), GroupLimits(waitingBytes: 1)] {
      let committing = Committing(limits: limits)
      #expect(await committing.submit(submission(1)).value == .failure(.queueFull))
      await committing.committer.stop()
    }
  }

  @Test func `Cancelling the task that waits does not withdraw its batch`() async {
    let committing = Committing()
    let first = committing.submit(submission(1))
    let commit = await committing.store.next()
    let second = await committing.queue(submission(2), as: 1)
    first.cancel()
    second.cancel()
    commit.succeed()
    await committing.store.next().succeed()
    #expect(await first.value == .success(.stored(accepted: 1, replayed: 0)))
    #expect(await second.value == .success(.stored(accepted: 1, replayed: 0)))
  }

  @Test(arguments: [1, 2, 4], [64, 1500])
  func `Thousands of tasks at once each get the outcome of their own batch, and each batch is committed once`(
    writers: Int, installations: Int
  ) async {
    let inFlight = Mutex<(now: Int, most: Int)>((0, 0))
    let store = AnsweringStore { group, _ in
      inFlight.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
      defer { inFlight.withLock { $0.now -= 1 } }
      return .success(
        group.map { submission in
          guard case .events(let events) = submission.items else { return .conflict }
          return .stored(accepted: events.count, replayed: Int(events[0].clientEventID.low))
        })
    }
    let observer = RecordingObserver()
    let committer = GroupCommitter(
      store: store, writers: writers, limits: GroupLimits(waitingBatches: 10_000, groupBatches: 100),
      observer: observer)
    let wrong = await withTaskGroup(of: Bool.self) { group in
      for number in 0..<3000 {
        group.addTask {
          let items = number % 3 + 1
          let events = (0..<items).map { position in
            Event(
              clientEventID: UUIDValue(high: UInt64(position + 1), low: UInt64(number)), occurredAt: now,
              kind: .purchaseViewed)
          }
          let submission = Submission(
            installation: installation(UInt64(number % installations)).digest, items: .events(events), session: nil,
            receivedAt: now)
          let outcome = try? await committer.submit(submission)
          return outcome != .stored(accepted: items, replayed: number)
        }
      }
      return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
    }
    #expect(wrong == 0)
    await committer.stop()
    var seen: Set<UInt64> = []
    for commit in store.asked.commits {
      #expect(Set(commit.group.map(\.installation)).count == commit.group.count)
      #expect(commit.group.count <= 100)
      for submission in commit.group {
        guard case .events(let events) = submission.items else { continue }
        #expect(seen.insert(events[0].clientEventID.low).inserted)
      }
    }
    #expect(seen.count == 3000)
    #expect(inFlight.withLock { $0.most } <= writers)
    let told = observer.told
    #expect(told.committed.reduce(0) { $0 + $1.batches } == 3000)
    #expect(told.committed.reduce(0) { $0 + $1.items } == 6000)
    #expect(told.failures.isEmpty)
    #expect(told.waitingBatches == 0)
    #expect(told.waitingBytes == 0)
  }

  @Test func `Two commits that overlap never hold one installation`() async {
    let committing = Committing(writers: 3)
    var random = SeededRandom(seed: 7)
    let tasks = (0..<300).map { _ in committing.submit(submission(UInt64.random(in: 0..<4, using: &random))) }
    var done = 0
    var held: [ScriptedStore.Commit] = [await committing.store.next()]
    while done < tasks.count {
      // One commit is held back while the others go on, as long as there are others.
      if await committing.store.hasUnseenCommit {
        held.append(await committing.store.next())
        #expect(Set(held.flatMap(\.installations)).count == held.reduce(0) { $0 + $1.group.count })
        #expect(held.count <= 3)
        if held.count < 3 { continue }
      }
      let commit = held.removeFirst()
      done += commit.group.count
      commit.succeed()
      if done < tasks.count, held.isEmpty { held.append(await committing.store.next()) }
    }
    for task in tasks { #expect(await task.value != .failure(.queueFull)) }
    await committing.committer.stop()
  }
}
