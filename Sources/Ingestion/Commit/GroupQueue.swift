import AnalyticsContract

/// The batches that wait for a transaction, and the rule by which they become groups. A pure value: who waits for a
/// batch is the committer's business.
struct GroupQueue<Waiter: Sendable>: Sendable {
  struct Entry: Sendable {
    let submission: Submission
    let waiter: Waiter
  }

  private(set) var waitingBatches = 0
  private(set) var waitingBytes = 0
  private let limits: GroupLimits
  private var entries: [Entry] = []
  private var head = 0
  private var installationsInFlight: Set<Digest> = []
  private var waitingOfInstallation: [Digest: Int] = [:]

  init(limits: GroupLimits) { self.limits = limits }

  /// Appends a batch.
  /// - Returns: `false` where the queue is full, or too much of it is of this installation, and the batch was not taken.
  mutating func append(_ submission: Submission, waiter: Waiter) -> Bool {
    let bytes = Self.size(of: submission)
    guard waitingBatches < limits.waitingBatches, waitingBytes + bytes <= limits.waitingBytes else { return false }
    let ofInstallation = waitingOfInstallation[submission.installation, default: 0]
    guard ofInstallation < limits.waitingOfInstallation else { return false }
    waitingOfInstallation[submission.installation] = ofInstallation + 1
    waitingBatches += 1
    waitingBytes += bytes
    entries.append(Entry(submission: submission, waiter: waiter))
    return true
  }

  /// Takes what is to be committed together: the oldest batches, up to the limits, at most one of an installation and
  /// none of an installation that a group in flight is about. What is passed over keeps its place.
  mutating func takeGroup() -> [Entry] {
    var group: [Entry] = []
    var passedOver: [Entry] = []
    var items = 0
    var position = head
    while position < entries.count, group.count < limits.groupBatches, items < limits.groupItems {
      let entry = entries[position]
      if installationsInFlight.insert(entry.submission.installation).inserted {
        group.append(entry)
        items += entry.submission.items.count
        leave(entry.submission.installation)
        waitingBatches -= 1
        waitingBytes -= Self.size(of: entry.submission)
      } else {
        passedOver.append(entry)
      }
      position += 1
    }
    // The batches passed over move up to just before those not looked at yet, in their order.
    head = position - passedOver.count
    entries.replaceSubrange(head..<position, with: passedOver)
    if head == entries.count {
      entries.removeAll(keepingCapacity: true)
      head = 0
    } else if head > 4096 {
      entries.removeFirst(head)
      head = 0
    }
    return group
  }

  private mutating func leave(_ installation: Digest) {
    let left = waitingOfInstallation[installation, default: 1] - 1
    waitingOfInstallation[installation] = left == 0 ? nil : left
  }

  /// Ends a group's time in flight.
  mutating func finish(_ group: [Entry]) {
    for entry in group { installationsInFlight.remove(entry.submission.installation) }
  }

  /// About what a batch occupies in memory.
  private static func size(of submission: Submission) -> Int {
    submission.items.count * MemoryLayout<Event>.stride + MemoryLayout<Entry>.stride
  }
}

/// Bounds of the queue and of a group.
public struct GroupLimits: Sendable {
  /// The most batches that wait; more are refused.
  public var waitingBatches: Int
  /// About the most bytes of memory that waiting batches occupy; more are refused.
  public var waitingBytes: Int
  /// The most batches of one installation that wait; more are refused. One is committed with each group, so they leave
  /// slowly, and would fill the queue for everyone.
  public var waitingOfInstallation: Int
  /// The most batches in one transaction.
  public var groupBatches: Int
  /// A group with this many items takes no further batch.
  public var groupItems: Int

  /// - Parameters:
  ///   - waitingBatches: the most batches that wait.
  ///   - waitingBytes: about the most bytes of memory that waiting batches occupy.
  ///   - waitingOfInstallation: the most batches of one installation that wait.
  ///   - groupBatches: the most batches in one transaction.
  ///   - groupItems: a group with this many items takes no further batch.
  public init(
    waitingBatches: Int = 4096, waitingBytes: Int = 64 << 20, waitingOfInstallation: Int = 256, groupBatches: Int = 512,
    groupItems: Int = 4096
  ) {
    self.waitingBatches = waitingBatches
    self.waitingBytes = waitingBytes
    self.waitingOfInstallation = waitingOfInstallation
    self.groupBatches = groupBatches
    self.groupItems = groupItems
  }
}
