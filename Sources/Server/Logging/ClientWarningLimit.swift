import Synchronization

/// Bounds how many lines clients can cause, for each event name: otherwise whoever sends bad requests fast enough
/// fills the disk. Event names come from the source code, so the table is bounded too.
final class ClientWarningLimit: Sendable {
  /// What to do with a line.
  enum Decision: Equatable {
    /// Write it, and say how many of its event were suppressed since the last one that was written.
    case write(suppressed: UInt64)
    /// Count it only.
    case suppress
  }

  private struct Window {
    var start: Int64
    var written: Int
    var suppressed: UInt64
  }

  private let linesPerSecond: Int
  private let windows = Mutex<[StaticText: Window]>([:])
  private let total = Atomic<UInt64>(0)

  init(linesPerSecond: Int) { self.linesPerSecond = linesPerSecond }

  /// Lines suppressed since the start.
  var suppressedLines: UInt64 { total.load(ordering: .relaxed) }

  /// Decides about one line, by the time in microseconds since 1970.
  ///
  /// A window lasts a second from its first line. A clock that was set back starts a new one, so that the event isn't
  /// silent until the clock catches up.
  func decide(_ event: StaticString, now: Int64) -> Decision {
    let decision = windows.withLock { windows in
      var window = windows[StaticText(event)] ?? Window(start: now, written: 0, suppressed: 0)
      defer { windows[StaticText(event)] = window }
      if now < window.start || now - window.start >= 1_000_000 {
        window.start = now
        window.written = 0
      }
      guard window.written < linesPerSecond else {
        window.suppressed += 1
        return Decision.suppress
      }
      window.written += 1
      defer { window.suppressed = 0 }
      return .write(suppressed: window.suppressed)
    }
    if decision == .suppress { total.add(1, ordering: .relaxed) }
    return decision
  }

  /// Takes the counts that no line has told yet, so that the end of the process doesn't lose them.
  func takeUntold() -> [(event: StaticString, count: UInt64)] {
    windows.withLock { windows in
      var untold: [(event: StaticString, count: UInt64)] = []
      for (event, window) in windows where window.suppressed > 0 {
        untold.append((event.text, window.suppressed))
        windows[event]?.suppressed = 0
      }
      return untold
    }
  }
}
