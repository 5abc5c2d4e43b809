import AnalyticsContract
import Ingestion
import Testing

@Suite(.timeLimit(.minutes(5))) struct CommitFailures {
  @Test(arguments: [StoreFailureReason.full, .busy, .inaccessible])
  func `A store that is away fails all of the group, and the next group works`(reason: StoreFailureReason) async {
    let committing = Committing()
    let first = committing.submit(submission(1))
    let commit = await committing.store.next()
    let tasks = await committing.queue([2, 3])
    commit.fail(.unavailable(reason))
    #expect(await first.value == .failure(.store(.unavailable(reason))))
    let group = await committing.store.next()
    let late = await committing.queue(submission(2), as: 1)
    group.fail(.unavailable(reason))
    for task in tasks { #expect(await task.value == .failure(.store(.unavailable(reason)))) }
    let next = await committing.store.next()
    #expect(next.installations == digests([2]))
    next.succeed()
    #expect(await late.value == .success(.stored(accepted: 1, replayed: 0)))
    await committing.committer.stop()
    #expect(committing.observer.told.failures == [.unavailable(reason), .unavailable(reason)])
  }

  @Test(arguments: [StoreFailure.defect, .unavailable(.corrupt), .unavailable(.inputOutput)])
  func `What may be one batch's own is tried batch by batch, and only the culprit fails`(failure: StoreFailure) async {
    let committing = Committing()
    let first = committing.submit(submission(1))
    let commit = await committing.store.next()
    let tasks = await committing.queue([2, 3, 4])
    commit.succeed()
    await committing.store.next().fail(failure)
    for number in [2, 3, 4] as [UInt64] {
      let alone = await committing.store.next()
      #expect(alone.installations == digests([number]))
      if number == 3 { alone.fail(failure) } else { alone.succeed([.stored(accepted: Int(number), replayed: 0)]) }
    }
    #expect(await first.value == .success(.stored(accepted: 1, replayed: 0)))
    #expect(await tasks[0].value == .success(.stored(accepted: 2, replayed: 0)))
    #expect(await tasks[1].value == .failure(.store(failure)))
    #expect(await tasks[2].value == .success(.stored(accepted: 4, replayed: 0)))
    let next = committing.submit(submission(3))
    await committing.store.next().succeed()
    #expect(await next.value == .success(.stored(accepted: 1, replayed: 0)))
  }

  @Test func `A defect of a single batch fails it without another try`() async {
    let committing = Committing()
    let task = committing.submit(submission(1))
    await committing.store.next().fail(.defect)
    #expect(await task.value == .failure(.store(.defect)))
    await committing.committer.stop()
    #expect(await !committing.store.hasUnseenCommit)
  }

  @Test func `A store that goes away during the tries fails the batches it did not store`() async {
    let committing = Committing()
    let first = committing.submit(submission(1))
    let commit = await committing.store.next()
    let tasks = await committing.queue([2, 3])
    commit.succeed()
    await committing.store.next().fail(.defect)
    await committing.store.next().succeed()
    await committing.store.next().fail(.unavailable(.full))
    _ = await first.value
    #expect(await tasks[0].value == .success(.stored(accepted: 1, replayed: 0)))
    #expect(await tasks[1].value == .failure(.store(.unavailable(.full))))
  }

  @Test func `Under load each culprit fails and no other batch does`() async {
    let store = AnsweringStore { group, _ in
      group.contains { $0.items.count == 13 }
        ? .failure(.defect) : .success(group.map { .stored(accepted: $0.items.count, replayed: 0) })
    }
    let committer = GroupCommitter(store: store, writers: 2, observer: RecordingObserver())
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<500 {
        group.addTask {
          let items = number % 50 == 49 ? 13 : 2
          do throws(SubmissionFailure) {
            let outcome = try await committer.submit(submission(UInt64(number), items: items))
            #expect(items == 2 && outcome == .stored(accepted: 2, replayed: 0))
          } catch {
            #expect(items == 13 && error == .store(.defect))
          }
        }
      }
    }
    await committer.stop()
  }
}
