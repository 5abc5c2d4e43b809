/// Writes JSON lines: `{"time":"2026-11-29T12:00:00.123Z","level":"info","event":"listening","port":8080}`.
///
/// An event is a name from the source code and typed fields (`LogField`); there is no parameter that takes a `String`.
/// Logging never blocks and never fails: see `LogOutput`. Copies share the output.
public struct Logger: Sendable {
  /// Lines below this level are not made.
  public let level: LogLevel
  private let output: LogOutput
  private let clock: @Sendable () -> Int64
  private let clientLimit: ClientWarningLimit

  /// - Parameters:
  ///   - level: the least important level that is written.
  ///   - output: where lines go.
  ///   - clientWarningsPerSecond: how many lines of one event `clientWarning` writes in a second.
  ///   - clock: microseconds since 1970, asked once a line.
  public init(
    level: LogLevel, output: LogOutput, clientWarningsPerSecond: Int = 20, clock: @escaping @Sendable () -> Int64
  ) {
    self.level = level
    self.output = output
    self.clock = clock
    clientLimit = ClientWarningLimit(linesPerSecond: clientWarningsPerSecond)
  }

  /// Logs a step that only helps while looking for a defect.
  public func debug(_ event: StaticString, _ fields: LogField...) { write(.debug, event, fields) }

  /// Logs what an operator expects to see.
  public func info(_ event: StaticString, _ fields: LogField...) { write(.info, event, fields) }

  /// Logs something the server coped with. For what a client can cause at will, use `clientWarning`.
  public func warning(_ event: StaticString, _ fields: LogField...) { write(.warning, event, fields) }

  /// Logs what someone has to look at.
  public func error(_ event: StaticString, _ fields: LogField...) { write(.error, event, fields) }

  /// Logs a warning that a client caused, at most so many lines a second for each event name.
  ///
  /// The next line that is written after some were suppressed carries their number as `suppressed`; `flush` tells the
  /// rest in `log_lines_suppressed` lines.
  public func clientWarning(_ event: StaticString, _ fields: LogField...) {
    guard level <= .warning else { return }
    let now = clock()
    guard case .write(let suppressed) = clientLimit.decide(event, now: now) else { return }
    let all = suppressed == 0 ? fields : fields + [.field("suppressed", suppressed)]
    output.append(LogLine.bytes(time: now, level: .warning, event: event, fields: all))
  }

  /// Writes what is left, for the end of the process.
  ///
  /// - Returns: `false` when the output didn't take everything within the timeout.
  @discardableResult
  public func flush(timeout: Duration) -> Bool {
    for (event, count) in clientLimit.takeUntold() {
      write(.warning, "log_lines_suppressed", [.field("suppressed_event", event), .field("count", count)])
    }
    return output.flush(timeout: timeout)
  }

  /// Lines that found no room or failed to be written since the start.
  public var droppedLines: UInt64 { output.droppedLines }

  /// Client-caused lines that the rate limit held back since the start.
  public var suppressedLines: UInt64 { clientLimit.suppressedLines }

  private func write(_ level: LogLevel, _ event: StaticString, _ fields: [LogField]) {
    guard level >= self.level else { return }
    output.append(LogLine.bytes(time: clock(), level: level, event: event, fields: fields))
  }
}
