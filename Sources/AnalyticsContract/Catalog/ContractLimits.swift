/// The contract's limits. Sources: PRODUCT_ANALYTICS ("Ingestion API", "Keyboard usage summaries").
public enum ContractLimits {
  /// The most items (events or summaries) in a batch; the fewest is 1.
  public static let maximumItems = 50
  /// The largest request body in bytes, after inflating.
  public static let maximumBodyBytes = 128 * 1024
  /// How far back an event may lie, in days of 24 hours, and a summary's date, in calendar days.
  public static let maximumAgeDays: Int32 = 35
  /// How far in the future an event may lie, in seconds: the tolerance for a device's clock.
  public static let maximumLeadSeconds: Int64 = 5 * 60
  /// The most violations that an answer lists.
  public static let maximumViolations = 20
}

/// The spans of time in which items are accepted, judged against one instant of the server's clock.
public struct AcceptanceWindow: Sendable {
  /// The earliest and the latest instant of an event, both included.
  public let instants: ClosedRange<Instant>
  /// The first and the last date of a keyboard usage summary, both included: the last is yesterday.
  public let days: ClosedRange<CalendarDay>

  /// - Parameter now: the server's clock.
  public init(at now: Instant) {
    let age = Int64(ContractLimits.maximumAgeDays) * 86_400
    instants = now.advanced(bySeconds: -age)...now.advanced(bySeconds: ContractLimits.maximumLeadSeconds)
    days = now.day.advanced(by: -ContractLimits.maximumAgeDays)...now.day.advanced(by: -1)
  }
}
