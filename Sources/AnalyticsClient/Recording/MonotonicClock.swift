#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#endif

/// The one source of durations: a clock that nobody sets and that goes on while the device sleeps.
struct MonotonicClock: Sendable {
  private let read: @Sendable () -> Int64

  /// Nanoseconds since some instant.
  var nanoseconds: Int64 { read() }

  /// The system's clock.
  static let system = MonotonicClock {
    var time = timespec()
    // Darwin's CLOCK_MONOTONIC goes on during sleep; Linux has another name for that.
    #if canImport(Darwin)
      clock_gettime(CLOCK_MONOTONIC, &time)
    #else
      clock_gettime(CLOCK_BOOTTIME, &time)
    #endif
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }

  /// A clock that a test moves.
  init(_ read: @escaping @Sendable () -> Int64) { self.read = read }
}
