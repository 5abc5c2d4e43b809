import Glibc

/// Where log lines go: a file descriptor with a thread of its own in front of it.
///
/// A reader of standard error that stops reading blocks that thread and nobody else: lines wait in a bounded buffer,
/// and what finds no room is dropped, counted, and reported in a `log_lines_dropped` line once the reader goes on.
/// A write that fails (disk full, reader gone) loses its lines and is counted in the same way. The thread ends with
/// the last reference to this object, after writing what waits.
public final class LogOutput: Sendable {
  private let buffer: LogBuffer

  /// Starts the writer thread.
  ///
  /// - Parameters:
  ///   - descriptor: an open descriptor, which stays the caller's and must stay open for as long as there are lines.
  ///   - capacity: bytes that may wait, 1 MiB by default, about 8,000 lines.
  ///   - clock: microseconds since 1970, for the time in `log_lines_dropped`.
  public init(
    descriptor: Int32 = STDERR_FILENO, capacity: Int = 1 << 20, clock: @escaping @Sendable () -> Int64
  ) {
    let buffer = LogBuffer(capacity: capacity)
    self.buffer = buffer
    LogThread(buffer: buffer, descriptor: descriptor, clock: clock).start()
  }

  deinit { buffer.close() }

  /// Lines that found no room or failed to be written since the start.
  public var droppedLines: UInt64 { buffer.droppedLines }

  /// Waits until every line given before this call is written, and every one dropped before it is reported.
  ///
  /// - Returns: `false` when that took longer than the timeout, or when a write failed.
  @discardableResult
  public func flush(timeout: Duration) -> Bool { buffer.waitUntilSettled(timeout: timeout) }

  /// Takes a whole line, its line feed included. Never waits for the descriptor.
  func append(_ line: [UInt8]) { buffer.append(line) }
}
