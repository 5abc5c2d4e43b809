import TestSupport
import Testing

/// The counters of keyboard usage summaries and the rules between them.
@Suite("Keyboard usage summaries", .ownThread)
struct SummaryRuleTests {
  /// A batch of one summary with these counters in the order of ``WireCatalog/counters``.
  static func batch(_ counters: [Int], _ bodies: inout WireBodies) -> WireBatch {
    var summary = bodies.summary()
    for (name, value) in zip(WireCatalog.counters, counters) { summary.set(name, json: String(value)) }
    return WireBatch(.summaries, installation: bodies.installation(), items: [summary])
  }

  @Test(
    "counters inside their ranges that add up are taken",
    arguments: [
      [0, 0, 0, 0, 0, 0, 0, 0], [1, 0, 0, 1, 1, 0, 0, 0], [0, 0, 1, 1, 0, 0, 0, 1], [3, 4, 3, 10, 1, 2, 3, 4],
      [1_000_000, 1_000_000, 1_000_000, 100_000, 100_000, 0, 0, 0], [1_000_000, 0, 0, 0, 0, 0, 0, 0],
      [100_000, 0, 0, 100_000, 0, 100_000, 0, 0], [0, 0, 100_000, 100_000, 0, 0, 0, 100_000],
      [33_333, 33_333, 33_334, 100_000, 25_000, 25_000, 25_000, 25_000],
    ])
  func taken(_ counters: [Int]) throws {
    var bodies = WireBodies(seed: "taken \(counters)")
    expectTaken(try post(Self.batch(counters, &bodies), to: SharedServer.port), accepted: 1)
  }

  @Test(
    "counters outside their ranges, or that don't add up, are refused",
    arguments: [
      [1_000_001, 0, 0, 0, 0, 0, 0, 0], [0, 1_000_001, 0, 0, 0, 0, 0, 0], [0, 0, 1_000_001, 0, 0, 0, 0, 0],
      [1_000_000, 0, 0, 100_001, 100_001, 0, 0, 0], [1_000_000, 0, 0, 100_001, 50_001, 50_000, 0, 0],
      [-1, 0, 1, 0, 0, 0, 0, 0], [1, -1, 0, 0, 0, 0, 0, 0], [10, 5, -1, 4, 4, 0, 0, 0], [10, 0, 0, -1, 0, 0, 0, -1],
      [10, 0, 0, 1, 2, -1, 0, 0], [10, 0, 0, 1, 0, 0, 0, 0], [10, 0, 0, 0, 1, 0, 0, 0], [10, 0, 0, 2, 1, 0, 0, 0],
      [10, 0, 0, 3, 1, 1, 1, 1], [10, 0, 0, 5, 1, 1, 1, 1], [0, 0, 0, 1, 1, 0, 0, 0], [1, 1, 1, 4, 1, 1, 1, 1],
      [Int.max, 0, 0, 0, 0, 0, 0, 0], [Int.min, 0, 0, 0, 0, 0, 0, 0], [0, 0, 0, Int.max, Int.max, 0, 0, 0],
      [0, 0, 0, -2, Int.max, Int.max, 0, 0], [Int.max, Int.max, 2, 0, 0, 0, 0, 0],
      [10, 0, 0, 0, Int.max, Int.max, 1, 1], [4_294_967_296, 0, 0, 0, 0, 0, 0, 0],
      [5, 0, 0, 4_294_967_297, 1, 0, 0, 0],
    ])
  func refused(_ counters: [Int]) throws {
    var bodies = WireBodies(seed: "refused \(counters)")
    let batch = Self.batch(counters, &bodies)
    expectError(try post(batch, to: SharedServer.port), 422, sent: batch.body())
  }

