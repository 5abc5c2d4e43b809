/// The fields that many lines share, so that each has one name everywhere.
extension LogField {
  /// A TCP port.
  public static func port(_ value: UInt16) -> LogField { .field("port", Int(value)) }

  /// The request that a line belongs to.
  public static func request(_ value: RequestID) -> LogField { .field("request", value) }

  /// An HTTP status code.
  public static func status(_ value: Int) -> LogField { .field("status", value) }

  /// How many of what the event names.
  public static func count(_ value: Int) -> LogField { .field("count", value) }

  /// A size in bytes.
  public static func bytes(_ value: Int) -> LogField { .field("bytes", value) }

  /// An `errno` value: a number, because the text of an error may hold a path.
  public static func errno(_ value: Int32) -> LogField { .field("errno", Int(value)) }

  /// The result code of a library such as SQLite.
  public static func code(_ value: Int32) -> LogField { .field("code", Int(value)) }

  /// How long it took, in whole microseconds.
  public static func duration(_ value: Duration) -> LogField {
    let (seconds, attoseconds) = value.components
    return .field("microseconds", seconds &* 1_000_000 &+ attoseconds / 1_000_000_000_000)
  }

  /// Why it happened, as a value of a closed set.
  public static func reason(_ value: some StaticallyLabelled) -> LogField { .field("reason", value) }
}
