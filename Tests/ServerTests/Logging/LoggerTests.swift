import Testing

@testable import Server

@Suite struct LoggerTests {
  private func events(_ lines: [String]) -> [String] {
    lines.compactMap { line in
      guard let start = line.firstRange(of: "\"event\":\"") else { return nil }
      return String(line[start.upperBound...].prefix { $0 != "\"" })
    }
  }

  @Test func writesLinesInOrderWithTheirLevels() {
    let capture = LogCapture()
    capture.logger.debug("a")
    capture.logger.info("b", .count(1))
    capture.logger.warning("c")
    capture.logger.error("d")
    let start = "{\"time\":\"2026-11-29T12:00:00.123Z\",\"level\":"
    #expect(
      capture.lines() == [
        start + "\"debug\",\"event\":\"a\"}", start + "\"info\",\"event\":\"b\",\"count\":1}",
        start + "\"warning\",\"event\":\"c\"}", start + "\"error\",\"event\":\"d\"}",
      ])
  }

  @Test(arguments: LogLevel.allCases) func leavesOutWhatIsBelowItsLevel(_ level: LogLevel) {
    let capture = LogCapture(level: level)
    capture.logger.debug("debug")
    capture.logger.info("info")
    capture.logger.warning("warning")
    capture.logger.clientWarning("warning")
    capture.logger.error("error")
    let expected = ["debug", "info", "warning", "warning", "error"].filter { name in
      LogLevel.allCases.contains { $0 >= level && "\($0.label)" == name }
    }
    #expect(events(capture.lines()) == expected)
    #expect(capture.logger.suppressedLines == 0)
  }

  @Test func keepsLinesWholeWhenManyThreadsLog() async {
    let capture = LogCapture()
    let logger = capture.logger
    await withTaskGroup(of: Void.self) { group in
      for task in 0..<4 {
        group.addTask { for index in 0..<500 { logger.info("line", .field("n", task * 500 + index)) } }
      }
    }
    let lines = capture.lines()
    #expect(Set(lines.compactMap(Lines.count)) == Set(0..<2_000))
    #expect(lines.count == 2_000)
    #expect(lines.allSatisfy { $0.hasPrefix("{\"time\":") && $0.hasSuffix("}") })
  }

  @Test func flushOfAnIdleLogIsDoneAtOnce() {
    #expect(LogCapture().logger.flush(timeout: .zero))
  }
}

@Suite struct ClientWarningTests {
  /// A clock that tests move.
  private final class Hand: Sendable {
    private let gauge = Gauge("hand", "")
    init() { gauge.set(noon) }
    var now: Int64 { gauge.value }
    func move(seconds: Double) { gauge.add(Int64(seconds * 1_000_000)) }
  }

  @Test func writesTwentyLinesASecondAndCountsTheRest() {
    let hand = Hand()
    let capture = LogCapture { hand.now }
    for _ in 0..<50 { capture.logger.clientWarning("bad_request", .status(400)) }
    #expect(capture.logger.suppressedLines == 30)
    hand.move(seconds: 0.999_999)
    capture.logger.clientWarning("bad_request", .status(400))
    hand.move(seconds: 0.000_001)
    capture.logger.clientWarning("bad_request", .status(400))
    capture.logger.clientWarning("bad_request", .status(400))
    let lines = capture.lines()
    #expect(lines.count == 22)
    #expect(lines[20].hasSuffix("\"event\":\"bad_request\",\"status\":400,\"suppressed\":31}"))
    #expect(lines[21].hasSuffix("\"event\":\"bad_request\",\"status\":400}"))
  }

  @Test func limitsEachEventForItself() {
    let capture = LogCapture(clientWarningsPerSecond: 1)
    for _ in 0..<3 {
      capture.logger.clientWarning("one")
      capture.logger.clientWarning("two")
    }
    #expect(capture.logger.suppressedLines == 4)
    let lines = capture.lines()
    for name in ["one", "two"] { #expect(lines.count { $0.hasSuffix("\"event\":\"\(name)\"}") } == 1) }
  }

  @Test func tellsAtTheEndWhatNoLineHasTold() {
    let capture = LogCapture(clientWarningsPerSecond: 1)
    for _ in 0..<5 { capture.logger.clientWarning("noise") }
    #expect(
      capture.lines().last?.hasSuffix(
        "\"level\":\"warning\",\"event\":\"log_lines_suppressed\",\"suppressed_event\":\"noise\",\"count\":4}") == true)
    #expect(capture.lines().count == 2, "told once")
  }

  @Test func aClockSetBackDoesNotSilenceAnEvent() {
    let hand = Hand()
    let capture = LogCapture(clientWarningsPerSecond: 1) { hand.now }
    capture.logger.clientWarning("noise")
    hand.move(seconds: -3_600)
    capture.logger.clientWarning("noise")
    #expect(capture.lines().count == 2)
    #expect(capture.logger.suppressedLines == 0)
  }

  @Test func warningsOfTheServerItselfAreNotLimited() {
    let capture = LogCapture(clientWarningsPerSecond: 1)
    for _ in 0..<100 { capture.logger.warning("slow_commit") }
    #expect(capture.lines().count == 100)
  }

  @Test func countsExactlyWhenManyThreadsLog() async {
    let capture = LogCapture(clientWarningsPerSecond: 7)
    let logger = capture.logger
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<4 { group.addTask { for _ in 0..<1_000 { logger.clientWarning("noise") } } }
    }
    #expect(logger.suppressedLines == 3_993)
    #expect(capture.lines().count == 8)
  }
}
