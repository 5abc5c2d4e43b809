import TestSupport
import Testing

/// The well-known traps of JSON readers, each in an otherwise valid body.
@Suite("JSON traps", .ownThread)
struct JSONTrapTests {
  /// A valid body with one thing replaced, and the answers that are right for it.
  struct Trap: Sendable, CustomTestStringConvertible {
    var name: String
    var old: String
    var new: [UInt8]
    var statuses: [Int]
    var testDescription: String { name }

    init(_ name: String, _ old: String, _ new: String, _ statuses: Int...) {
      (self.name, self.old, self.new, self.statuses) = (name, old, Array(new.utf8), statuses)
    }

    init(_ name: String, _ old: String, bytes: [UInt8], _ statuses: Int...) {
      (self.name, self.old, self.new, self.statuses) = (name, old, bytes, statuses)
    }
  }

  static let version = "\"appVersion\":\"2.0.0\""

  /// The version member with a value of these bytes.
  private static func text(_ bytes: UInt8...) -> [UInt8] { Array("\"appVersion\":\"2".utf8) + bytes + [0x22] }

  static let strings: [Trap] = [
    Trap("lone continuation byte", version, bytes: text(0x80), 400),
    Trap("overlong slash in two bytes", version, bytes: text(0xc0, 0xaf), 400),
    Trap("overlong slash in three bytes", version, bytes: text(0xe0, 0x80, 0xaf), 400),
    Trap("overlong NUL", version, bytes: text(0xc0, 0x80), 400),
    Trap("overlong letter in four bytes", version, bytes: text(0xf0, 0x80, 0x81, 0x81), 400),
    Trap("surrogate in UTF-8", version, bytes: text(0xed, 0xa0, 0x80), 400),
    Trap("surrogate pair in UTF-8", version, bytes: text(0xed, 0xa0, 0xbd, 0xed, 0xb8, 0x80), 400),
    Trap("beyond Unicode", version, bytes: text(0xf4, 0x90, 0x80, 0x80), 400),
    Trap("lead byte F5", version, bytes: text(0xf5, 0x80, 0x80, 0x80), 400),
    Trap("byte FE", version, bytes: text(0xfe), 400),
    Trap("byte FF", version, bytes: text(0xff), 400),
    Trap("sequence cut short by the quote", version, bytes: text(0xe2, 0x82), 400),
    Trap("invalid UTF-8 in a member name", "\"appVersion\"", bytes: [0x22, 0xff, 0x22], 400),
    Trap("invalid UTF-8 outside a string", "{\"acq", bytes: [0x7b, 0xff] + Array("\"acq".utf8), 400),
    Trap("valid UTF-8 of four bytes", version, bytes: text(0xf0, 0x9f, 0x98, 0x80), 422),
    Trap("delete character", version, bytes: text(0x7f), 422),
    Trap("lone high surrogate", version, #""appVersion":"2\ud800""#, 400, 422),
    Trap("lone low surrogate", version, #""appVersion":"2\udc00""#, 400, 422),
    Trap("high surrogate before a letter", version, #""appVersion":"2\ud800A""#, 400, 422),
    Trap("two high surrogates", version, #""appVersion":"2\ud800\ud800""#, 400, 422),
    Trap("surrogates the wrong way round", version, #""appVersion":"2\ude00\ud83d""#, 400, 422),
    Trap("high surrogate and an escaped letter", version, #""appVersion":"2\ud800\u0041""#, 400, 422),
    Trap("surrogate pair", version, #""appVersion":"2\ud83d\ude00""#, 422),
    Trap("lone surrogate in a member name", "\"appVersion\"", #""\ud800""#, 400),
    Trap("escaped NUL", version, #""appVersion":"2\u0000""#, 422),
    Trap("escaped controls", version, #""appVersion":"2\b\f\n\r\t\u001f""#, 422),
    Trap("all escapes of a valid value", version, #""appVersion":"\u0032\u002e0.\u0030""#, 200),
    Trap("escaped upper-case hexadecimal", version, #""appVersion":"\u004A\u004a""#, 200),
    Trap("escaped solidus", version, #""appVersion":"2\/0""#, 422),
    Trap("unknown escape", version, #""appVersion":"2\x41""#, 400),
    Trap("escape of a quote that isn't one", version, #""appVersion":"2\'0""#, 400),
    Trap("upper-case escape", version, #""appVersion":"2\N""#, 400),
    Trap("bad digit in an escape", version, #""appVersion":"2\u12G4""#, 400),
    Trap("short escape", version, #""appVersion":"2\u123""#, 400),
    Trap("signed escape", version, #""appVersion":"2\u+123""#, 400),
    Trap("line feed in a string", version, "\"appVersion\":\"2\n0\"", 400),
    Trap("tab in a string", version, "\"appVersion\":\"2\t0\"", 400),
    Trap("NUL in a string", version, bytes: text(0x00), 400),
    Trap("unit separator in a string", version, bytes: text(0x1f), 400),
    Trap("single quotes", version, "'appVersion':'2.0.0'", 400),
    Trap("unquoted name", version, "appVersion:\"2.0.0\"", 400),
    Trap("long value", version, "\"appVersion\":\"\(String(repeating: "9", count: 100_000))\"", 422),
    Trap("long escaped value", version, "\"appVersion\":\"\(String(repeating: "\\u0039", count: 15_000))\"", 422),
  ]

  static let structure: [Trap] = [
    Trap("duplicate member", version, "\(version),\(version)", 400),
    Trap("duplicate member with another value", version, "\(version),\"appVersion\":\"3\"", 400),
    Trap("duplicate member spelt with an escape", version, #"\#(version),"\u0061ppVersion":"2.0.0""#, 400),
    Trap("duplicate member spelt with escapes twice", version, #""app\u0056ersion":"2","appVersio\u006e":"2""#, 400),
    Trap("duplicate in escapes", "\"eventType\"", #""\u0066eature":null,"f\u0065ature":null,"eventType""#, 400),
    Trap("duplicate null members", version, "\"feature\":null,\"feature\":null,\(version)", 400),
    Trap("duplicate member, null first", version, "\"appVersion\":null,\(version)", 400),
    Trap("duplicate list", "{\"events\":[", "{\"events\":[],\"events\":[", 400),
    Trap("duplicate list spelt with an escape", "{\"events\":[", #"{"\u0065vents":[],"events":["#, 400),
    Trap("escaped member names", "\"events\"", #""\u0065\u0076\u0065\u006e\u0074\u0073""#, 200),
    Trap("escaped member name of an event", "\"appVersion\"", #""app\u0056ersion""#, 200),
    Trap("escaped member name in upper-case hexadecimal", "\"osVersion\"", #""osVersi\u006F\u006E""#, 200),
    Trap("name cut by a NUL", "\"appVersion\"", #""appVersion\u0000""#, 400),
    Trap("name in another case", "\"appVersion\"", "\"AppVersion\"", 400),
    Trap("white space of JSON everywhere", "{\"events\":[", " \t\r\n{ \t\r\n\"events\" \t\r\n: \t\r\n[ \t\r\n", 200),
    Trap("vertical tab", "{\"events\"", "{\u{0b}\"events\"", 400),
    Trap("form feed", "{\"events\"", "{\u{0c}\"events\"", 400),
    Trap("no-break space", "{\"events\"", "{\u{a0}\"events\"", 400),
    Trap("line separator", "{\"events\"", "{\u{2028}\"events\"", 400),
    Trap("NUL between tokens", "{\"events\"", bytes: Array("{".utf8) + [0] + Array("\"events\"".utf8), 400),
    Trap("byte order mark", "{\"events\"", bytes: [0xef, 0xbb, 0xbf] + Array("{\"events\"".utf8), 400),
    Trap("byte order mark inside", "{\"events\"", bytes: [0x7b, 0xef, 0xbb, 0xbf] + Array("\"events\"".utf8), 400),
    Trap("comment", "{\"events\"", "{/* x */\"events\"", 400),
    Trap("line comment", "{\"events\"", "// x\n{\"events\"", 400),
    Trap("trailing comma in an object", version, "\(version),,", 400),
    Trap("leading comma in an array", "\"events\":[", "\"events\":[,", 400),
    Trap("trailing comma in an array", "],\"installationId\"", ",],\"installationId\"", 400),
    Trap("missing comma", version, "\(version)\"x\":1", 400),
    Trap("missing colon", "\"appVersion\":", "\"appVersion\" ", 400),
    Trap("two colons", "\"appVersion\":", "\"appVersion\"::", 400),
    Trap("equals sign", "\"appVersion\":", "\"appVersion\"=", 400),
    Trap("semicolon", "],\"installationId\"", "];\"installationId\"", 400),
    Trap("wrong bracket", "],\"installationId\"", "},\"installationId\"", 400),
    Trap("not a literal", version, "\"appVersion\":nul", 400),
    Trap("literal in another case", version, "\"appVersion\":NULL", 400),
    Trap("literal with a tail", version, "\"appVersion\":nullx", 400),
    Trap("infinity", version, "\"appVersion\":Infinity", 400),
    Trap("many numbers", version, "\"appVersion\":[" + many(50_000) { _ in "0" } + "]", 400),
    Trap("ten thousand unknown members", version, many(10_000) { "\"m\($0)\":0" }, 400),
    Trap("ten thousand equal members", version, many(10_000) { _ in "\"m\":0" }, 400),
    Trap("ten thousand copies of a known member", version, many(6_000) { _ in version }, 400),
    Trap("a hundred thousand open brackets in a member", version, "\"appVersion\":" + brackets("["), 400),
    Trap("deep objects in a member", version, "\"appVersion\":" + String(repeating: "{\"a\":", count: 20_000), 400),
    Trap("deep and closed", version, "\"appVersion\":" + brackets("[", 50_000) + brackets("]", 50_000), 400),
    Trap("deep, closed and unknown", version, "\"x\":" + brackets("[", 50_000) + brackets("]", 50_000), 400),
    Trap("deep list", "\"events\":[", "\"events\":" + brackets("["), 400),
  ]

  private static func many(_ count: Int, _ member: (Int) -> String) -> String {
    (0..<count).map(member).joined(separator: ",")
  }

  private static func brackets(_ bracket: String, _ count: Int = 100_000) -> String {
    String(repeating: bracket, count: count)
  }

  @Test("a trap in a string is refused, and what is valid JSON is not", arguments: strings)
  func stringTraps(_ trap: Trap) throws { try run(trap) }

  @Test("a trap in the structure is refused, and what is valid JSON is not", arguments: structure)
  func structureTraps(_ trap: Trap) throws { try run(trap) }

  private func run(_ trap: Trap) throws {
    var bodies = WireBodies(seed: trap.name)
    let event = bodies.event("FIRST_OPEN")
    let text = bodies.batch(of: event).json()
    let place = try #require(text.utf8.firstRange(of: Array(trap.old.utf8)), "the trap finds its place")
    let body = Array(text.utf8[..<place.lowerBound]) + trap.new + Array(text.utf8[place.upperBound...])
    let reply = try post(body, to: SharedServer.port)
    if trap.statuses == [200] {
      expectTaken(reply, accepted: 1)
    } else {
      #expect(trap.statuses.contains(reply.status))
      expectError(reply, 400, 422, sent: body)
    }
  }

  static let documents: [(String, [UInt8])] = [
    ("nothing", []), ("white space", Array(" \r\n\t ".utf8)), ("null", Array("null".utf8)), ("number", Array("1".utf8)),
    ("string", Array("\"events\"".utf8)), ("true", Array("true".utf8)), ("array", Array("[]".utf8)),
    ("array of an object", Array("[{}]".utf8)), ("object", Array("{}".utf8)), ("open brace", Array("{".utf8)),
    ("open quote", Array("\"".utf8)), ("NUL", [0]), ("NULs", [UInt8](repeating: 0, count: 1000)),
    ("a hundred thousand brackets", Array(brackets("[").utf8)),
    ("a hundred thousand closed brackets", Array((brackets("[", 50_000) + brackets("]", 50_000)).utf8)),
    ("deep objects", Array(String(repeating: "{\"events\":", count: 10_000).utf8)),
    ("deep lists", Array(String(repeating: "{\"events\":[", count: 10_000).utf8)),
    ("backslashes", [UInt8](repeating: 0x5c, count: 100_000)), ("quotes", [UInt8](repeating: 0x22, count: 100_001)),
    ("high bytes", [UInt8](repeating: 0xff, count: 100_000)), ("form", Array("events=1&installationId=2".utf8)),
    ("XML", Array("<?xml version=\"1.0\"?><events/>".utf8)), ("minus", Array("-".utf8)),
  ]

  @Test("a document that is no batch is refused", arguments: documents, [WireBatch.Kind.events, .summaries])
  func noBatch(_ document: (String, [UInt8]), _ kind: WireBatch.Kind) throws {
    expectError(try post(document.1, kind, to: SharedServer.port), 400, sent: document.1)
  }

  @Test("bytes around a valid document are refused, white space is not")
  func surroundings() throws {
    var bodies = WireBodies(seed: "surroundings")
    let text = bodies.events(1).json()
    for tail in ["x", "{}", text, ",", "\u{0}", "]", "}", " x", "\n\u{0}", "/", "\u{feff}", "null"] {
      let body = text + tail
      expectError(try post(body, to: SharedServer.port), 400, sent: Array(body.utf8), "\(tail.prefix(10))")
      if tail != text {
        expectError(try post(tail + text, to: SharedServer.port), 400, sent: Array(body.utf8), "\(tail.prefix(10))")
      }
    }
    let units = Array(text.utf16)
    let littleEndian: [UInt8] = units.flatMap { [UInt8($0 & 0xff), 0] }
    for bytes in [littleEndian, [0xff, 0xfe] + littleEndian] {
      expectError(try post(bytes, to: SharedServer.port), 400, sent: [], "UTF-16")
    }
    expectTaken(try post("\n\t\r " + text + " \r\n\t", to: SharedServer.port), accepted: 1)
  }
}
