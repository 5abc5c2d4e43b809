import Foundation
import TestSupport
import Testing

/// Bearers that are no session.
@Suite("Authorization", .ownThread)
struct AuthorizationTests {
  /// Expects the one answer that makes a client refresh its token.
  private func expectUnauthorized(
    _ reply: HTTPReply, _ comment: Comment, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    expectError(reply, 401, sent: [], comment, sourceLocation: sourceLocation)
    let challenges = reply.headers.filter { $0.name == "www-authenticate" }.map(\.value)
    #expect(challenges == ["Bearer error=\"invalid_token\""], comment, sourceLocation: sourceLocation)
  }

  @Test("what is no valid session is 401 whatever the body is, and stores nothing")
  func invalidBearers() async throws {
    try await withServer { server in
      var bodies = WireBodies(seed: "invalidBearers")
      let valid = try server.issueSession(account: bodies.uuid())
      let admin = try server.createToken(scope: "admin", name: "one")
      let service = try server.createToken(scope: "server", name: "two")
      var flipped = Array(valid)
      flipped[flipped.count / 2] = flipped[flipped.count / 2] == "A" ? "B" : "A"
      let values = [
        "", " ", "Bearer", "Bearer ", "Bearer  ", "Bearer unknown", "Bearer \(String(flipped))", "Bearer \(valid)x",
        "Bearer \(valid.dropLast())", "Bearer x\(valid)", "Bearer \(valid) \(valid)", "Bearer \(valid),Bearer \(valid)",
        "Bearer \"\(valid)\"", "Bearer=\(valid)", "Bearer:\(valid)", "Bearer\(valid)", valid, "Token \(valid)",
        "Basic \(Data(valid.utf8).base64EncodedString())", "Digest username=\"a\"", "Negotiate abc", "Bearer ü",
        "Bearer ../../../etc/passwd", "Bearer ' OR 1=1 --", "Bearer \(admin)", "Bearer \(service)",
        "Bearer " + String(repeating: "a", count: 2000), "Bearer eyJhbGciOiJub25lIn0.eyJzdWIiOiIxIn0.",
        "Bearer \(valid.uppercased())",
        "Bearer \(Data(valid.utf8).base64EncodedString())", "null",
      ]
      for (index, value) in values.enumerated() {
        let batch = index % 2 == 0 ? bodies.events(3) : bodies.summaries(3)
        let headers = [("Authorization", value)]
        expectUnauthorized(try post(batch, to: server.port, headers: headers), "\(value.prefix(30))")
        expectTaken(try post(batch, to: server.port), accepted: 3, "\(value.prefix(30)): nothing was stored")
      }
    }
  }

  @Test("two authorization headers are 401, also when both are valid")
  func twoHeaders() async throws {
    try await withServer { server in
      var bodies = WireBodies(seed: "twoHeaders")
      let valid = try server.issueSession(account: bodies.uuid())
      for pair in [[valid, "unknown"], ["unknown", valid], [valid, valid], ["unknown", "unknown"]] {
        let batch = bodies.events(3)
        expectUnauthorized(try post(batch, to: server.port, headers: pair.map(bearer)), "two headers")
        expectTaken(try post(batch, to: server.port), accepted: 3)
      }
    }
  }

  @Test("authentication is judged before the body", arguments: [WireBatch.Kind.events, .summaries])
  func beforeTheBody(_ kind: WireBatch.Kind) throws {
    var bodies = WireBodies(seed: "beforeTheBody \(kind)")
    let good = kind == .events ? bodies.events(2) : bodies.summaries(2)
    var conflicting = good
    conflicting.items[0]["osVersion"] = "1"
    expectTaken(try post(good, to: SharedServer.port), accepted: 2)
    let candidates: [(String, [UInt8], [(String, String)])] = [
      ("valid", good.body(), jsonHeaders), ("empty", [], jsonHeaders), ("broken JSON", Array("{\"".utf8), jsonHeaders),
      ("wrong values", Array(good.json().replacing("2.0.0", with: "2 0").utf8), jsonHeaders),
      ("conflict", conflicting.body(), jsonHeaders), ("at the limit", padded(good, 131_072), jsonHeaders),
      ("oversize", padded(good, 131_073), jsonHeaders), ("far oversize", padded(good, 2 << 20), jsonHeaders),
      ("another media type", good.body(), [("Content-Type", "text/plain")]),
      ("another encoding", good.body(), jsonHeaders + [("Content-Encoding", "br")]),
      ("broken gzip", good.body(), jsonHeaders + [("Content-Encoding", "gzip")]),
      ("not UTF-8", [0xff, 0xfe], jsonHeaders), ("deep", [UInt8](repeating: 0x5b, count: 100_000), jsonHeaders),
    ]
    for (name, body, headers) in candidates {
      let reply = try post(body, kind, to: SharedServer.port, headers: headers + [bearer("unknown")])
      expectUnauthorized(reply, "\(name)")
    }
    // An announced body isn't waited for either.
    let connection = try HTTPConnection(port: SharedServer.port)
    try connection.send(
      "POST \(good.path) HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer unknown\r\nContent-Length: 1073741824\r\n\r\n"
    )
    #expect(connection.waitForInput(milliseconds: 10_000))
    expectUnauthorized(try connection.receive(), "announced")
  }

  private func padded(_ batch: WireBatch, _ size: Int) -> [UInt8] {
    let body = batch.body()
    return body + [UInt8](repeating: 0x20, count: size - body.count)
  }

  @Test("a session ends when its time is over")
  func expiry() async throws {
    try await withServer { server in
      var bodies = WireBodies(seed: "expiry")
      let account = bodies.uuid()
      let short = try server.issueSession(account: account, ttl: 60)
      let long = try server.issueSession(account: account, ttl: 3600)
      let batch = bodies.events(2)
      expectTaken(try post(batch, to: server.port, headers: [bearer(short)]), accepted: 2)
      server.options.clock = "fixed:2026-11-29T12:00:58Z"
      try server.restart()
      expectTaken(try post(batch, to: server.port, headers: [bearer(short)]), accepted: 0, replayed: 2)
      server.options.clock = "fixed:2026-11-29T12:01:02Z"
      try server.restart()
      let late = bodies.events(2)
      expectUnauthorized(try post(late, to: server.port, headers: [bearer(short)]), "expired")
      expectTaken(try post(late, to: server.port, headers: [bearer(long)]), accepted: 2)
    }
  }

  @Test("a server whose clock is ahead of the one that issued a session sees it expire")
  func offsetClock() async throws {
    try await withServer(ServerOptions(clock: nil)) { server in
      var bodies = WireBodies(seed: "offsetClock")
      let session = try server.issueSession(account: bodies.uuid(), ttl: 3600)
      func atHour(_ seconds: TimeInterval) {
        let text = Date(timeIntervalSinceNow: seconds - 7200).ISO8601Format()
        bodies.hour = String(text.prefix(14))
      }
      atHour(0)
      expectTaken(try post(bodies.events(2), to: server.port, headers: [bearer(session)]), accepted: 2)
      server.options.clock = "offset:7200"
      try server.restart()
      atHour(7200)
      let batch = bodies.events(2)
      expectUnauthorized(try post(batch, to: server.port, headers: [bearer(session)]), "expired")
      expectTaken(try post(batch, to: server.port), accepted: 2)
      // The offset moves the window too: what is an hour ahead of real time is the past there.
      atHour(7200 + 3600)
      expectTaken(try post(bodies.events(2), to: server.port), accepted: 2)
    }
  }
}
