import AnalyticsContract
import Ingestion
import Testing

@Suite(.timeLimit(.minutes(5))) struct Stopping {
  @Test func `An idle committer stops at once, and twice`() async {
    let committing = Committing()
    await committing.committer.stop()
    await committing.committer.stop()
    #expect(await committing.submit(submission(1)).value == .failure(.stopping))
    #expect(await !committing.store.hasUnseenCommit)
  }

  @Test func `Stopping waits for what was taken, in flight and queued, and refuses what comes later`() async {
    let committing = Committing(limits: GroupLimits(waitingBatches: 3))
    let first = committing.submit(submission(1))
    let commit = await committing.store.next()
    let tasks = await committing.queue([2, 2, 3])
    let hasStopped = Flag()
    let stops = (0..<2).map { _ in
      Task {
        await committing.committer.stop()
        hasStopped.set()
      }
    }
    // The queue is full, so a batch is refused at once: for that, until the stop has begun.
    while await committing.submit(submission(4)).value != .failure(.stopping) { await Task.yield() }
    commit.succeed()
    let second = await committing.store.next()
    #expect(second.installations == digests([2, 3]))
    #expect(await committing.submit(submission(4)).value == .failure(.stopping))
    second.succeed()
    let third = await committing.store.next()
    #expect(third.installations == digests([2]))
    #expect(!hasStopped.isSet)
    third.succeed()
    for stop in stops { await stop.value }
    #expect(await first.value == .success(.stored(accepted: 1, replayed: 0)))
    for (task, place) in zip(tasks, [0, 0, 1]) {
      #expect(await task.value == .success(.stored(accepted: 1, replayed: place)))
    }
    #expect(await committing.submit(submission(9)).value == .failure(.stopping))
    #expect(await !committing.store.hasUnseenCommit)
  }

  @Test func `Stopping with several writers waits for all of them`() async {
    let committing = Committing(writers: 3, limits: GroupLimits(waitingBatches: 1))
    var tasks: [Task<Result<CommitOutcome, SubmissionFailure>, Never>] = []
    var commits: [ScriptedStore.Commit] = []
    for number in 1...3 as ClosedRange<UInt64> {
      tasks.append(committing.submit(submission(number)))
      commits.append(await committing.store.next())
    }
    tasks.append(await committing.queue(submission(4), as: 1))
    let hasStopped = Flag()
    let stop = Task {
      await committing.committer.stop()
      hasStopped.set()
    }
    while await committing.submit(submission(5)).value != .failure(.stopping) { await Task.yield() }
    commits[1].succeed()
    commits[0].succeed()
    await committing.store.next().succeed()
    for task in [tasks[0], tasks[1], tasks[3]] { _ = await task.value }
    #expect(!hasStopped.isSet)
    commits[2].succeed()
    await stop.value
    for task in tasks { #expect(await task.value == .success(.stored(accepted: 1, replayed: 0))) }
  }

  @Test func `Stopping while the store is away fails what waits instead of waiting for ever`() async {
    let committing = Committing(limits: GroupLimits(waitingBatches: 1))
    let first = committing.submit(submission(1))
    let commit = await committing.store.next()
    let second = await committing.queue(submission(2), as: 1)
    let stop = Task { await committing.committer.stop() }
    while await committing.submit(submission(3)).value != .failure(.stopping) { await Task.yield() }
    commit.fail(.unavailable(.full))
    await committing.store.next().fail(.unavailable(.full))
    await stop.value
    #expect(await first.value == .failure(.store(.unavailable(.full))))
    #expect(await second.value == .failure(.store(.unavailable(.full))))
  }
}
