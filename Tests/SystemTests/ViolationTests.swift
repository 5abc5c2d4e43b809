import TestSupport
import Testing

/// What the list of violations says, and what it never says.
@Suite("Violations", .ownThread)
struct ViolationTests {
  private func violations(_ reply: HTTPReply) -> [ErrorBody.Violation] { ErrorBody(reply)?.violations ?? [] }

  @Test(
    "an unknown member is reported at its parent, and its name nowhere", arguments: [WireBatch.Kind.events, .summaries])
  func unknownMembers(_ kind: WireBatch.Kind) throws {
    var bodies = WireBodies(seed: "unknownMembers \(kind)")
    let names = [
      "qzxwMxmbxr", "", " ", "prompt", "Events", "EVENTTYPE", "surface ", "installationID", "clientEventID",
      "\\u0000surface", "surface\\u0000", "приватно", "\\uD83D\\uDE00\\uD83D\\uDE00\\uD83D\\uDE00", "__proto__",
      String(repeating: "n", count: 60_000), "a/b~0c", "\\\"quoted\\\"",
    ]
    let values = [
      "1", "null", "\"qzxwVxlxx\"", "{\"deeper\":{\"qzxwVxlxx\":[1,2,3]}}", "[[[[\"qzxwVxlxx\"]]]]", "1e5",
    ]
    for (index, name) in names.enumerated() {
      let value = values[index % values.count]
      var batch = kind == .events ? bodies.events(3) : bodies.summaries(3)
      batch.items[2].set(name, json: value)
      let inItem = try post(batch, to: SharedServer.port)
      expectError(inItem, 400, sent: batch.body(), "\(name.prefix(40))")
      #expect(
        violations(inItem).contains(.init(path: "/\(kind.rawValue)/2", rule: "unknown_member")),
        "\(name.prefix(40)): \(inItem.text.prefix(300))")

      let clean = kind == .events ? bodies.events(1) : bodies.summaries(1)
      let body = "{\"\(name)\":\(value)," + clean.json().dropFirst()
      let atRoot = try post(body, kind, to: SharedServer.port)
      expectError(atRoot, 400, sent: Array(body.utf8), "\(name.prefix(40))")
      // The root has the empty JSON pointer; a lone slash is what some readers expect.
      #expect(
        violations(atRoot).contains { ["", "/"].contains($0.path) && $0.rule == "unknown_member" },
        "\(name.prefix(40)): \(atRoot.text.prefix(300))")
    }
  }

  @Test("a missing dimension is reported at its own path as required")
  func requiredPath() throws {
    var bodies = WireBodies(seed: "requiredPath")
    var batch = bodies.events(5)
    batch.items[3] = bodies.event("AI_FEATURE_SUCCEEDED").with("durationBucket", nil)
    let reply = try post(batch, to: SharedServer.port)
    expectError(reply, 422, sent: batch.body())
    #expect(violations(reply) == [.init(path: "/events/3/durationBucket", rule: "required")])
  }

  @Test("every violation found is listed, twenty at most")
  func manyViolations() throws {
    var bodies = WireBodies(seed: "manyViolations")
    var batch = bodies.events(50)
    for index in 0..<4 { batch.items[index * 7]["appVersion"] = "qz xw" }
    let some = try post(batch, to: SharedServer.port)
    expectError(some, 422, sent: batch.body())
    #expect(Set(violations(some).map(\.path)) == Set((0..<4).map { "/events/\($0 * 7)/appVersion" }))

    for index in batch.items.indices {
      batch.items[index]["appVersion"] = "qz xw"
      batch.items[index]["osVersion"] = "xw qz"
      batch.items[index]["surface"] = "QZXW"
    }
    let many = try post(batch, to: SharedServer.port)
    expectError(many, 422, sent: batch.body())
    #expect(violations(many).count == 20)

    for index in batch.items.indices { batch.items[index].set("extra", json: "1") }
    let unknown = try post(batch, to: SharedServer.port)
    expectError(unknown, 400, 422, sent: batch.body())
    #expect((1...20).contains(violations(unknown).count))
  }

  @Test("paths are pointers into the contract's own names")
  func paths() throws {
    var bodies = WireBodies(seed: "paths")
    for (kind, members) in [
      (WireBatch.Kind.events, ["clientEventId", "eventType", "occurredAt", "surface", "appVersion", "osVersion"]),
      (.summaries, ["clientSummaryId", "summaryDate", "appVersion", "osVersion"]),
    ] {
      for member in members {
        var batch = kind == .events ? bodies.events(2) : bodies.summaries(2)
        batch.items[1][member] = "~~ qzxw ~~"
        let wrongValue = try post(batch, to: SharedServer.port)
        expectError(wrongValue, 422, sent: batch.body(), "\(member)")
        #expect(violations(wrongValue).contains { $0.path == "/\(kind.rawValue)/1/\(member)" }, "\(wrongValue.text)")
        batch.items[1].set(member, json: "17")
        let wrongType = try post(batch, to: SharedServer.port)
        expectError(wrongType, 400, sent: batch.body(), "\(member)")
        for violation in violations(wrongType) + violations(wrongValue) {
          #expect(violation.path.wholeMatch(of: /(\/[A-Za-z]+|\/\d+)*\/?/) != nil)
          #expect(violation.rule.wholeMatch(of: /[A-Za-z_.-]+/) != nil)
        }
      }
    }
  }
}
