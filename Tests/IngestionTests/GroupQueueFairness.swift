import AnalyticsContract
import Testing

@testable import Ingestion

@Suite struct GroupQueueFairness {
  @Test func `One installation can't fill the queue for the others`() {
    var queue = GroupQueue<Int>(limits: GroupLimits(waitingBatches: 1000))
    let limit = GroupLimits().waitingOfInstallation
    for number in 0..<limit { _ = queue.append(submission(1), waiter: number) }
    #expect(queue.waitingBatches == limit)
    let isRefused = !queue.append(submission(1), waiter: limit)
    #expect(isRefused)
    let isOtherTaken = queue.append(submission(2), waiter: limit)
    #expect(isOtherTaken)
    let group = queue.takeGroup()
    #expect(group.count == 2)
    let isNextTaken = queue.append(submission(1), waiter: limit + 1)
    #expect(isNextTaken)
  }
}
