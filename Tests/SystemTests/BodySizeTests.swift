import TestSupport
import Testing

/// The limit of 128 KiB, which counts what the body inflates to.
@Suite("Body size", .ownThread)
struct BodySizeTests {
  static let limit = 128 * 1024

  /// A valid body padded with white space to a size.
  private func padded(_ batch: WireBatch, _ size: Int) -> [UInt8] {
    let body = batch.body()
    return body + [UInt8](repeating: 0x20, count: size - body.count)
  }

  @Test(
    "exactly the limit is taken, one byte more is 413 and stores nothing",
    arguments: [WireBatch.Kind.events, .summaries])
  func limit(_ kind: WireBatch.Kind) throws {
    var bodies = WireBodies(seed: "limit \(kind)")
    let batch = kind == .events ? bodies.events(50) : bodies.summaries(35)
    for size in [Self.limit + 1, Self.limit + 2, Self.limit * 2, 1 << 20] {
      let body = padded(batch, size)
      expectError(try post(body, kind, to: SharedServer.port), 413, sent: batch.body(), "\(size)")
    }
    let reply = try post(padded(batch, Self.limit), kind, to: SharedServer.port)
    expectTaken(reply, accepted: batch.items.count)
  }

  @Test("the limit counts what gzip inflates to")
  func inflatedLimit() throws {
    var bodies = WireBodies(seed: "inflatedLimit")
    let batch = bodies.events(50)
    let headers = jsonHeaders + [("Content-Encoding", "gzip")]
    for size in [Self.limit + 1, Self.limit * 4] {
      let body = gzipped(padded(batch, size))
      expectError(try post(body, to: SharedServer.port, headers: headers), 413, sent: batch.body(), "\(size)")
    }
    let body = gzipped(padded(batch, Self.limit))
    expectTaken(try post(body, to: SharedServer.port, headers: headers), accepted: 50)
  }

  @Test("a gzip bomb is 413")
  func bomb() throws {
    // 64 MiB of nothing in 64 KiB, and the same again inside a valid beginning.
    let headers = jsonHeaders + [("Content-Encoding", "gzip")]
    let zeros = gzipped([UInt8](repeating: 0x20, count: 64 << 20), level: 9)
    #expect(zeros.count < Self.limit)
    for _ in 0..<3 {
      expectError(try post(zeros, to: SharedServer.port, headers: headers), 413, sent: [])
    }
    var bodies = WireBodies(seed: "bomb")
    let start = gzipped(bodies.events(50).body() + [UInt8](repeating: 0x20, count: 16 << 20), level: 9)
    expectError(try post(start, to: SharedServer.port, headers: headers), 413, sent: [])
  }

  @Test("the answer to an announced oversize body comes before the body", arguments: [131_073, 1 << 30, 1 << 40])
  func announced(_ size: Int) throws {
    let connection = try HTTPConnection(port: SharedServer.port)
    try connection.send(
      "POST /v1/analytics/events HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        + "Content-Length: \(size)\r\n\r\n")
    #expect(connection.waitForInput(milliseconds: 10_000), "an answer without a byte of the body")
    expectError(try connection.receive(), 413, sent: [])
  }

  @Test("a client that asks before it sends its body is told to go on, or that it is too large")
  func expectContinue() throws {
    var bodies = WireBodies(seed: "expectContinue")
    let batch = bodies.events(10)
    let body = batch.body()
    func head(_ size: Int) -> String {
      "POST \(batch.path) HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: \(size)\r\n\r\n"
    }
    let small = try HTTPConnection(port: SharedServer.port)
    try small.send(head(body.count))
    #expect(small.waitForInput(milliseconds: 10_000))
    try small.send(body)
    expectTaken(try small.receive(), accepted: 10)
    let large = try HTTPConnection(port: SharedServer.port)
    try large.send(head(Self.limit + 1))
    expectError(try large.receive(), 413, sent: [])
  }

  @Test("a chunked body has the same limit")
  func chunked() throws {
    var bodies = WireBodies(seed: "chunked")
    let batch = bodies.events(50)
    func reply(_ body: [UInt8]) throws -> HTTPReply? {
      let connection = try HTTPConnection(port: SharedServer.port)
      do {
        try connection.send(
          "POST \(batch.path) HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            + "Transfer-Encoding: chunked\r\n\r\n")
        for start in stride(from: 0, to: body.count, by: 10_000) {
          let part = body[start..<min(start + 10_000, body.count)]
          try connection.send(Array("\(String(part.count, radix: 16))\r\n".utf8) + part + Array("\r\n".utf8))
        }
        try connection.send("0\r\n\r\n")
      } catch HTTPConnectionError.closed {}
      // Closing without an answer is allowed where the server stops reading.
      do { return try connection.receive() } catch HTTPConnectionError.closed { return nil }
    }
    if let refused = try reply(padded(batch, Self.limit + 1)) { expectError(refused, 413, sent: []) }
    let taken = try #require(try reply(padded(batch, Self.limit)))
    expectTaken(taken, accepted: 50)
  }

  @Test("the server stops reading a chunked body that never ends")
  func endless() throws {
    let connection = try HTTPConnection(port: SharedServer.port)
    try connection.send(
      "POST /v1/analytics/events HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        + "Transfer-Encoding: chunked\r\n\r\n")
    let chunk = Array("10000\r\n".utf8) + [UInt8](repeating: 0x20, count: 0x10000) + Array("\r\n".utf8)
    var sent = 0
    do {
      while sent < 64 << 20, !connection.waitForInput(milliseconds: 0) {
        try connection.send(chunk)
        sent += 0x10000
      }
    } catch HTTPConnectionError.closed {}
    #expect(sent < 64 << 20, "64 MiB were read without an answer")
    if let reply = try? connection.receive() { expectError(reply, 413, sent: []) }
  }
}
