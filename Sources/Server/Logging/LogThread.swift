import Glibc

/// The thread that writes log lines; the only place where logging may block.
final class LogThread {
  private let buffer: LogBuffer
  private let descriptor: Int32
  private let clock: @Sendable () -> Int64
  /// A failed write ended in the middle of a line: the next one has to begin on a new line.
  private var isMidLine = false

  init(buffer: LogBuffer, descriptor: Int32, clock: @escaping @Sendable () -> Int64) {
    self.buffer = buffer
    self.descriptor = descriptor
    self.clock = clock
  }

  /// Starts a detached thread that owns this object. Without a thread there is no log, so failing to start one traps.
  func start() {
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    defer { pthread_attr_destroy(&attributes) }
    pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
    pthread_attr_setstacksize(&attributes, 256 * 1024)
    var thread = pthread_t()
    let result = pthread_create(
      &thread, &attributes,
      { context in
        // Taken over from `passRetained` below: the thread is the object's only owner from here on.
        Unmanaged<LogThread>.fromOpaque(context!).takeRetainedValue().run()
        return nil
      },
      Unmanaged.passRetained(self).toOpaque())
    precondition(result == 0, "no thread for the log")
  }

  private func run() {
    // Signals are for the threads that wait for them. SIGPIPE among them: blocked, a write to a pipe without a reader
    // fails with EPIPE instead of ending the process.
    var signals = sigset_t()
    sigfillset(&signals)
    pthread_sigmask(SIG_BLOCK, &signals, nil)
    while let chunk = buffer.next() {
      buffer.settle(chunk, lost: write(chunk))
    }
  }

  /// Writes a chunk and the report of what was dropped behind it.
  ///
  /// - Returns: `nil` when all was written, else the number of the chunk's lines that were not.
  private func write(_ chunk: LogBuffer.Chunk) -> UInt64? {
    var bytes = isMidLine ? [UInt8(ascii: "\n")] + chunk.bytes : chunk.bytes
    let isReporting = chunk.dropped > 0
    if isReporting {
      let count = LogField.field("count", chunk.dropped)
      bytes += LogLine.bytes(time: clock(), level: .warning, event: "log_lines_dropped", fields: [count])
    }
    let written = write(bytes)
    if written == bytes.count {
      isMidLine = false
      return nil
    }
    if written > 0 { isMidLine = bytes[written - 1] != UInt8(ascii: "\n") }
    let missing = bytes[written...].count { $0 == UInt8(ascii: "\n") } - (isReporting ? 1 : 0)
    return UInt64(min(missing, Int(chunk.lines)))
  }

  /// Writes until all is out or an error other than "not now".
  ///
  /// - Returns: how many bytes were written.
  private func write(_ bytes: [UInt8]) -> Int {
    bytes.withUnsafeBytes { buffer in
      var written = 0
      while written < buffer.count {
        // In bounds: `written` is below the count, so the base address exists.
        let result = Glibc.write(descriptor, buffer.baseAddress! + written, buffer.count - written)
        if result >= 0 {
          written += result
        } else if errno == EAGAIN {
          // Someone made the descriptor non-blocking; waiting is what this thread is for.
          var request = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
          poll(&request, 1, -1)
        } else if errno != EINTR {
          break
        }
      }
      return written
    }
  }
}
