import AnalyticsContract
import Ingestion
import Reporting
import ServerFacts
import Storage

/// Makes a synthetic population live through its days: requests go through ingestion and facts as those of real clients
/// do, with a clock that moves from slot to slot, and days are sealed as they end.
public struct Demonstration: Sendable {
  /// What was made.
  public struct Result: Sendable, Equatable {
    /// Requests to the ingestion endpoints, refused ones among them.
    public var requests = 0
    /// Events and summaries that were stored.
    public var accepted = 0
    /// Events and summaries that came again.
    public var replayed = 0
    /// Requests that were refused, as some always are.
    public var refused = 0
    /// Facts that were stored.
    public var facts = 0

    static func += (left: inout Result, right: Result) {
      left.requests += right.requests
      left.accepted += right.accepted
      left.replayed += right.replayed
      left.refused += right.refused
      left.facts += right.facts
    }
  }

  private let plan: DemoPlan
  private let store: any AnalyticsStore
  private let clock: DemoClock

  /// So many times a day what has happened is delivered.
  private static let slots = 12
  /// So many clients send at a time.
  private static let clientsAtOnce = 512

  /// - Parameters:
  ///   - plan: what is made.
  ///   - store: an empty database, opened with the clock.
  ///   - clock: the clock.
  public init(_ plan: DemoPlan, store: any AnalyticsStore, clock: DemoClock) {
    self.plan = plan
    self.store = store
    self.clock = clock
  }

  /// Lives through all days.
  /// - Parameter progress: told after each day how many are over.
  /// - Returns: what was made.
  /// - Throws: where the database failed, or ``DemoFailure`` where an answer was not the expected one.
  public func run(progress: (Int) -> Void) async throws -> Result {
    guard try await store.isEmpty else { throw DemoFailure.notEmpty }
    let committer = GroupCommitter(store: store, writers: store.groupsInFlight, observer: NoObserver())
    let sender = DemoSender(
      ingestor: Ingestor(store: store, committer: committer, clock: clock.clock), store: store, clock: clock,
      committer: committer, appStore: DemoAppStore(plan.days))
    var result = Result()
    var population = DemoPopulation(plan)
    for day in 0..<plan.dayCount {
      for slot in population.live(day, slots: Self.slots) {
        clock.set(slot.end)
        result.facts += try await sender.state(slot.facts, purchases: slot.purchases)
        for first in stride(from: 0, to: slot.uploads.count, by: Self.clientsAtOnce) {
          let uploads = slot.uploads[first..<min(first + Self.clientsAtOnce, slot.uploads.count)]
          result += try await sender.send(uploads)
        }
        try await sender.view(slot.invitationViews)
      }
      clock.set(plan.day(day).advanced(by: 1).start.advanced(bySeconds: 7200))
      // Nothing can be sealed or has expired before.
      if day > Int(ContractLimits.maximumAgeDays) { _ = try await Retention(store: store).run(at: clock.now) }
      progress(day + 1)
    }
    await committer.stop()
    return result
  }
}

/// Nobody watches the demonstration's commits.
private struct NoObserver: CommitObserver {
  func queueChanged(batches: Int, bytes: Int) {}
  func groupCommitted(batches: Int, items: Int, duration: Duration) {}
  func groupFailed(_ failure: StoreFailure) {}
}

/// An answer that the demonstration did not expect: a defect.
public enum DemoFailure: Error {
  /// A valid request was refused, or a bad one taken.
  case unexpectedAnswer
  /// The database already holds something.
  case notEmpty
}
