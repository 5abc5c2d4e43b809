import AnalyticsContract
import Synchronization

/// The clock of the demonstration's server: it stands still until it is set.
public final class DemoClock: Sendable {
  private let microseconds: Atomic<Int64>

  /// - Parameter instant: where it begins.
  public init(at instant: Instant) { microseconds = Atomic(instant.microseconds) }

  /// As the server reads it.
  public var clock: UTCClock { .reading { [self] in now } }

  var now: Instant { Instant(microseconds: microseconds.load(ordering: .relaxed)) }

  func set(_ instant: Instant) { microseconds.store(instant.microseconds, ordering: .relaxed) }
}
