/// How much a log line matters. Ordered: a logger writes its own level and everything above.
public enum LogLevel: Int, CaseIterable, Comparable, StaticallyLabelled {
  /// Steps that only help while looking for a defect.
  case debug
  /// What an operator expects to see: started, listening, stopped.
  case info
  /// Something was refused or is slower than it should be; the server goes on by itself.
  case warning
  /// Someone has to look at it.
  case error

  /// The name in the log line and on the command line.
  public var label: StaticString {
    switch self {
    case .debug: "debug"
    case .info: "info"
    case .warning: "warning"
    case .error: "error"
    }
  }

  /// Orders by importance, `debug` least.
  public static func < (left: LogLevel, right: LogLevel) -> Bool { left.rawValue < right.rawValue }
}
