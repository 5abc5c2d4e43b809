import AnalyticsContract
import Testing

/// Bytes that lenient readers of JSON take.
@Suite struct JSONTraps {
  private static let body = JSON.body([.event]).canonical

  @Test(arguments: [
    "", " ", "\n", "\0", ",", ":", "}", "]", "{", "[", "\"", "{]", "[}", "{}{}", "[][]", "{} {}", "{},", "{}\0", "{}x",
    "nul", "nulll", "null null", "Null", "NULL", "tru", "True", "truee", "fals", "False", "falsey", "NaN", "Infinity",
    "-Infinity", "undefined", "{\"a\"}", "{\"a\":}", "{\"a\" 1}", "{\"a\":1,}", "{,}", "{\"a\":1 \"b\":2}", "{a:1}",
    "{'a':1}", "{1:1}", "{null:1}", "[1,]", "[,1]", "[1 2]", "[1,,2]", "[,]", "{\"a\"::1}", "{\"a\":1;}", "(1)",
    "// a\n{}", "/* a */{}", "{}// a", "{}#", "\u{FEFF}{}", "{}\u{FEFF}", "{\u{FEFF}}", "\u{A0}{}", "{}\u{B}",
    "\u{C}{}",
    "{\u{2028}}", "\u{85}{}", "\u{3000}{}",
  ])
  func `A text that is no JSON is refused as that, alone and in every place of a body`(text: String) {
    #expect(isSyntaxError(Array(text.utf8)))
    #expect(isSyntaxError(Array(text.utf8), .keyboardUsage))
    #expect(!StrictJSON.accepts(Array(text.utf8)))
    for body in ["{\"x\":[\(text)1]}", "{\"events\":[\(text)1]}", "{\"events\":[{\"surface\":\(text)1}]}"] {
      let bytes = Array(body.utf8)
      #expect(isSyntaxError(bytes) == !StrictJSON.accepts(bytes), "\(body)")
    }
  }

  @Test func `A byte order mark, trailing bytes and a second text make a valid body no JSON`() {
    #expect(verdict(Self.body) == "batch")
    let bytes = Array(Self.body.utf8)
    #expect(isSyntaxError([0xEF, 0xBB, 0xBF] + bytes))
    #expect(isSyntaxError([0xFE, 0xFF] + bytes))
    #expect(isSyntaxError([0xFF, 0xFE] + bytes.flatMap { [$0, 0] }))
    #expect(isSyntaxError(bytes.flatMap { [0, $0] }))
    #expect(isSyntaxError(bytes + bytes))
    for byte in UInt8.min ... .max {
      let isSpace = [0x20, 0x09, 0x0A, 0x0D].contains(byte)
      #expect(isSyntaxError(bytes + [byte]) == !isSpace, "\(byte)")
      #expect(isSyntaxError([byte] + bytes) == !isSpace, "\(byte)")
      #expect((verdict(bytes + [byte]) == "batch") == isSpace)
    }
  }

  @Test func `White space alone between all tokens changes nothing`() {
    #expect(
      verdict("\r\n\t { \"events\" : [ \(JSON.event.canonical) ] , \"installationId\" : \"\(identity)\" } \n")
        == "batch")
  }

  @Test(arguments: [
    "0", "-0", "1", "-1", "10", "1.0", "1.5", "-1.5", "0.0", "0e0", "1e2", "1E2", "1e+2", "1E-2", "1.5e300", "1e99999",
    "-1e-99999", "123456789012345678901234567890", "9223372036854775807", "-9223372036854775808",
  ])
  func `A number of the grammar is JSON`(number: String) {
    expectJudgement(number, isJSON: true)
  }

  @Test(arguments: [
    "-", "+", "+1", "00", "01", "-00", "-01", "000", "1.", "-1.", ".1", "-.1", "1.e2", ".", "1e", "1E", "1e+", "1E+",
    "1e-",
    "1e1.5", "1e1e1", "--1", "-+1", "- 1", "1 2", "1_000", "1,000.", "0x10", "0b1", "0o7", "1a", "1.2.3", "1f", "1n",
    "١",
    "１", "0.", "-e1", "e1", "1..2",
  ])
  func `Any other number is no JSON`(number: String) {
    expectJudgement(number, isJSON: false)
  }

  @Test func `Numbers with ten thousand digits are JSON`() {
    let digits = String(repeating: "7", count: 10_000)
    for number in [
      digits, "-" + digits, "0." + digits, "1e" + digits, "1e-" + digits, digits + "." + digits + "E+" + digits,
    ] {
      expectJudgement(number, isJSON: true)
    }
    for number in ["0" + digits, digits + ".", digits + "e", "-0" + digits] { expectJudgement(number, isJSON: false) }
  }

  @Test func `Literals are JSON in full and in lower case only`() {
    for literal in ["true", "false", "null"] {
      expectJudgement(literal, isJSON: true)
      for length in 1..<literal.count { expectJudgement(String(literal.prefix(length)), isJSON: false) }
      expectJudgement(literal.uppercased(), isJSON: false)
      expectJudgement(literal + literal, isJSON: false)
    }
  }

  /// Judges a value at the root, as an unknown member's value, in an array, and as a member's value.
  private func expectJudgement(_ value: String, isJSON: Bool, sourceLocation: SourceLocation = #_sourceLocation) {
    let places = [
      value, " \(value) ", "{\"x\":\(value)}", "{\"x\":[\(value)]}", "{\"x\":{\"y\":\(value)}}",
      "{\"x\":[0,\(value),0]}",
      "{\"events\":\(value)}", "{\"events\":[\(value)]}", "{\"installationId\":\(value)}",
      "{\"events\":[{\"surface\":\(value)}]}", "{\"events\":[{\"x\":\(value)}]}",
    ]
    for body in places {
      #expect(isSyntaxError(Array(body.utf8)) != isJSON, "\(body.prefix(80))", sourceLocation: sourceLocation)
    }
    let summary = "{\"summaries\":[{\"inputSessionCount\":\(value)}]}"
    #expect(isSyntaxError(Array(summary.utf8), .keyboardUsage) != isJSON, sourceLocation: sourceLocation)
  }
}
