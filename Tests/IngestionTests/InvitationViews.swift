import AnalyticsContract
import Ingestion
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(5))) struct InvitationViews {
  private typealias Views = [Task<SubmissionFailure?, Never>]

  private let tomorrow = now.day.advanced(by: 1)

  /// Views of a day that wait for their count, one after the other behind a held commit.
  private func view(_ committer: GroupCommitter, on day: CalendarDay = now.day) -> Task<SubmissionFailure?, Never> {
    Task {
      do throws(SubmissionFailure) { try await committer.countInvitationView(on: day) } catch { return error }
      return nil
    }
  }

  /// Starts views while the store holds a commit, and returns once all of them wait.
  private func queue(_ count: Int, on day: CalendarDay = now.day, _ committing: Committing) async -> Views {
    var views: Views = []
    for _ in 0..<count {
      let told = committing.observer.told.changes
      views.append(view(committing.committer, on: day))
      while committing.observer.told.changes == told { await Task.yield() }
    }
    return views
  }

  private func expect(_ views: Views, _ failure: SubmissionFailure?) async {
    for view in views { #expect(await view.value == failure) }
  }

  @Test func `A view that comes to an idle committer is counted at once, and waits until that is durable`() async {
    let committing = Committing()
    let hasReturned = Flag()
    let committer = committing.committer
    let task = Task {
      try await committer.countInvitationView(on: now.day)
      hasReturned.set()
    }
    let commit = await committing.store.next()
    #expect(commit.group.isEmpty)
    #expect(commit.counts == DayCounts(invitationViews: [now.day: 1]))
    for _ in 0..<100 { await Task.yield() }
    #expect(!hasReturned.isSet)
    commit.succeed([])
    #expect(await (try? task.value) != nil)
    await committing.committer.stop()
    #expect(await !committing.store.hasUnseenCommit)
  }

  @Test func `Views that come meanwhile share the next commit, by day, with batches and refusals`() async {
    let committing = Committing()
    let first = committing.submit(submission(1))
    let commit = await committing.store.next()
    let views = await queue(3, committing) + queue(2, on: tomorrow, committing)
    let batch = await committing.queue(submission(2), as: 1)
    committing.committer.countRejection(.conflict, on: now.day)
    commit.succeed()
    let next = await committing.store.next()
    #expect(next.installations == digests([2]))
    #expect(next.counts.invitationViews == [now.day: 3, tomorrow: 2])
    #expect(count(.conflict, in: next.rejections) == 1)
    next.succeed()
    await expect(views, nil)
    _ = await (first.value, batch.value)
    await committing.committer.stop()
    #expect(await !committing.store.hasUnseenCommit)
  }

  @Test func `A second writer takes views while the first one is busy`() async {
    let committing = Committing(writers: 2)
    let first = view(committing.committer)
    let commit = await committing.store.next()
    let second = view(committing.committer)
    let other = await committing.store.next()
    #expect(other.counts.invitationViews == [now.day: 1])
    other.succeed([])
    await expect([second], nil)
    commit.succeed([])
    await expect([first], nil)
  }

  @Test func `Views of a group that failed are told so and not counted later, though refusals are`() async {
    for failure in [StoreFailure.unavailable(.full), .unavailable(.disconnected), .unavailable(.busy)] {
      let committing = Committing()
      let first = committing.submit(submission(1))
      let commit = await committing.store.next()
      let views = await queue(2, committing)
      committing.committer.countRejection(.conflict, on: now.day)
      commit.succeed()
      let failing = await committing.store.next()
      #expect(failing.counts.invitationViews == [now.day: 2])
      let later = await queue(1, on: tomorrow, committing)
      failing.fail(failure)
      await expect(views, .store(failure))
      let next = await committing.store.next()
      #expect(next.counts.invitationViews == [tomorrow: 1])
      #expect(count(.conflict, in: next.rejections) == 1)
      next.succeed()
      await expect(later, nil)
      _ = await first.value
      await committing.committer.stop()
      #expect(await !committing.store.hasUnseenCommit)
    }
  }

  @Test(arguments: [StoreFailure.defect, .unavailable(.corrupt), .unavailable(.inputOutput)])
  func `Where one part of a group may be to blame each is tried alone, and counted once`(failure: StoreFailure) async {
    for culprit in 0..<4 {
      let committing = Committing()
      let first = committing.submit(submission(1))
      let commit = await committing.store.next()
      let batches = await committing.queue([2, 3])
      let views = await queue(2, committing)
      committing.committer.countRejection(.conflict, on: now.day)
      commit.succeed()
      await committing.store.next().fail(failure)
      for part in 0..<4 {
        let alone = await committing.store.next()
        #expect(alone.installations == (part < 2 ? digests([UInt64(part + 2)]) : []))
        #expect(count(.conflict, in: alone.rejections) == (part == 2 ? 1 : 0))
        #expect(alone.counts.invitationViews == (part == 3 ? [now.day: 2] : [:]))
        if part == culprit { alone.fail(failure) } else { alone.succeed() }
      }
      for (position, batch) in batches.enumerated() {
        let stored = Result<CommitOutcome, SubmissionFailure>.success(.stored(accepted: 1, replayed: 0))
        #expect(await batch.value == (position == culprit ? .failure(.store(failure)) : stored))
      }
      await expect(views, culprit == 3 ? .store(failure) : nil)
      _ = await first.value
      let stop = Task { await committing.committer.stop() }
      if culprit == 2, failure != .defect {
        // Refusals wait for another time.
        let last = await committing.store.next()
        #expect(last.counts.invitationViews.isEmpty && count(.conflict, in: last.rejections) == 1)
        last.succeed()
      }
      await stop.value
      #expect(await !committing.store.hasUnseenCommit)
    }
  }

  @Test func `A view that fails alone is not tried again`() async {
    let committing = Committing()
    let task = view(committing.committer)
    await committing.store.next().fail(.defect)
    await expect([task], .store(.defect))
    await committing.committer.stop()
    #expect(await !committing.store.hasUnseenCommit)
  }

  @Test func `Stopping waits for views that were taken and refuses later ones`() async {
    let committing = Committing()
    let first = view(committing.committer)
    let commit = await committing.store.next()
    let views = await queue(2, committing)
    let stop = Task { await committing.committer.stop() }
    while await committing.submit(submission(1)).value != .failure(.stopping) { await Task.yield() }
    await expect([view(committing.committer)], .stopping)
    commit.succeed([])
    let last = await committing.store.next()
    #expect(last.counts.invitationViews == [now.day: 2])
    last.succeed([])
    await stop.value
    await expect([first] + views, nil)
  }

  @Test func `Cancelling the task that waits does not withdraw its view`() async {
    let committing = Committing()
    let task = view(committing.committer)
    let commit = await committing.store.next()
    task.cancel()
    commit.succeed([])
    await expect([task], nil)
  }

  @Test(arguments: [1, 2, 4])
  func `Of ten thousand views at once exactly those that are told so are counted, with few commits`(
    writers: Int
  ) async {
    // Every third commit comes while the store is away.
    let asked = Mutex(0)
    let store = AnsweringStore { group, _ in
      let isAway = asked.withLock { number in
        number += 1
        return number % 3 == 0
      }
      if isAway { return .failure(.unavailable(.busy)) }
      return .success(group.map { .stored(accepted: $0.items.count, replayed: 0) })
    }
    let committer = GroupCommitter(store: store, writers: writers, observer: RecordingObserver())
    let counted: [CalendarDay: Int] = await withTaskGroup(of: CalendarDay?.self) { group in
      for number in 0..<10_000 {
        group.addTask {
          let day = number % 3 == 0 ? tomorrow : now.day
          if number % 50 == 0 { _ = try? await committer.submit(submission(UInt64(number))) }
          do throws(SubmissionFailure) { try await committer.countInvitationView(on: day) } catch { return nil }
          return day
        }
      }
      return await group.reduce(into: [:]) { counts, day in if let day { counts[day, default: 0] += 1 } }
    }
    await committer.stop()
    #expect(store.asked.durableViews == counted)
    #expect(!counted.isEmpty)
    #expect(store.asked.commits.count < 10_000)
  }
}
