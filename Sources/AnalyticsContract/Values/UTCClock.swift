#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The one source of the current time, so that tests can set it. Durations are never measured with it.
public struct UTCClock: Sendable {
  private let read: @Sendable () -> Instant

  /// The current instant.
  public var now: Instant { read() }

  /// The machine's clock.
  public static let system = UTCClock.offset(seconds: 0)

  /// What a closure says.
  public static func reading(_ read: @escaping @Sendable () -> Instant) -> UTCClock { UTCClock(read: read) }

  /// Always the same instant.
  public static func fixed(_ instant: Instant) -> UTCClock { UTCClock { instant } }

  /// The machine's clock moved by a number of seconds; negative moves it back.
  public static func offset(seconds: Int64) -> UTCClock {
    UTCClock {
      var time = timespec()
      clock_gettime(CLOCK_REALTIME, &time)
      return Instant(microseconds: (Int64(time.tv_sec) + seconds) * 1_000_000 + Int64(time.tv_nsec) / 1000)
    }
  }
}
