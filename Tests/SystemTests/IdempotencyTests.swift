import TestSupport
import Testing

/// Replays, conflicts, and all of a batch or nothing.
@Suite("Idempotency", .ownThread)
struct IdempotencyTests {
  @Test("a replay is counted and stores nothing, again and again")
  func replay() async throws {
    try await withServer { server in
      var bodies = WireBodies(seed: "replay")
      for batch in [bodies.events(1), bodies.events(50), bodies.summaries(35)] {
        let count = batch.items.count
        expectTaken(try post(batch, to: server.port), accepted: count)
        for form in [TransportForm.root, .legacy, .root] {
          expectTaken(try post(batch, form, to: server.port), accepted: 0, replayed: count)
        }
        var backwards = batch
        backwards.items.reverse()
        expectTaken(try post(backwards, to: server.port), accepted: 0, replayed: count)
      }
      #expect(try server.openDatabase().eventCount() == 51)
      try server.restart()
      bodies = WireBodies(seed: "replay")
      expectTaken(try post(bodies.events(1), to: server.port), accepted: 0, replayed: 1)
    }
  }

  @Test("a batch may mix what is stored and what is new")
  func mixture() throws {
    var bodies = WireBodies(seed: "mixture")
    let first = bodies.events(10)
    expectTaken(try post(first, to: SharedServer.port), accepted: 10)
    var second = first
    second.items = Array(first.items[0..<4]) + bodies.events(7, installation: first.installation).items
    expectTaken(try post(second, to: SharedServer.port), accepted: 7, replayed: 4)
    expectTaken(try post(second, to: SharedServer.port), accepted: 0, replayed: 11)
  }

  @Test("the same item several times in one batch is one accepted and the rest replayed")
  func repeatedInBatch() throws {
    var bodies = WireBodies(seed: "repeatedInBatch")
    for batch in [bodies.events(1), bodies.summaries(1), bodies.batch(of: bodies.event("FIRST_OPEN"))] {
      var copies = batch
      copies.items = Array(repeating: batch.items[0], count: 50)
      // The spelling of an identifier and of an instant makes no other item of it.
      let id = batch.kind == .events ? "clientEventId" : "clientSummaryId"
      copies.items[7][id] = copies.items[7][id]?.lowercased()
      if let instant = copies.items[8]["occurredAt"] {
        copies.items[8]["occurredAt"] = String(instant.dropLast()) + "+00:00"
      }
      expectTaken(try post(copies, to: SharedServer.port), accepted: 1, replayed: 49)
      expectTaken(try post(batch, to: SharedServer.port), accepted: 0, replayed: 1)
    }
  }

  @Test("any other value under a known id is a conflict", arguments: [false, true])
  func conflict(inOneBatch: Bool) throws {
    var bodies = WireBodies(seed: "conflict \(inOneBatch)")
    let event = bodies.event("AI_FEATURE_FAILED", surface: "APP").with("feature", "POLISH")
      .with("executionMode", "LOCAL").with("failureCategory", "NETWORK").with("durationBucket", "LT_1S")
    let base = bodies.event("SESSION_STARTED")["occurredAt"]!
    var others = [
      event.with("surface", "KEYBOARD"), event.with("feature", "AGENT"), event.with("executionMode", "BYOK"),
      event.with("failureCategory", "TIMEOUT"), event.with("durationBucket", "GTE_30S"),
      event.with("durationBucket", nil), event.with("durationBucket", json: "null"), event.with("appVersion", "2.0.1"),
      event.with("appVersion", "2.0.00"), event.with("appVersion", nil), event.with("osVersion", "26.0.2"),
      event.with("osVersion", nil), event.with("occurredAt", base),
      bodies.event("SESSION_STARTED").with("clientEventId", event["clientEventId"]),
    ]
    let startedInstead = bodies.event("AI_FEATURE_SUCCEEDED", surface: "APP").with("feature", "POLISH")
      .with("executionMode", "LOCAL").with("occurredAt", event["occurredAt"]).with("durationBucket", "LT_1S")
      .with("clientEventId", event["clientEventId"])
    others.append(startedInstead)
    for other in others {
      var batch = WireBatch(.events, installation: bodies.installation(), items: [event])
      if inOneBatch {
        let neighbour = bodies.event()
        batch.items = [neighbour, event, other]
        expectError(try post(batch, to: SharedServer.port), 409, sent: batch.body(), "\(other.json)")
        batch.items = [neighbour, event]
        expectTaken(try post(batch, to: SharedServer.port), accepted: 2, "nothing of it was stored: \(other.json)")
      } else {
        expectTaken(try post(batch, to: SharedServer.port), accepted: 1)
        batch.items = [other]
        expectError(try post(batch, to: SharedServer.port), 409, sent: batch.body(), "\(other.json)")
        batch.items = [event]
        expectTaken(try post(batch, to: SharedServer.port), accepted: 0, replayed: 1, "still the first one")
      }
    }
  }

