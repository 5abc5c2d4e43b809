import AnalyticsContract
import Testing

/// What may stand between quotes.
@Suite struct Texts {
  @Test(arguments: [
    "\\\"", "\\\\", "\\/", "\\b", "\\f", "\\n", "\\r", "\\t", "\\u0000", "\\u001F", "\\u00e9", "\\uFFFF", "\\uD7FF",
    "\\uE000", "\\uD800\\uDC00", "\\uDBFF\\uDFFF", "\\ud83d\\ude00", "\\uD83D\\uDE00\\uD83D\\uDE00", "\u{7F}", "\u{80}",
    "é", "你好", "😀", "\u{FFFF}", "\u{10FFFF}", "\u{FEFF}", "\u{2028}", "\u{202E}", "e\u{301}",
  ])
  func `A text of the grammar is JSON, and no version`(text: String) {
    expectJudgement(Array(text.utf8), isJSON: true)
    #expect(verdictOfEvent { $0.setting("appVersion", .raw("\"\(text)\"")) } == "422 /events/0/appVersion version")
  }

  @Test(arguments: [
    "\\", "\\x41", "\\U0041", "\\'", "\\0", "\\a", "\\v", "\\e", "\\N", "\\ ", "\\\n", "\\u", "\\u1", "\\u12", "\\u123",
    "\\u12G4", "\\u 123", "\\u+123", "\\u-123", "\\u{41}", "\\u00é9", "\\uD800", "\\uDBFF", "\\uDC00", "\\uDFFF",
    "\\uD800x", "\\uD800\\n", "\\uD800\\", "\\uD800\\u", "\\uD800\\uD800", "\\uD800\\uDBFF\\uDC00", "\\uD800\\u0041",
    "\\uD800\\uE000", "\\uDC00\\uD800", "\\uD800\\uDC0", "\\uD83D \\uDE00", "a\"b",
  ])
  func `Another escape, and half a surrogate pair, is no JSON`(text: String) {
    expectJudgement(Array(text.utf8), isJSON: false)
  }

  @Test func `A control character is no JSON, escaped it is`() {
    for byte in UInt8(0)...0x1F {
      expectJudgement([byte], isJSON: false)
      expectJudgement([0x61, byte, 0x62], isJSON: false)
      expectJudgement(Array("\\n".utf8) + [byte], isJSON: false)
      expectJudgement(Array("\\u00\(byte < 16 ? "0" : "")\(String(byte, radix: 16))".utf8), isJSON: true)
    }
    for byte in UInt8(0x20)...0x7F where byte != 0x22 && byte != 0x5C { expectJudgement([byte], isJSON: true) }
  }

  @Test func `Every pair of bytes is UTF-8 exactly where the standard library reads it`() {
    var wrong: [[UInt8]] = []
    for first in UInt8(0x20) ... .max where first != 0x22 && first != 0x5C {
      for second in UInt8(0x20) ... .max where second != 0x22 && second != 0x5C {
        if first < 0x80, second < 0x80 { continue }
        if isMisjudged([first, second]) { wrong.append([first, second]) }
      }
    }
    #expect(wrong.isEmpty, "\(wrong.count)")
  }

  @Test func `Three and four bytes are UTF-8 exactly where the standard library reads them`() {
    let edges: [UInt8] = [0x20, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC2, 0xE0, 0xED, 0xF0, 0xF4, 0xFF]
    var wrong: [[UInt8]] = []
    for lead in UInt8(0xC0) ... .max {
      for second in edges {
        for third in edges {
          if isMisjudged([lead, second, third]) { wrong.append([lead, second, third]) }
          for fourth in [0x7F, 0x80, 0xBF, 0xC0] as [UInt8] where lead >= 0xE0 {
            if isMisjudged([lead, second, third, fourth]) { wrong.append([lead, second, third, fourth]) }
          }
        }
      }
    }
    #expect(wrong.isEmpty, "\(wrong.count)")
  }

