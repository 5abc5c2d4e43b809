import AnalyticsContract
import Foundation

/// An AI operation, from its start to the one outcome that it has. It times itself with a clock that nobody sets.
///
/// The first of ``succeeded()``, ``failed(_:)`` and ``cancelled()`` counts; what is called after it does nothing. An
/// operation that is let go without any has started, and no more is known about it.
public final class AIOperation: @unchecked Sendable {
  private let recorder: Recorder
  private let feature: Feature
  private let mode: ExecutionMode
  private let surface: Surface
  private let start: Int64
  private let uptime: MonotonicClock
  // The lock guards whether there was an outcome.
  private let lock = NSLock()
  private var isOver = false

  init(_ feature: Feature, _ mode: ExecutionMode, _ surface: Surface, _ recorder: Recorder, _ uptime: MonotonicClock) {
    self.recorder = recorder
    self.feature = feature
    self.mode = mode
    self.surface = surface
    self.uptime = uptime
    start = uptime.nanoseconds
    recorder.record(.aiFeatureStarted(feature, mode: mode, on: surface))
  }

  /// It gave its result.
  public func succeeded() {
    finish { .aiFeatureSucceeded(feature, mode: mode, on: surface, duration: $0) }
  }

  /// It failed.
  /// - Parameter category: why, as a class. For ``FailureCategory/cancelled`` see ``cancelled()``.
  public func failed(_ category: FailureCategory) {
    finish { .aiFeatureFailed(feature, mode: mode, on: surface, failure: category, duration: $0) }
  }

  /// The user ended it.
  public func cancelled() { failed(.cancelled) }

  private func finish(_ event: (DurationBucket) -> EventKind) {
    let isFirst = lock.withLock {
      defer { isOver = true }
      return !isOver
    }
    if isFirst { recorder.record(event(DurationBucket(nanoseconds: uptime.nanoseconds - start))) }
  }
}

extension DurationBucket {
  /// The bucket of a duration in nanoseconds.
  init(nanoseconds: Int64) {
    switch nanoseconds / 1_000_000 {
    case ..<1000: self = .under1s
    case ..<3000: self = .from1To3s
    case ..<10_000: self = .from3To10s
    case ..<30_000: self = .from10To30s
    default: self = .atLeast30s
    }
  }
}
