/// How long after it happened an event was received, as a bucket. An instant in the future counts as received at once.
public enum Lateness: UInt8, CatalogValue {
  /// Less than a minute.
  case under1m = 1
  /// From a minute to less than an hour.
  case under1h = 2
  /// From an hour to less than a day.
  case under1d = 3
  /// From a day to less than seven.
  case under7d = 4
  /// Seven days or more.
  case atLeast7d = 5

  /// The name in reports.
  public var wireName: StaticString {
    switch self {
    case .under1m: "LT_1M"
    case .under1h: "LT_1H"
    case .under1d: "LT_1D"
    case .under7d: "LT_7D"
    case .atLeast7d: "GTE_7D"
    }
  }

  /// The bucket of an event.
  public init(occurredAt: Instant, receivedAt: Instant) {
    switch (receivedAt.microseconds - occurredAt.microseconds) / 1_000_000 {
    case ..<60: self = .under1m
    case ..<3600: self = .under1h
    case ..<86_400: self = .under1d
    case ..<(7 * 86_400): self = .under7d
    default: self = .atLeast7d
    }
  }
}