  @Test("a counter is a JSON integer and nothing else", arguments: WireCatalog.counters)
  func integers(_ counter: String) throws {
    var bodies = WireBodies(seed: "integers \(counter)")
    func reply(_ json: String) throws -> HTTPReply {
      let summary = bodies.summary().with(counter, json: json)
      let batch = WireBatch(.summaries, installation: bodies.installation(), items: [summary])
      return try post(batch, to: SharedServer.port)
    }
    let wrongTypes = [
      "1.0", "1e2", "1E2", "1e0", "0.0", "0e0", "1.5", "-1.0", "1e-1", "10e400", "\"1\"", "\"\"", "true", "false",
      "null",
      "[]", "{}", "[1]",
    ]
    let notJSON = [
      "01", "00", "-01", "+1", ".5", "1.", "1.e1", "-", "1e", "1e+", "0x10", "1_000", "NaN", "Infinity", "1 2",
    ]
    for json in wrongTypes + notJSON { expectError(try reply(json), 400, sent: [], "\(json)") }
    let outside = ["-1", "18446744073709551616", "9223372036854775808", "-9223372036854775809", "1" + zeros(30)]
    for json in outside { expectError(try reply(json), 422, sent: [], "\(json)") }
    // So long that it is hardly a number: which of the two errors is not settled.
    for json in ["1" + zeros(1000), "-1" + zeros(50_000), "1" + zeros(100_000)] {
      expectError(try reply(json), 400, 422, sent: [], "\(json.utf8.count) digits")
    }
    #expect([200, 400, 422].contains(try reply("-0").status))
  }

  private func zeros(_ count: Int) -> String { String(repeating: "0", count: count) }

  @Test("every member of a summary is required but for the versions")
  func requiredMembers() throws {
    var bodies = WireBodies(seed: "requiredMembers")
    for member in WireCatalog.counters + ["clientSummaryId", "summaryDate"] {
      let batch = WireBatch(
        .summaries, installation: bodies.installation(), items: [bodies.summary().with(member, nil)])
      expectError(try post(batch, to: SharedServer.port), 400, sent: batch.body(), "\(member)")
    }
    for member in ["appVersion", "osVersion"] {
      for json in [nil, "null"] as [String?] {
        var summary = bodies.summary()
        summary.members[member] = json
        let batch = WireBatch(.summaries, installation: bodies.installation(), items: [summary])
        expectTaken(try post(batch, to: SharedServer.port), accepted: 1, "\(member)")
      }
      for value in ["", "iPhone of Ana", "2\\n"] {
        let batch = WireBatch(
          .summaries, installation: bodies.installation(), items: [bodies.summary().with(member, value)])
        expectError(try post(batch, to: SharedServer.port), 422, sent: batch.body(), "\(member)")
      }
    }
  }

  @Test(
    "a batch has 1 to 50 items, of the kind that the endpoint takes", arguments: [WireBatch.Kind.events, .summaries])
  func itemCount(_ kind: WireBatch.Kind) throws {
    var bodies = WireBodies(seed: "itemCount \(kind)")
    let list = kind.rawValue
    for json in ["[]", "{}", "null", "\"x\"", "1", "[null]", "[1]", "[\"x\"]", "[[]]", "[{}]", "[true]"] {
      let body = "{\"installationId\":\"\(bodies.installation())\",\"\(list)\":\(json)}"
      expectError(try post(body, kind, to: SharedServer.port), 400, sent: Array(body.utf8), "\(json)")
    }
    for body in ["{}", "{\"installationId\":\"\(bodies.installation())\"}", "{\"installationId\":null}"] {
      expectError(try post(body, kind, to: SharedServer.port), 400, sent: Array(body.utf8), "\(body)")
    }
    let many = kind == .events ? bodies.events(51) : bodies.summaries(35)
    if kind == .events {
      expectError(try post(many, to: SharedServer.port), 400, sent: many.body())
      var fifty = many
      fifty.items.removeLast()
      expectTaken(try post(fifty, .legacy, to: SharedServer.port), accepted: 50)
    } else {
      // Only 35 dates are open, so that more items can only be copies.
      expectTaken(try post(many, to: SharedServer.port), accepted: 35)
      var fifty = bodies.summaries(35)
      fifty.items += fifty.items[0..<15]
      expectTaken(try post(fifty, to: SharedServer.port), accepted: 35, replayed: 15)
      fifty.items.append(fifty.items[0])
      expectError(try post(fifty, to: SharedServer.port), 400, sent: fifty.body())
    }
    // The other endpoint doesn't know the list.
    let other = WireBatch(kind == .events ? .summaries : .events, installation: "", items: []).kind
    let wrong = kind == .events ? bodies.events(1) : bodies.summaries(1)
    expectError(try post(wrong.body(), other, to: SharedServer.port), 400, sent: wrong.body())
    let both = String(wrong.json().dropLast()) + ",\"\(other.rawValue)\":[]}"
    expectError(try post(both, kind, to: SharedServer.port), 400, sent: Array(both.utf8))
  }
}