  @Test("any other value of a stored summary is a conflict")
  func summaryConflict() throws {
    var bodies = WireBodies(seed: "summaryConflict")
    var summary = bodies.summary("2026-11-20")
    for (name, value) in zip(WireCatalog.counters, [10, 10, 10, 8, 2, 2, 2, 2]) {
      summary.set(name, json: String(value))
    }
    var others = WireCatalog.characterCounters.map { summary.with($0, json: "11") }
    others += WireCatalog.languageSessionCounters.map {
      summary.with($0, json: "3").with("inputSessionCount", json: "9")
    }
    others += [
      summary.with("appVersion", "2.0.1"), summary.with("osVersion", nil), summary.with("summaryDate", "2026-11-21"),
    ]
    // One summary a date: another id doesn't get in, even with the same values.
    others.append(summary.with("clientSummaryId", bodies.uuid()))
    for other in others {
      let installation = bodies.installation()
      func batch(_ items: [WireItem]) -> WireBatch { WireBatch(.summaries, installation: installation, items: items) }
      expectTaken(try post(batch([summary]), to: SharedServer.port), accepted: 1)
      let neighbour = bodies.summary("2026-11-01")
      let conflicting = batch([neighbour, other])
      expectError(try post(conflicting, to: SharedServer.port), 409, sent: conflicting.body(), "\(other.json)")
      expectTaken(
        try post(batch([neighbour, summary]), to: SharedServer.port), accepted: 1, replayed: 1, "\(other.json)")
      let inOneBatch = WireBatch(.summaries, installation: bodies.installation(), items: [neighbour, summary, other])
      expectError(try post(inOneBatch, to: SharedServer.port), 409, sent: inOneBatch.body(), "\(other.json)")
      var whole = inOneBatch
      whole.items.removeLast()
      expectTaken(try post(whole, to: SharedServer.port), accepted: 2, "nothing of it was stored: \(other.json)")
    }
  }

  @Test("an installation opens for the first time once")
  func firstOpen() throws {
    var bodies = WireBodies(seed: "firstOpen")
    let first = bodies.event("FIRST_OPEN")
    let twin = first.with("clientEventId", bodies.uuid())
    let installation = bodies.installation()
    func reply(_ items: [WireItem]) throws -> HTTPReply {
      try post(WireBatch(.events, installation: installation, items: items), to: SharedServer.port)
    }
    let before = bodies.event()
    expectTaken(try reply([before]), accepted: 1)
    let (session, later) = (bodies.event(), bodies.event())
    expectError(try reply([session, first, twin]), 409, sent: [])
    expectTaken(try reply([session, first]), accepted: 2, "nothing of the batch with two was stored")
    expectTaken(try reply([first, first]), accepted: 0, replayed: 2)
    for other in [twin, bodies.event("FIRST_OPEN")] {
      expectError(try reply([later, other]), 409, sent: [])
      expectError(try reply([first, other]), 409, sent: [])
    }
    expectTaken(try reply([later, first]), accepted: 1, replayed: 1)
    // Another installation is another matter.
    expectTaken(try post(bodies.batch(of: first), to: SharedServer.port), accepted: 1)
  }

  @Test("a batch that is refused for one item stores none of the others")
  func allOrNothing() async throws {
    try await withServer { server in
      var bodies = WireBodies(seed: "allOrNothing")
      let stored = bodies.events(1)
      expectTaken(try post(stored, to: server.port), accepted: 1)
      let bad: [(Int, WireItem)] = [
        (409, stored.items[0].with("osVersion", "27.0")), (422, bodies.event().with("surface", "NOWHERE")),
        (400, bodies.event().with("extra", json: "1")),
        (422, bodies.event().with("occurredAt", "2026-11-29T12:05:01Z")),
      ]
      var expected = 1
      for position in [0, 25, 49] {
        for (status, item) in bad {
          var batch = bodies.events(49, installation: stored.installation)
          let good = batch
          batch.items.insert(item, at: position)
          expectError(try post(batch, to: server.port), status, sent: batch.body())
          #expect(try server.openDatabase().eventCount() == expected)
          expectTaken(try post(good, to: server.port), accepted: 49)
          expected += 49
        }
      }
    }
  }
}
