import Glibc

/// SIGTERM and SIGINT, as something to wait for instead of something that ends the process.
///
/// The handler writes a byte into a pipe: holding the signals back with a mask and waiting for them would not do, as
/// the concurrency runtime keeps a thread of its own that takes every signal.
enum TerminationSignals {
  private static let pipe: (reading: Int32, writing: Int32) = {
    var descriptors: [Int32] = [0, 0]
    let result = Glibc.pipe(&descriptors)
    precondition(result == 0, "no pipe could be opened for signals")
    return (descriptors[0], descriptors[1])
  }()

  // What the handler reads: a lazy static could be initialised in it, which is not safe there. Written before the
  // handler is installed and never again.
  private nonisolated(unsafe) static var writingEnd: Int32 = -1

  /// Takes the signals from now on. A client that closes its connection early is no reason to end either.
  static func install() {
    signal(SIGPIPE, SIG_IGN)
    writingEnd = pipe.writing
    for number in [SIGTERM, SIGINT] {
      signal(number) { _ in
        var byte: UInt8 = 0
        _ = write(TerminationSignals.writingEnd, &byte, 1)
      }
    }
  }

  /// Waits for the first signal. From then on a second one ends the process at once: whoever sends it does not want to
  /// wait for the grace period.
  static func wait() async {
    await onOwnThread { readByte() }
    Task.detached {
      await onOwnThread { readByte() }
      _exit(1)
    }
  }

  private static func readByte() {
    var byte: UInt8 = 0
    while read(pipe.reading, &byte, 1) < 0, errno == EINTR {}
  }
}
