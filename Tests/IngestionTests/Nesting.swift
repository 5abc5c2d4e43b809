import AnalyticsContract
import Testing

@Suite struct Nesting {
  private static let depth = 60_000

  private static let towers: [(open: String, close: String)] = [
    ("[", "]"), ("{\"a\":", "}"), ("[{\"a\":", "}]"), ("{\"a\":[", "]}"), ("[0,", "]"), ("{\"b\":0,\"a\":", "}"),
    ("[[],{},{\"c\":[]},", ",[]]"),
  ]

  @Test(arguments: 0..<7)
  func `Sixty thousand levels are a value of the wrong type or an unknown member, and no stack overflows`(tower: Int) {
    let (open, close) = Self.towers[tower]
    let value = String(repeating: open, count: Self.depth) + "0" + String(repeating: close, count: Self.depth)
    #expect(
      verdict("{\"x\":\(value),\"events\":[\(JSON.event.canonical)],\"installationId\":\"\(identity)\"}")
        == "400  unknown_member")
    #expect(verdictOfEvent { $0.setting("surface", .raw(value)) } == "400 /events/0/surface wrong_type")
    #expect(verdictOfEvent { $0.appending("x", .raw(value)) } == "400 /events/0 unknown_member")
    #expect(
      verdictOfSummary { $0.setting("inputSessionCount", .raw(value)) }
        == "400 /summaries/0/inputSessionCount wrong_type")
    #expect(verdictOfSummary { $0.setting("summaryDate", .raw(value)) } == "400 /summaries/0/summaryDate wrong_type")
    #expect(verdict("{\"events\":[[\(value)]],\"installationId\":\"\(identity)\"}") == "400 /events/0 wrong_type")
    #expect(verdict("{\"events\":{\"x\":\(value)},\"installationId\":\"\(identity)\"}") == "400 /events wrong_type")
    #expect(
      verdict("{\"events\":[\(JSON.event.canonical)],\"installationId\":\(value)}") == "400 /installationId wrong_type")
    #expect(verdict("[\(value)]") == "400  wrong_type")
  }

  @Test(arguments: 0..<7)
  func `Brackets that do not balance are no JSON at any depth`(tower: Int) {
    let (open, close) = Self.towers[tower]
    for depth in [1, 2, 63, 64, 65, 127, 128, 129, 1000, Self.depth] {
      let value = String(repeating: open, count: depth) + "0" + String(repeating: close, count: depth)
      let broken = [
        String(repeating: open, count: depth), String(value.dropLast()), value + close, value + "]", value + "}",
        open + value, String(repeating: open, count: depth) + String(repeating: close, count: depth) + ",",
      ]
      #expect(!isSyntaxError(Array("[\(value)]".utf8)))
      for text in depth < Self.depth ? broken : Array(broken[1...3]) {
        #expect(isSyntaxError(Array("[\(text)]".utf8)), "\(depth)")
        if depth < Self.depth { #expect(isSyntaxError(Array("{\"x\":\(text)}".utf8)), "\(depth)") }
      }
    }
  }

  @Test func `Any nesting of arrays and objects closes each level with its own bracket`() {
    var random = SeededRandom(seed: 5)
    for _ in 0..<300 {
      let kinds = (0..<Int.random(in: 1...200, using: &random)).map { _ in random.oneIn(2) }
      var closing = kinds.reversed().map { $0 ? "}" : "]" }
      let opening = kinds.map { $0 ? "{\"\":" : "[" }.joined()
      #expect(!isSyntaxError(Array((opening + "1" + closing.joined()).utf8)))
      let position = closing.indices.randomElement(using: &random)!
      closing[position] = closing[position] == "}" ? "]" : "}"
      #expect(isSyntaxError(Array((opening + "1" + closing.joined()).utf8)))
      #expect(isSyntaxError(Array((opening + "1" + closing.dropLast().joined()).utf8)))
    }
  }
}
