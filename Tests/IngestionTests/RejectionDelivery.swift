import AnalyticsContract
import Ingestion
import Testing

@Suite(.timeLimit(.minutes(5))) struct RejectionDelivery {
  @Test func `Counts add up by day and code`() {
    var counts = RejectionCounts()
    #expect(counts.isEmpty)
    counts.add(.conflict, on: now.day)
    counts.add(.conflict, on: now.day, count: 2)
    counts.add(.conflict, on: now.day.advanced(by: 1))
    var others = RejectionCounts()
    others.add(.unauthorized, on: now.day)
    others.add(.conflict, on: now.day)
    counts.add(others)
    counts.add(RejectionCounts())
    #expect(count(.conflict, in: counts) == 4)
    #expect(count(.unauthorized, in: counts) == 1)
    #expect(counts.counts.count == 3)
    #expect(!counts.isEmpty)
  }

  // Where it matters which commit the counts go with, they come while one is held, so that no timer can send them first.

  @Test func `Counts go with the next group, once`() async {
    let committing = Committing()
    let first = committing.submit(submission(1))
    let commit = await committing.store.next()
    committing.committer.countRejection(.invalidRequest, on: now.day)
    committing.committer.countRejection(.invalidRequest, on: now.day)
    committing.committer.countRejection(.conflict, on: now.day)
    let second = await committing.queue(submission(2), as: 1)
    #expect(commit.rejections.isEmpty)
    commit.succeed()
    let next = await committing.store.next()
    #expect(next.installations == digests([2]))
    #expect(count(.invalidRequest, in: next.rejections) == 2)
    #expect(count(.conflict, in: next.rejections) == 1)
    let third = await committing.queue(submission(3), as: 1)
    next.succeed()
    let last = await committing.store.next()
    #expect(last.installations == digests([3]))
    #expect(last.rejections.isEmpty)
    last.succeed()
    _ = await (first.value, second.value, third.value)
    await committing.committer.stop()
    #expect(await !committing.store.hasUnseenCommit)
  }

  @Test func `Counts without any batch are stored by themselves`() async {
    let committing = Committing()
    committing.committer.countRejection(.payloadTooLarge, on: now.day)
    let commit = await committing.store.next()
    #expect(commit.group.isEmpty)
    #expect(count(.payloadTooLarge, in: commit.rejections) == 1)
    commit.succeed([])
    await committing.committer.stop()
    #expect(await !committing.store.hasUnseenCommit)
  }

  @Test func `Counts of a group that failed are kept and go with the next one`() async {
    let failure = StoreFailure.unavailable(.busy)
    let committing = Committing()
    let first = committing.submit(submission(1))
    let commit = await committing.store.next()
    committing.committer.countRejection(.conflict, on: now.day)
    let second = await committing.queue(submission(2), as: 1)
    commit.succeed()
    let failing = await committing.store.next()
    #expect(count(.conflict, in: failing.rejections) == 1)
    committing.committer.countRejection(.conflict, on: now.day)
    let third = await committing.queue(submission(3), as: 1)
    failing.fail(failure)
    #expect(await second.value == .failure(.store(failure)))
    let next = await committing.store.next()
    #expect(next.installations == digests([3]))
    #expect(count(.conflict, in: next.rejections) == 2)
    next.succeed()
    _ = await (first.value, third.value)
    await committing.committer.stop()
    #expect(await !committing.store.hasUnseenCommit)
  }

  @Test func `Counts of a group that is tried batch by batch are stored once`() async {
    let committing = Committing()
    let first = committing.submit(submission(1))
    let commit = await committing.store.next()
    committing.committer.countRejection(.conflict, on: now.day)
    let tasks = await committing.queue([2, 3])
    commit.succeed()
    await committing.store.next().fail(.defect)
    var stored = 0
    for number in [2, 3] as [UInt64] {
      let alone = await committing.store.next()
      #expect(alone.installations == digests([number]))
      stored += count(.conflict, in: alone.rejections)
      alone.succeed()
    }
    if stored == 0 {
      let counts = await committing.store.next()
      stored += count(.conflict, in: counts.rejections)
      counts.succeed()
    }
    #expect(stored == 1)
    _ = await first.value
    for task in tasks { #expect(await task.value == .success(.stored(accepted: 1, replayed: 0))) }
    await committing.committer.stop()
    #expect(await !committing.store.hasUnseenCommit)
  }

  @Test func `Counts that can't be stored by themselves wait instead of being tried in a loop`() async {
    let committing = Committing()
    let first = committing.submit(submission(1))
    let commit = await committing.store.next()
    committing.committer.countRejection(.conflict, on: now.day)
    commit.succeed()
    _ = await first.value
    let alone = await committing.store.next()
    #expect(alone.group.isEmpty)
    #expect(count(.conflict, in: alone.rejections) == 1)
    let second = await committing.queue(submission(2), as: 1)
    alone.fail(.unavailable(.full))
    let last = await committing.store.next()
    #expect(last.installations == digests([2]))
    #expect(count(.conflict, in: last.rejections) == 1)
    last.succeed()
    _ = await second.value
    await committing.committer.stop()
    #expect(await !committing.store.hasUnseenCommit)
  }

  @Test func `Counts are stored before the stop returns, and batches are refused while they are`() async {
    let committing = Committing()
    committing.committer.countRejection(.unauthorized, on: now.day)
    let stop = Task { await committing.committer.stop() }
    let commit = await committing.store.next()
    #expect(commit.group.isEmpty)
    #expect(count(.unauthorized, in: commit.rejections) == 1)
    #expect(await committing.submit(submission(1)).value == .failure(.stopping))
    commit.succeed([])
    await stop.value
  }

  @Test func `A stop ends although the counts can't be stored`() async {
    let committing = Committing()
    committing.committer.countRejection(.unauthorized, on: now.day)
    let stop = Task { await committing.committer.stop() }
    await committing.store.next().fail(.unavailable(.inputOutput))
    await stop.value
    #expect(await !committing.store.hasUnseenCommit)
  }

  @Test func `Every refused request is counted once, whatever fails between`() async {
    let store = AnsweringStore { group, _ in
      // A batch with an odd number of items stands for a time at which the store is away.
      group.contains { $0.items.count % 2 == 1 }
        ? .failure(.unavailable(.busy)) : .success(group.map { .stored(accepted: $0.items.count, replayed: 0) })
    }
    let committer = GroupCommitter(store: store, writers: 2, observer: RecordingObserver())
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<1000 {
        group.addTask {
          committer.countRejection(number % 2 == 0 ? .conflict : .unauthorized, on: now.day)
          if number % 5 == 0 {
            _ = try? await committer.submit(submission(UInt64(number), items: number % 4 == 0 ? 2 : 3))
          }
        }
      }
    }
    await committer.stop()
    let durable = store.asked.durableRejections
    #expect(count(.conflict, in: durable) == 500)
    #expect(count(.unauthorized, in: durable) == 500)
  }

  @Test func `A batch does not fail because the counts beside it can't be stored`() async {
    let store = AnsweringStore { group, counts in
      counts.isEmpty
        ? .success(group.map { .stored(accepted: $0.items.count, replayed: 0) }) : .failure(.defect)
    }
    let committer = GroupCommitter(store: store, observer: RecordingObserver())
    committer.countRejection(.conflict, on: now.day)
    let outcome = try? await committer.submit(submission(1))
    #expect(outcome == .stored(accepted: 1, replayed: 0))
  }
}
