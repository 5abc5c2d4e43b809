import AnalyticsContract

/// A clock other than the system's, for tests of a whole process: `OSG_ANALYTICS_CLOCK`. Only taken together with
/// `--insecure-test-hooks`, because whoever sets the clock decides which events and sessions are in their time.
public enum ClockOverride: Equatable, Sendable {
  /// Time stands still at this instant.
  case fixed(Instant)
  /// The system's clock moved by whole seconds, back when negative; at most 100 years either way.
  case offset(seconds: Int)

  /// The clock.
  public var clock: UTCClock {
    switch self {
    case .fixed(let instant): .fixed(instant)
    case .offset(let seconds): .offset(seconds: Int64(seconds))
    }
  }
}

extension ValueParser where Value == ClockOverride {
  /// `fixed:INSTANT` or `offset:SECONDS`.
  public static let clock = ValueParser(
    "CLOCK",
    expecting: "fixed: and an instant such as 2026-11-29T12:00:00Z, or offset: and whole seconds of at most 3153600000"
  ) { text in
    if text.hasPrefix("fixed:") {
      return Instant(iso8601: String(text.dropFirst("fixed:".count))).map(ClockOverride.fixed)
    }
    guard text.hasPrefix("offset:") else { return nil }
    let number = text.dropFirst("offset:".count)
    let isNegative = number.hasPrefix("-")
    let digits = isNegative || number.hasPrefix("+") ? number.dropFirst() : number
    guard let seconds = decimal(digits), seconds <= 3_153_600_000 else { return nil }
    return .offset(seconds: isNegative ? -seconds : seconds)
  }
}
