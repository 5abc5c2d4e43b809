import TestSupport
import Testing

/// `occurredAt` and `summaryDate` at their edges.
@Suite("Timestamps and dates", .ownThread)
struct TimestampTests {
  @Test(
    "instants inside the window are taken",
    arguments: [
      "2026-11-29T12:05:00Z", "2026-11-29T12:05:00.000000Z", "2026-11-29T12:04:59.999999Z", "2026-11-29T12:05:00+00:00",
      "2026-11-29T12:05:00.000000000+00:00", "2026-10-25T12:00:00Z", "2026-10-25T12:00:00.000000Z",
      "2026-10-25T12:00:00.000001Z", "2026-10-25T12:00:00.000+00:00", "2026-11-29T00:00:00Z", "2026-11-28T23:59:59Z",
      "2026-11-28T23:59:59.999999999Z", "2026-10-31T23:59:59.9Z", "2026-11-01T00:00:00.12Z",
      "2026-11-29T11:00:00.1234Z", "2026-11-29T11:00:00.12345Z", "2026-11-29T11:00:00.1234567Z",
      "2026-11-29T11:00:00.12345678+00:00",
    ])
  func inside(_ instant: String) throws {
    var bodies = WireBodies(seed: "inside \(instant)")
    let batch = bodies.batch(of: bodies.event().with("occurredAt", instant))
    expectTaken(try post(batch, to: SharedServer.port), accepted: 1)
    expectTaken(try post(batch, to: SharedServer.port), accepted: 0, replayed: 1)
  }

  @Test(
    "instants outside the window, and what is no instant in UTC, are refused",
    arguments: [
      "2026-11-29T12:05:00.000001Z", "2026-11-29T12:05:01Z", "2026-11-29T12:06:00Z", "2026-11-30T00:00:00Z",
      "2027-11-29T11:00:00Z", "9999-12-31T23:59:59Z", "2026-10-25T11:59:59.999999Z", "2026-10-25T11:59:59Z",
      "2026-10-24T12:00:00Z", "2025-11-29T11:00:00Z", "1970-01-01T00:00:00Z", "0000-01-01T00:00:00Z",
      "0001-01-01T00:00:00Z", "1969-12-31T23:59:59Z", "2026-11-29T11:00:00-00:00", "2026-11-29T11:00:00+0000",
      "2026-11-29T11:00:00+00", "2026-11-29T11:00:00+00:01", "2026-11-29T11:00:00-08:00", "2026-11-29T11:00:00+24:00",
      "2026-11-29T11:00:00Z+00:00", "2026-11-29T11:00:00ZZ", "2026-11-29T11:00:00 Z", "2026-11-29T11:00:00Z ",
      " 2026-11-29T11:00:00Z", "2026-11-29t11:00:00Z", "2026-11-29T11:00:00z", "2026-11-29 11:00:00Z",
      "2026-11-29T11:00:00", "2026-11-29", "11:00:00Z", "", "now", "20261129T110000Z", "2026-11-29T11:00:00,5Z",
      "2026-11-29T11:00:00.Z", "2026-11-29T11:00:00.1234567890Z", "2026-11-29T11:00:00.-1Z", "2026-11-29T11:00:00.1 Z",
      "2026-11-29T11:00:60Z", "2026-11-29T11:60:00Z", "2026-11-29T24:00:00Z", "2026-11-29T11:00:99Z",
      "2026-11-00T11:00:00Z", "2026-00-29T11:00:00Z", "2026-13-29T11:00:00Z", "2026-11-31T11:00:00Z",
      "2026-02-29T11:00:00Z", "2026-11-9T11:00:00Z", "2026-1-29T11:00:00Z", "26-11-29T11:00:00Z",
      "02026-11-29T11:00:00Z", "+2026-11-29T11:00:00Z", "-2026-11-29T11:00:00Z", "2026-W48-7T11:00:00Z",
      "2026-333T11:00:00Z", "2026-11-29T1:00:00Z", "2026-11-29T11:0:00Z", "2026-11-29T11:00Z", "2026/11/29T11:00:00Z",
      "2026-11-29T11.00.00Z", "2026-11-29T11:00:00.1.2Z", "２026-11-29T11:00:00Z", "2026-11-29T11:00:00\\u0000Z",
      "2026-11-29T11:00:00Z\\u0000", "2026-11-29T11:00:00.12\\u0661Z", "2026-11-29T11:00:00[UTC]", "1764414000",
      "2026-11-29T-1:00:00Z", "2026-11-29T11:+1:00Z",
    ])
  func outside(_ instant: String) throws {
    var bodies = WireBodies(seed: "outside \(instant)")
    let batch = bodies.batch(of: bodies.event().with("occurredAt", instant))
    expectError(try post(batch, to: SharedServer.port), 422, sent: batch.body())
  }

