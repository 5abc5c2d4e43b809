import PostgreSQL

/// One member of a log line: a name from the source code and a value that can't carry text from outside.
///
/// There is no way in for a `String`, and there must never be one: it is what keeps identifiers, tokens, addresses and
/// event values out of the logs. What an operator configured (paths, addresses) is shown by `--print-config` instead.
/// The names `time`, `level` and `event` are taken by the line itself.
public struct LogField: Sendable {
  enum Value: Sendable {
    case signed(Int64)
    case unsigned(UInt64)
    case real(Double)
    case truth(Bool)
    case request(RequestID)
    case text(StaticString)
    case sqlState(SQLState)
  }

  let key: StaticString
  let value: Value

  private init(key: StaticString, value: Value) {
    assert(!Self.reserved.contains(StaticText(key)), "time, level and event belong to the line itself")
    self.key = key
    self.value = value
  }

  private static let reserved: Set<StaticText> = [StaticText("time"), StaticText("level"), StaticText("event")]

  /// An integer.
  public static func field(_ key: StaticString, _ value: Int) -> LogField {
    LogField(key: key, value: .signed(Int64(value)))
  }

  /// A signed 64-bit integer.
  public static func field(_ key: StaticString, _ value: Int64) -> LogField {
    LogField(key: key, value: .signed(value))
  }

  /// An unsigned 64-bit integer.
  public static func field(_ key: StaticString, _ value: UInt64) -> LogField {
    LogField(key: key, value: .unsigned(value))
  }

  /// A real number. JSON has no infinities and no NaN: those are written as `null`.
  public static func field(_ key: StaticString, _ value: Double) -> LogField {
    LogField(key: key, value: .real(value))
  }

  /// A truth value.
  public static func field(_ key: StaticString, _ value: Bool) -> LogField {
    LogField(key: key, value: .truth(value))
  }

  /// A request identifier, as 16 hexadecimal digits.
  public static func field(_ key: StaticString, _ value: RequestID) -> LogField {
    LogField(key: key, value: .request(value))
  }

  /// PostgreSQL's code for what happened: five characters of `A-Z 0-9`, by construction.
  public static func sqlState(_ value: SQLState) -> LogField {
    LogField(key: "sqlstate", value: .sqlState(value))
  }

  /// Text from the source code.
  public static func field(_ key: StaticString, _ value: StaticString) -> LogField {
    LogField(key: key, value: .text(value))
  }

  /// A value of a closed set, by its label.
  public static func field(_ key: StaticString, _ value: some StaticallyLabelled) -> LogField {
    LogField(key: key, value: .text(value.label))
  }
}
