import Testing

@testable import Server

@Suite struct LogLineTests {
  private enum Colour: StaticallyLabelled {
    case red
    var label: StaticString { "red" }
  }

  private func line(_ time: Int64 = noon, _ event: StaticString = "e", _ fields: LogField...) -> String {
    String(decoding: LogLine.bytes(time: time, level: .info, event: event, fields: fields), as: UTF8.self)
  }

  @Test func hasTheDocumentedShape() {
    #expect(
      line(noon, "listening", .port(8080))
        == "{\"time\":\"2026-11-29T12:00:00.123Z\",\"level\":\"info\",\"event\":\"listening\",\"port\":8080}\n")
  }

  @Test(arguments: [
    (LogField.field("k", Int.min), "-9223372036854775808"), (.field("k", UInt64.max), "18446744073709551615"),
    (.field("k", Int64(-1)), "-1"), (.field("k", 0.25), "0.25"), (.field("k", Double.nan), "null"),
    (.field("k", -Double.infinity), "null"), (.field("k", true), "true"), (.field("k", false), "false"),
    (.field("k", RequestID(rawValue: 0xAB)), "\"00000000000000ab\""), (.field("k", "text"), "\"text\""),
    (.field("k", Colour.red), "\"red\""), (.field("k", "a\"b\\c\nd\u{1F}é"), "\"a\\\"b\\\\c\\u000ad\\u001fé\""),
  ])
  func writesEveryKindOfValueAsJSON(_ field: LogField, _ json: String) {
    #expect(line(noon, "e", field).hasSuffix(",\"event\":\"e\",\"k\":\(json)}\n"))
  }

  @Test func namesTheCommonFieldsAlike() {
    let all = line(
      noon, "e", .request(RequestID(rawValue: 1)), .status(503), .count(2), .bytes(3), .errno(28), .code(13),
      .duration(.milliseconds(1.5)), .reason(Colour.red))
    #expect(
      all.hasSuffix(
        "\"request\":\"0000000000000001\",\"status\":503,\"count\":2,\"bytes\":3,\"errno\":28,\"code\":13,"
          + "\"microseconds\":1500,\"reason\":\"red\"}\n"))
  }

  @Test(
    arguments: [
      (0, "1970-01-01T00:00:00.000Z"), (-1, "1969-12-31T23:59:59.999Z"), (999, "1970-01-01T00:00:00.000Z"),
      (951_782_400_000_000, "2000-02-29T00:00:00.000Z"), (951_868_799_999_999, "2000-02-29T23:59:59.999Z"),
      (951_868_800_000_000, "2000-03-01T00:00:00.000Z"), (1_798_761_599_999_999, "2026-12-31T23:59:59.999Z"),
      (1_798_761_600_000_000, "2027-01-01T00:00:00.000Z"), (4_107_542_400_000_000, "2100-03-01T00:00:00.000Z"),
      (-62_135_596_800_000_000, "0001-01-01T00:00:00.000Z"), (253_402_300_799_999_999, "9999-12-31T23:59:59.999Z"),
    ] as [(Int64, String)])
  func writesInstantsOfTheGregorianCalendar(_ time: Int64, _ text: String) {
    #expect(line(time).hasPrefix("{\"time\":\"\(text)\","))
  }

  @Test(arguments: [Int64.min, Int64.max]) func survivesEveryClock(_ time: Int64) {
    #expect(line(time).hasSuffix(",\"level\":\"info\",\"event\":\"e\"}\n"))
  }
}

@Suite struct RequestIDTests {
  @Test func isSixteenLowerCaseHexadecimalDigits() {
    #expect(RequestID(rawValue: 0).description == "0000000000000000")
    #expect(RequestID(rawValue: 0x0123_4567_89AB_CDEF).description == "0123456789abcdef")
    #expect(RequestID(rawValue: .max).description == "ffffffffffffffff")
  }

  @Test func neverRepeatsAcrossThreads() async {
    let all = await withTaskGroup(of: [RequestID].self) { group in
      for _ in 0..<4 { group.addTask { (0..<10_000).map { _ in RequestID() } } }
      return await group.reduce(into: Set<RequestID>()) { $0.formUnion($1) }
    }
    #expect(all.count == 40_000)
  }
}
