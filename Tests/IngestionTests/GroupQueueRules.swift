import AnalyticsContract
import Testing

@testable import Ingestion

@Suite struct GroupQueueRules {
  private func makeQueue(
    batches: Int = 4096, bytes: Int = 64 << 20, groupBatches: Int = 512, groupItems: Int = 4096
  ) -> QueueUnderTest {
    QueueUnderTest(
      GroupLimits(waitingBatches: batches, waitingBytes: bytes, groupBatches: groupBatches, groupItems: groupItems))
  }

  /// What a batch of some items is reckoned to occupy.
  private func size(items: Int) -> Int {
    let queue = makeQueue()
    _ = queue.append(submission(1, items: items), waiter: 0)
    return queue.waitingBytes
  }

  @Test func `An empty queue gives an empty group`() {
    let queue = makeQueue()
    #expect(queue.takeGroup().isEmpty)
    #expect(queue.waitingBatches == 0)
    #expect(queue.waitingBytes == 0)
  }

  @Test func `Batches of different installations leave together in the order they came`() {
    let queue = makeQueue()
    for number in 0..<10 { #expect(queue.append(submission(UInt64(number)), waiter: number)) }
    #expect(queue.waitingBatches == 10)
    #expect(queue.takeGroup().map(\.waiter) == Array(0..<10))
    #expect(queue.waitingBatches == 0)
    #expect(queue.waitingBytes == 0)
  }

  @Test func `One installation's batches leave one after another, each after the last is finished`() {
    let queue = makeQueue()
    for number in 0..<3 { #expect(queue.append(submission(1), waiter: number)) }
    for number in 0..<3 {
      let group = queue.takeGroup()
      #expect(group.map(\.waiter) == [number])
      #expect(queue.takeGroup().isEmpty)
      queue.finish(group)
    }
    #expect(queue.takeGroup().isEmpty)
  }

  @Test func `What is passed over keeps its place before what came later`() {
    let queue = makeQueue()
    for (waiter, installation) in [1, 1, 2, 1, 2, 3].enumerated() {
      _ = queue.append(submission(UInt64(installation)), waiter: waiter)
    }
    let first = queue.takeGroup()
    #expect(first.map(\.waiter) == [0, 2, 5])
    _ = queue.append(submission(3), waiter: 6)
    _ = queue.append(submission(4), waiter: 7)
    let second = queue.takeGroup()
    #expect(second.map(\.waiter) == [7])
    queue.finish(first)
    #expect(queue.takeGroup().map(\.waiter) == [1, 4, 6])
    #expect(queue.takeGroup().isEmpty)
    #expect(queue.waitingBatches == 1)
  }

  @Test func `Finishing one group frees its installations alone`() {
    let queue = makeQueue(groupBatches: 1)
    for (waiter, installation) in [1, 2, 1, 2].enumerated() {
      _ = queue.append(submission(UInt64(installation)), waiter: waiter)
    }
    let first = queue.takeGroup()
    let second = queue.takeGroup()
    #expect(first.map(\.waiter) == [0])
    #expect(second.map(\.waiter) == [1])
    queue.finish(second)
    #expect(queue.takeGroup().map(\.waiter) == [3])
    #expect(queue.takeGroup().isEmpty)
    queue.finish(first)
    #expect(queue.takeGroup().map(\.waiter) == [2])
  }

  @Test func `A group has at most its number of batches`() {
    let queue = makeQueue(groupBatches: 3)
    for number in 0..<8 { _ = queue.append(submission(UInt64(number)), waiter: number) }
    #expect((0..<4).map { _ in queue.takeGroup().map(\.waiter) } == [[0, 1, 2], [3, 4, 5], [6, 7], []])
  }

  @Test func `A group with its number of items takes no further batch`() {
    let queue = makeQueue(groupItems: 10)
    for (number, items) in [4, 5, 3, 50, 1, 9, 1, 10].enumerated() {
      _ = queue.append(submission(UInt64(number), items: items), waiter: number)
    }
    #expect((0..<5).map { _ in queue.takeGroup().map(\.waiter) } == [[0, 1, 2], [3], [4, 5], [6, 7], []])
  }

  @Test func `More batches than may wait are refused until some have left`() {
    let queue = makeQueue(batches: 2)
    #expect(queue.append(submission(1), waiter: 0))
    #expect(queue.append(submission(1), waiter: 1))
    #expect(!queue.append(submission(2), waiter: 2))
    #expect(queue.waitingBatches == 2)
    #expect(queue.takeGroup().map(\.waiter) == [0])
    #expect(queue.append(submission(2), waiter: 3))
    #expect(!queue.append(submission(3), waiter: 4))
    #expect(queue.takeGroup().map(\.waiter) == [3])
  }

  @Test func `More bytes than may wait are refused, and a smaller batch still fits`() {
    #expect(size(items: 50) > size(items: 1))
    #expect(size(items: 1) > 0)
    let queue = makeQueue(bytes: size(items: 50) + size(items: 1))
    #expect(queue.append(submission(1, items: 50), waiter: 0))
    let bytes = queue.waitingBytes
    #expect(!queue.append(submission(2, items: 2), waiter: 1))
    #expect(queue.waitingBytes == bytes)
    #expect(queue.append(submission(3, items: 1), waiter: 2))
    #expect(queue.waitingBytes == size(items: 50) + size(items: 1))
    #expect(!queue.append(submission(4, items: 1), waiter: 3))
    #expect(queue.takeGroup().map(\.waiter) == [0, 2])
    #expect(queue.waitingBytes == 0)
    #expect(queue.append(submission(4, items: 1), waiter: 4))
  }

  @Test func `One busy installation does not hold up the others`() {
    let queue = makeQueue(groupBatches: 8)
    for number in 0..<1000 { _ = queue.append(submission(0), waiter: number) }
    for number in 1...20 { _ = queue.append(submission(UInt64(number)), waiter: 1000 + number) }
    let first = queue.takeGroup()
    #expect(first.map(\.waiter) == [0] + Array(1001...1007))
    let second = queue.takeGroup()
    #expect(second.map(\.waiter) == Array(1008...1015))
    queue.finish(first)
    #expect(queue.takeGroup().map(\.waiter) == [1] + Array(1016...1020))
  }

  @Test(arguments: [1, 2, 3, 4, 5, 6] as [UInt64])
  func `Any sequence of steps goes as in a model that keeps plain lists`(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    let limits = GroupLimits(
      waitingBatches: Int.random(in: 5...60, using: &random), waitingBytes: size(items: 3) * 40,
      groupBatches: Int.random(in: 1...12, using: &random), groupItems: Int.random(in: 1...40, using: &random))
    let sizes = (0...6).map { $0 == 0 ? 0 : size(items: $0) }
    let queue = QueueUnderTest(limits)
    var model: [(installation: UInt64, items: Int, waiter: Int)] = []
    var inFlight: [(group: [GroupQueue<Int>.Entry], installations: Set<UInt64>)] = []
    var refused = 0
    for step in 0..<6000 {
      switch Int.random(in: 0..<6, using: &random) {
      case 0..<4:
        let installation = UInt64.random(in: 0..<12, using: &random)
        let items = Int.random(in: 1...6, using: &random)
        let bytes = model.reduce(0) { $0 + sizes[$1.items] }
        let fits = model.count < limits.waitingBatches && bytes + sizes[items] <= limits.waitingBytes
        #expect(queue.append(submission(installation, items: items), waiter: step) == fits)
        if fits { model.append((installation, items, step)) } else { refused += 1 }
      case 4:
        var busy = inFlight.reduce(into: Set<UInt64>()) { $0.formUnion($1.installations) }
        var expected: [Int] = []
        var installations: Set<UInt64> = []
        var items = 0
        for entry in model where expected.count < limits.groupBatches && items < limits.groupItems {
          guard busy.insert(entry.installation).inserted else { continue }
          installations.insert(entry.installation)
          expected.append(entry.waiter)
          items += entry.items
        }
        model.removeAll { expected.contains($0.waiter) }
        let group = queue.takeGroup()
        #expect(group.map(\.waiter) == expected)
        inFlight.append((group, installations))
      default:
        guard !inFlight.isEmpty else { continue }
        queue.finish(inFlight.remove(at: Int.random(in: 0..<inFlight.count, using: &random)).group)
      }
      #expect(queue.waitingBatches == model.count)
      #expect(queue.waitingBytes == model.reduce(0) { $0 + sizes[$1.items] })
    }
    #expect(refused > 0)
  }

  @Test func `Many more batches than the queue compacts at leave in order`() {
    let queue = makeQueue(batches: 100_000, groupBatches: 7)
    for number in 0..<12_000 { _ = queue.append(submission(UInt64(number % 5000)), waiter: number) }
    var last: [UInt64: Int] = [:]
    var taken = 0
    while true {
      let group = queue.takeGroup()
      if group.isEmpty { break }
      for entry in group {
        let installation = UInt64(entry.waiter % 5000)
        #expect(last[installation].map { $0 < entry.waiter } ?? true)
        last[installation] = entry.waiter
      }
      taken += group.count
      queue.finish(group)
    }
    #expect(taken == 12_000)
    #expect(queue.waitingBytes == 0)
  }
}

/// The queue as a reference, so that its steps can stand in expectations.
private final class QueueUnderTest {
  private var queue: GroupQueue<Int>

  init(_ limits: GroupLimits) { queue = GroupQueue(limits: limits) }

  var waitingBatches: Int { queue.waitingBatches }
  var waitingBytes: Int { queue.waitingBytes }

  func append(_ submission: Submission, waiter: Int) -> Bool { queue.append(submission, waiter: waiter) }
  func takeGroup() -> [GroupQueue<Int>.Entry] { queue.takeGroup() }
  func finish(_ group: [GroupQueue<Int>.Entry]) { queue.finish(group) }
}