  @Test(
    arguments: [
      ([0xC2, 0x80], [0xDF, 0xBF], true), ([0xC0, 0x80], [0xC1, 0xBF], false),
      ([0xE0, 0xA0, 0x80], [0xE0, 0xBF, 0xBF], true), ([0xE0, 0x80, 0x80], [0xE0, 0x9F, 0xBF], false),
      ([0xE1, 0x80, 0x80], [0xEC, 0xBF, 0xBF], true), ([0xED, 0x80, 0x80], [0xED, 0x9F, 0xBF], true),
      ([0xED, 0xA0, 0x80], [0xED, 0xBF, 0xBF], false), ([0xEE, 0x80, 0x80], [0xEF, 0xBF, 0xBF], true),
      ([0xF0, 0x90, 0x80, 0x80], [0xF0, 0xBF, 0xBF, 0xBF], true),
      ([0xF0, 0x80, 0x80, 0x80], [0xF0, 0x8F, 0xBF, 0xBF], false),
      ([0xF1, 0x80, 0x80, 0x80], [0xF3, 0xBF, 0xBF, 0xBF], true),
      ([0xF4, 0x80, 0x80, 0x80], [0xF4, 0x8F, 0xBF, 0xBF], true),
      ([0xF4, 0x90, 0x80, 0x80], [0xF4, 0xBF, 0xBF, 0xBF], false),
      ([0xF5, 0x80, 0x80, 0x80], [0xFF, 0xBF, 0xBF, 0xBF], false),
      ([0x80], [0xBF], false),
    ] as [([UInt8], [UInt8], Bool)])
  func `The rows of Unicode's table 3-7`(first: [UInt8], last: [UInt8], isUTF8: Bool) {
    for bytes in [first, last] {
      expectJudgement(bytes, isJSON: isUTF8)
      expectJudgement(bytes + bytes, isJSON: isUTF8)
      for length in 1..<max(1, bytes.count) {
        expectJudgement(Array(bytes[..<length]), isJSON: false)
        expectJudgement(Array(bytes[..<length]) + [0x41], isJSON: false)
      }
    }
  }

  @Test func `A text may be as long as the body and is still none of the contract's`() {
    for text in [String(repeating: "A", count: 100_000), String(repeating: "\\u0041", count: 20_000)] {
      #expect(verdictOfEvent { $0.setting("surface", .raw("\"\(text)\"")) } == "422 /events/0/surface unknown_value")
      #expect(verdictOfEvent { $0.setting("appVersion", .raw("\"\(text)\"")) } == "422 /events/0/appVersion version")
      #expect(verdictOfEvent { $0.appending(text, .raw("1")) } == "400 /events/0 unknown_member")
    }
  }

  @Test func `A name or value with something after it is another name or value`() {
    for length in [1, 20, 31, 32, 33, 63, 64, 65, 200] {
      for rest in [String(repeating: "x", count: length), String(repeating: "\\u0000", count: length)] {
        #expect(
          verdictOfEvent { $0.setting("surface", .raw("\"APP\(rest)\"")) } == "422 /events/0/surface unknown_value")
        #expect(verdictOfEvent { $0.appending("surface\(rest)", .raw("1")) } == "400 /events/0 unknown_member")
      }
    }
    let version = String(repeating: "\\u0031", count: 32)
    #expect(verdictOfEvent { $0.setting("osVersion", .raw("\"\(version)\"")) } == "batch")
    #expect(
      verdictOfEvent { $0.setting("osVersion", .raw("\"\(version)\\u0031\"")) } == "422 /events/0/osVersion version")
  }

  /// Judges a text as the root, as a name that is skipped, and with an escape before it, which is read another way.
  private func expectJudgement(_ text: [UInt8], isJSON: Bool, sourceLocation: SourceLocation = #_sourceLocation) {
    let frames: [(String, String)] = [
      ("\"", "\""), ("\"\\t", "\""), ("{\"x\":\"", "\"}"), ("{\"", "\":1}"), ("{\"x\":{\"", "\":1}}"),
      ("{\"events\":[{\"surface\":\"", "\"}]}"), ("{\"events\":[{\"appVersion\":\"\\\\", "\"}]}"),
    ]
    for (before, after) in frames {
      let body = Array(before.utf8) + text + Array(after.utf8)
      #expect(isSyntaxError(body) != isJSON, "\(body)", sourceLocation: sourceLocation)
      #expect(StrictJSON.accepts(body) == isJSON, "oracle: \(body)", sourceLocation: sourceLocation)
    }
    #expect(isSyntaxError([0x22] + text), sourceLocation: sourceLocation)
  }

  private func isMisjudged(_ text: [UInt8]) -> Bool {
    let isUTF8 = String(validating: text, as: UTF8.self) != nil
    return isSyntaxError([0x22] + text + [0x22]) == isUTF8
      || isSyntaxError([0x22, 0x5C, 0x74] + text + [0x22]) == isUTF8
  }
}
