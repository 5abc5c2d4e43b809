import Glibc
import Testing

@testable import Server

@Suite struct LogOutputTests {
  private func logger(_ descriptor: Int32, capacity: Int = 16_384) -> Logger {
    let output = LogOutput(descriptor: descriptor, capacity: capacity) { noon }
    return Logger(level: .debug, output: output) { noon }
  }

  @Test func aReaderThatStopsNeverBlocksACallerAndLearnsWhatItMissed() {
    let pipe = SmallPipe()
    let logger = logger(pipe.writing)
    // Far more than pipe, writer and buffer hold. That the loop ends is the point.
    for index in 0..<5_000 { logger.info("line", .field("n", index)) }
    #expect(!logger.flush(timeout: .milliseconds(1)), "nobody has read")
    let dropped = logger.droppedLines
    #expect(dropped > 0)

    let lines = pipe.lines { Lines.accounted($0) == 5_000 }
    #expect(Lines.accounted(lines) == 5_000)
    let reports = lines.filter { $0.contains("log_lines_dropped") }
    #expect(reports.reduce(0) { $0 + (Lines.count($1) ?? 0) } == Int(dropped))
    #expect(
      reports.allSatisfy {
        $0.hasPrefix(
          "{\"time\":\"2026-11-29T12:00:00.123Z\",\"level\":\"warning\",\"event\":\"log_lines_dropped\",\"count\":")
      })
    #expect(logger.flush(timeout: .seconds(60)))

    logger.info("line", .field("n", 5_000))
    #expect(pipe.lines { !$0.isEmpty }.map(Lines.count) == [5_000], "and the log goes on")
    #expect(logger.droppedLines == dropped)
  }

  @Test func aLineThatCouldNeverFitIsDroppedAndReported() {
    let pipe = SmallPipe()
    let logger = logger(pipe.writing, capacity: 10)
    logger.info("too_long")
    logger.info("too_long_as_well")
    #expect(logger.flush(timeout: .seconds(60)))
    #expect(logger.droppedLines == 2)
    #expect(Lines.accounted(pipe.lines { Lines.accounted($0) == 2 }) == 2)
  }

  @Test func aDescriptorThatDoesNotBlockLosesNothing() {
    let pipe = SmallPipe()
    #expect(fcntl(pipe.writing, F_SETFL, O_NONBLOCK) == 0)
    let logger = logger(pipe.writing, capacity: 1 << 20)
    for index in 0..<1_000 { logger.info("line", .field("n", index)) }
    #expect(pipe.lines { $0.count == 1_000 }.map(Lines.count) == Array(0..<1_000))
    #expect(logger.droppedLines == 0)
  }

  @Test func aReaderThatIsGoneDoesNotEndTheProcess() {
    let pipe = SmallPipe()
    pipe.closeReading()
    let logger = logger(pipe.writing)
    logger.info("a")
    #expect(!logger.flush(timeout: .seconds(60)))
    #expect(logger.droppedLines == 1)
  }

  @Test func aFullDiskIsReportedWhenThereIsRoomAgain() {
    let descriptor = open("/dev/full", O_WRONLY)
    defer { close(descriptor) }
    let logger = logger(descriptor)
    for _ in 0..<3 {
      logger.info("lost")
      #expect(!logger.flush(timeout: .seconds(60)))
    }
    #expect(logger.droppedLines == 3)

    let pipe = SmallPipe()
    dup2(pipe.writing, descriptor)
    logger.info("kept")
    let lines = pipe.lines { $0.count == 2 }
    #expect(lines[0].hasSuffix("\"event\":\"kept\"}"))
    #expect(lines[1].hasSuffix("\"event\":\"log_lines_dropped\",\"count\":3}"))
    #expect(logger.flush(timeout: .seconds(60)))
  }

  @Test func aWriteThatEndsInTheMiddleOfALineDoesNotSpoilTheNext() async {
    // In a process of its own, because the limit on file sizes is the process's.
    await #expect(processExitsWith: .success) {
      var path = Array("/tmp/osg-analytics-log-XXXXXX".utf8CString)
      let descriptor = mkstemp(&path)
      unlink(path)
      let limited = rlimit(rlim_cur: 100, rlim_max: rlim_t.max)
      let open = rlimit(rlim_cur: rlim_t.max, rlim_max: rlim_t.max)
      withUnsafePointer(to: limited) { _ = setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), $0) }
      let output = LogOutput(descriptor: descriptor) { noon }
      let logger = Logger(level: .debug, output: output) { noon }
      for _ in 0..<3 { logger.info("before") }
      #expect(!logger.flush(timeout: .seconds(60)))

      withUnsafePointer(to: open) { _ = setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), $0) }
      logger.info("after")
      #expect(logger.flush(timeout: .seconds(60)))
      var bytes = [UInt8](repeating: 0, count: 1_000)
      let count = pread(descriptor, &bytes, bytes.count, 0)
      let lines = Lines.split(bytes.prefix(count))
      let whole = "{\"time\":\"2026-11-29T12:00:00.123Z\",\"level\":"
      #expect(lines.count == 4)
      #expect(lines.first == whole + "\"info\",\"event\":\"before\"}")
      #expect(lines.dropFirst(2).first == whole + "\"info\",\"event\":\"after\"}")
      #expect(lines.last == whole + "\"warning\",\"event\":\"log_lines_dropped\",\"count\":2}")
    }
  }

  @Test func whatWaitsIsWrittenAfterTheLastReferenceIsGone() {
    let pipe = SmallPipe()
    do {
      let logger = logger(pipe.writing, capacity: 1 << 20)
      for index in 0..<200 { logger.info("line", .field("n", index)) }
    }
    #expect(pipe.lines { $0.count == 200 }.map(Lines.count) == Array(0..<200))
  }

  @Test func theThreadEndsWithTheLastReference() {
    /// Held by the clock, which the thread holds: goes when the thread does.
    final class Witness: Sendable {
      let pipe: SmallPipe.Writer
      init(_ pipe: SmallPipe.Writer) { self.pipe = pipe }
      var time: Int64 { noon }
      deinit { pipe.write("gone\n") }
    }
    let pipe = SmallPipe()
    do {
      let witness = Witness(pipe.writer)
      let capture = LogCapture { witness.time }
      capture.logger.info("line")
    }
    #expect(pipe.lines { !$0.isEmpty } == ["gone"])
  }
}
