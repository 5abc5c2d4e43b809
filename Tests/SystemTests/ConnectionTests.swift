import TestSupport
import Testing

/// Keep-alive, pipelining, and bodies that arrive in pieces or not at all.
@Suite("Connections", .ownThread)
struct ConnectionTests {
  @Test("one connection carries many requests, refused ones between")
  func keepAlive() throws {
    var bodies = WireBodies(seed: "keepAlive")
    let connection = try HTTPConnection(port: SharedServer.port)
    for index in 0..<200 {
      var batch = index % 2 == 0 ? bodies.events(3) : bodies.summaries(3)
      if index % 5 == 4 { batch.items[1]["appVersion"] = "qz xw" }
      let reply = try connection.request("POST", batch.path, headers: jsonHeaders, body: batch.body())
      if index % 5 == 4 { expectError(reply, 422, sent: batch.body()) } else { expectTaken(reply, accepted: 3) }
    }
  }

  @Test("pipelined requests are answered one after the other in their order")
  func pipelining() throws {
    var bodies = WireBodies(seed: "pipelining")
    let connection = try HTTPConnection(port: SharedServer.port)
    var bytes: [UInt8] = []
    for count in 1...20 {
      let batch = bodies.events(count)
      bytes += HTTPConnection.requestBytes("POST", batch.path, headers: jsonHeaders, body: batch.body())
      bytes += HTTPConnection.requestBytes("GET", "/no/such/path")
    }
    try connection.send(bytes)
    for count in 1...20 {
      expectTaken(try connection.receive(), accepted: count)
      expectError(try connection.receive(), 404, sent: [])
    }
  }

  @Test("a body may arrive in any pieces", arguments: [1, 7, 64])
  func pieces(_ size: Int) throws {
    var bodies = WireBodies(seed: "pieces \(size)")
    let batch = bodies.events(2)
    let bytes = HTTPConnection.requestBytes("POST", batch.path, headers: jsonHeaders, body: batch.body())
    let connection = try HTTPConnection(port: SharedServer.port)
    for start in stride(from: 0, to: bytes.count, by: size) {
      try connection.send(Array(bytes[start..<min(start + size, bytes.count)]))
    }
    expectTaken(try connection.receive(), accepted: 2)
  }

  @Test("a chunked body is taken whatever its chunks")
  func chunks() throws {
    var bodies = WireBodies(seed: "chunks")
    for size in [1, 10, 1000] {
      let batch = bodies.events(5)
      let body = batch.body()
      let connection = try HTTPConnection(port: SharedServer.port)
      var bytes = Array(
        ("POST \(batch.path) HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
          + "Transfer-Encoding: chunked\r\n\r\n").utf8)
      for start in stride(from: 0, to: body.count, by: size) {
        let part = body[start..<min(start + size, body.count)]
        bytes += Array((String(part.count, radix: 16) + "\r\n").utf8) + part + Array("\r\n".utf8)
      }
      try connection.send(bytes + Array("0\r\n\r\n".utf8))
      expectTaken(try connection.receive(), accepted: 5)
    }
  }

  @Test("a body that is cut off by the client's end is never taken")
  func cutOff() throws {
    var bodies = WireBodies(seed: "cutOff")
    let batch = bodies.events(2)
    let bytes = HTTPConnection.requestBytes("POST", batch.path, headers: jsonHeaders, body: batch.body())
    let head = bytes.count - batch.body().count
    for count in [10, head - 1, head, head + 1, head + 100, bytes.count - 1] {
      // How long the server keeps such a connection is its own affair here.
      let connection = try HTTPConnection(port: SharedServer.port, timeoutSeconds: 2)
      try connection.send(Array(bytes.prefix(count)))
      connection.finishSending()
      do {
        let reply = try connection.receive()
        #expect(reply.status == 400 || reply.status == 408, "\(count) of \(bytes.count)")
      } catch HTTPConnectionError.closed {
      } catch HTTPConnectionError.timedOut {}
    }
    expectTaken(try post(batch, to: SharedServer.port), accepted: 2)
  }

  @Test("a client that leaves before its answer loses nothing and doubles nothing")
  func leavesEarly() throws {
    var bodies = WireBodies(seed: "leavesEarly")
    for _ in 0..<50 {
      let batch = bodies.events(5)
      let connection = try HTTPConnection(port: SharedServer.port)
      try connection.send(HTTPConnection.requestBytes("POST", batch.path, headers: jsonHeaders, body: batch.body()))
      connection.close()
      let outcome = try #require(Outcome(post(batch, to: SharedServer.port)))
      #expect([Outcome(accepted: 5, replayed: 0), Outcome(accepted: 0, replayed: 5)].contains(outcome))
      expectTaken(try post(batch, to: SharedServer.port), accepted: 0, replayed: 5)
    }
  }
}