  @Test("digits below the microsecond at the edges are never a defect")
  func belowMicrosecond() throws {
    // Kept to the microsecond; whether the window is judged before or after that is not settled.
    var bodies = WireBodies(seed: "belowMicrosecond")
    for instant in ["2026-11-29T12:05:00.000000001Z", "2026-10-25T11:59:59.999999999Z"] {
      let batch = bodies.batch(of: bodies.event().with("occurredAt", instant))
      let reply = try post(batch, to: SharedServer.port)
      #expect(reply.status == 200 || reply.status == 422, "\(instant)")
    }
  }

  @Test("instants are compared to the microsecond and not by their spelling")
  func sameInstant() throws {
    var bodies = WireBodies(seed: "sameInstant")
    let pairs = [
      ("11:00:00Z", "11:00:00.0Z", true), ("11:00:00Z", "11:00:00.000000000+00:00", true),
      ("11:00:00.1Z", "11:00:00.100Z", true), ("11:00:00.123Z", "11:00:00.123000Z", true),
      ("11:00:00.123456Z", "11:00:00.1234561Z", true), ("11:00:00.123456Z", "11:00:00.123457Z", false),
      ("11:00:00.1Z", "11:00:00.01Z", false), ("11:00:00.000001Z", "11:00:00Z", false),
      ("11:00:00Z", "10:59:59.999999Z", false),
    ]
    for (first, second, isSame) in pairs {
      var batch = bodies.batch(of: bodies.event().with("occurredAt", "2026-11-29T" + first))
      expectTaken(try post(batch, to: SharedServer.port), accepted: 1)
      batch.items[0]["occurredAt"] = "2026-11-29T" + second
      let reply = try post(batch, to: SharedServer.port)
      if isSame {
        expectTaken(reply, accepted: 0, replayed: 1, "\(first) \(second)")
      } else {
        expectError(reply, 409, sent: batch.body(), "\(first) \(second)")
      }
    }
  }

  /// A day of February with the clock on the first of March, and whether it exists.
  static let februaries = [
    ("2028-03-01T12:00:00Z", "2028-02-29", true), ("2028-03-01T12:00:00Z", "2028-02-30", false),
    ("2027-03-01T12:00:00Z", "2027-02-28", true), ("2027-03-01T12:00:00Z", "2027-02-29", false),
    ("2100-03-01T12:00:00Z", "2100-02-28", true), ("2100-03-01T12:00:00Z", "2100-02-29", false),
    ("2000-03-01T12:00:00Z", "2000-02-29", true), ("2027-01-01T00:00:00Z", "2026-12-31", true),
  ]

  @Test("leap days exist in leap years only", arguments: februaries)
  func leapDays(_ clock: String, _ date: String, _ exists: Bool) async throws {
    try await withServer(ServerOptions(clock: "fixed:\(clock)")) { server in
      var bodies = WireBodies(seed: "leapDays \(date)")
      let event = bodies.batch(of: bodies.event().with("occurredAt", date + "T23:59:59.999Z"))
      let summary = WireBatch(.summaries, installation: bodies.installation(), items: [bodies.summary(date)])
      for batch in [event, summary] {
        let reply = try post(batch, to: server.port)
        if exists { expectTaken(reply, accepted: 1) } else { expectError(reply, 422, sent: batch.body()) }
      }
    }
  }

  @Test(
    "a summary is of a whole UTC day that has ended",
    arguments: [
      ("2026-11-30T00:00:00Z", "2026-11-29", true), ("2026-11-30T00:00:00Z", "2026-11-30", false),
      ("2026-11-29T23:59:59Z", "2026-11-29", false), ("2026-11-29T23:59:59Z", "2026-10-25", true),
      ("2026-11-29T23:59:59Z", "2026-10-24", false), ("2026-11-30T00:00:00Z", "2026-10-25", false),
    ])
  func summaryDays(_ clock: String, _ date: String, _ isTaken: Bool) async throws {
    try await withServer(ServerOptions(clock: "fixed:\(clock)")) { server in
      var bodies = WireBodies(seed: "summaryDays \(clock) \(date)")
      let batch = WireBatch(.summaries, installation: bodies.installation(), items: [bodies.summary(date)])
      let reply = try post(batch, to: server.port)
      if isTaken { expectTaken(reply, accepted: 1) } else { expectError(reply, 422, sent: batch.body()) }
    }
  }

  @Test(
    "what is no date is refused",
    arguments: [
      "", "2026-11-31", "2026-02-29", "2026-13-01", "2026-00-10", "2026-11-00", "2026-11-2", "2026-11-028", "20261128",
      "2026-11-28T00:00:00Z", "2026-11-28Z", " 2026-11-28", "2026-11-28 ", "2026/11/28", "28-11-2026", "yesterday",
      "+2026-11-28", "-2026-11-28", "２026-11-28", "2026-11-2\\u0000", "2026-11-28\\u0000", "2026-W48-6", "2026-332",
      "0000-00-00", "9999-12-31", "1970-01-01",
    ])
  func noDate(_ date: String) throws {
    var bodies = WireBodies(seed: "noDate \(date)")
    let batch = WireBatch(.summaries, installation: bodies.installation(), items: [bodies.summary(date)])
    expectError(try post(batch, to: SharedServer.port), 422, sent: batch.body())
  }
}
