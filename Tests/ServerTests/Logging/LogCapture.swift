import Glibc

@testable import Server

/// 2026-11-29T12:00:00.123456Z in microseconds since 1970.
let noon: Int64 = 1_795_953_600_123_456

/// A logger on a file without a name, and what it wrote.
final class LogCapture {
  let descriptor: Int32
  let output: LogOutput
  let logger: Logger

  init(
    level: LogLevel = .debug, clientWarningsPerSecond: Int = 20, clock: @escaping @Sendable () -> Int64 = { noon }
  ) {
    var path = Array("/tmp/osg-analytics-log-XXXXXX".utf8CString)
    descriptor = mkstemp(&path)
    unlink(path)
    output = LogOutput(descriptor: descriptor, clock: clock)
    logger = Logger(level: level, output: output, clientWarningsPerSecond: clientWarningsPerSecond, clock: clock)
  }

  /// Flushes and gives the lines, without line feeds.
  func lines() -> [String] {
    guard logger.flush(timeout: .seconds(60)) else { return ["not flushed"] }
    var bytes = [UInt8](repeating: 0, count: Int(lseek(descriptor, 0, SEEK_END)))
    let count = pread(descriptor, &bytes, bytes.count, 0)
    return Lines.split(bytes.prefix(count))
  }

  deinit {
    // What this capture logged is written: closing can't hit the writer.
    output.flush(timeout: .seconds(60))
    close(descriptor)
  }
}

/// A pipe that holds 4 KiB, so that it is soon full.
final class SmallPipe {
  private(set) var reading: Int32
  let writing: Int32

  init() {
    var ends: [Int32] = [0, 0]
    precondition(pipe(&ends) == 0)
    (reading, writing) = (ends[0], ends[1])
    let setPipeSize: Int32 = 1_031  // F_SETPIPE_SZ of Linux, which Glibc's module leaves out
    precondition(fcntl(writing, setPipeSize, 4_096) == 4_096)
  }

  /// The writing end, for another thread.
  struct Writer: Sendable {
    let descriptor: Int32
    func write(_ text: StaticString) { _ = Glibc.write(descriptor, text.utf8Start, text.utf8CodeUnitCount) }
  }

  var writer: Writer { Writer(descriptor: writing) }

  /// Waits for bytes and gives at most so many of them; none when nothing comes for a minute.
  func read(atMost count: Int = 4_096) -> ArraySlice<UInt8> {
    var request = pollfd(fd: reading, events: Int16(POLLIN), revents: 0)
    guard poll(&request, 1, 60_000) == 1 else { return [] }
    var bytes = [UInt8](repeating: 0, count: count)
    let result = Glibc.read(reading, &bytes, count)
    return bytes.prefix(max(0, result))
  }

  /// Reads whole lines until one makes the condition true.
  func lines(until isLast: ([String]) -> Bool) -> [String] {
    var bytes: [UInt8] = []
    while true {
      let part = read()
      bytes += part
      let lines = Lines.split(bytes[...])
      if part.isEmpty || (bytes.last == UInt8(ascii: "\n") && isLast(lines)) { return lines }
    }
  }

  func closeReading() {
    close(reading)
    reading = -1
  }

  deinit {
    if reading >= 0 { close(reading) }
    close(writing)
  }
}

enum Lines {
  static func split(_ bytes: ArraySlice<UInt8>) -> [String] {
    bytes.split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) }
  }

  /// The number that a line has as its last member, `"count":n}`.
  static func count(_ line: String) -> Int? {
    guard let colon = line.lastIndex(of: ":"), line.hasSuffix("}") else { return nil }
    return Int(line[line.index(after: colon)...].dropLast())
  }

  /// Lines given to the logger that these account for: written ones, and those that reports count.
  static func accounted(_ lines: [String]) -> Int {
    lines.reduce(0) { $0 + ($1.contains("\"log_lines_dropped\"") ? count($1) ?? 0 : 1) }
  }
}
