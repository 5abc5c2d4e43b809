import Foundation
import TestSupport
import Testing

/// Clients that take their time, which is theirs and nobody else's.
@Suite("Slow clients", .ownThread)
struct SlowClientTests {
  /// A server that waits one second for a request.
  private let impatient = ServerOptions(arguments: ["--request-timeout", "1"])

  /// Expects that the server ends a connection with 408 or by closing it.
  private func expectEnded(_ connection: HTTPConnection, _ comment: Comment) {
    do {
      expectError(try connection.receive(), 408, sent: [], comment)
    } catch HTTPConnectionError.closed {
    } catch {
      Issue.record("neither 408 nor closed: \(error), \(comment)")
    }
  }

  @Test("clients that stall at any point are ended, and don't keep others from being served")
  func stalled() async throws {
    try await withServer(impatient) { server in
      var bodies = WireBodies(seed: "stalled")
      let batch = bodies.events(3)
      let bytes = HTTPConnection.requestBytes("POST", batch.path, headers: jsonHeaders, body: batch.body())
      let head = bytes.count - batch.body().count
      let moments = [1, 4, 30, head - 1, head, head + 1, head + 100, bytes.count - 1]
      let connections = try (0..<80).map { index in
        let connection = try HTTPConnection(port: server.port, timeoutSeconds: 20)
        try connection.send(Array(bytes.prefix(moments[index % moments.count])))
        return connection
      }
      // All of them hold a connection by now, and the others are served beside them.
      for _ in 0..<100 { expectTaken(try post(bodies.events(5), to: server.port), accepted: 5) }
      #expect(try exchange("GET", path: "/readyz", port: server.port).status == 200)
      for (index, connection) in connections.enumerated() {
        expectEnded(connection, "stalled after \(moments[index % moments.count]) of \(bytes.count) bytes")
      }
      expectTaken(try post(batch, to: server.port), accepted: 3, "nothing of the half requests is stored")
    }
  }

  /// Where a slow client begins to be slow.
  enum Part: String, CaseIterable {
    case requestLine, headers, body
  }

  @Test("a client that sends a byte now and then is ended all the same", arguments: Part.allCases)
  func trickle(_ part: Part) async throws {
    try await withServer(impatient) { server in
      var bodies = WireBodies(seed: "trickle \(part)")
      let batch = bodies.events(3)
      let path = batch.path + "?" + String(repeating: "x", count: 200)
      let bytes = HTTPConnection.requestBytes("POST", path, headers: jsonHeaders, body: batch.body())
      let connection = try HTTPConnection(port: server.port, timeoutSeconds: 20)
      let line = "POST \(path) HTTP/1.1\r\n".utf8.count
      let start = [.requestLine: 0, .headers: line, .body: bytes.count - batch.body().count][part, default: 0]
      try connection.send(Array(bytes.prefix(start)))
      // At this pace the request would take far longer than a minute; the pace is what is tested.
      var sent = start
      do {
        while sent < bytes.count, sent - start < 75, !connection.waitForInput(milliseconds: 200) {
          try connection.send([bytes[sent]])
          sent += 1
        }
      } catch HTTPConnectionError.closed {}
      #expect(sent - start < 75, "fifteen seconds for a request that may take one")
      expectEnded(connection, "trickling")
      expectTaken(try post(batch, to: server.port), accepted: 3)
    }
  }

  @Test("a client that doesn't read its answers harms nobody")
  func deaf() async throws {
    try await withServer(impatient) { server in
      var bodies = WireBodies(seed: "deaf")
      let deaf = try (0..<5).map { _ in try HTTPConnection(port: server.port, timeoutSeconds: 1) }
      // As many pipelined requests as the sockets take; then the client's own sending stalls, which ends its part.
      let requests = Array((0..<500).map { _ in HTTPConnection.requestBytes("GET", "/metrics") }.joined())
      for connection in deaf { try? connection.send(requests) }
      for _ in 0..<50 { expectTaken(try post(bodies.events(5), to: server.port), accepted: 5) }
    }
  }

  @Test("an idle connection between requests may be closed, but never with an answer that nobody asked for")
  func idleConnection() async throws {
    try await withServer(impatient) { server in
      let connection = try HTTPConnection(port: server.port, timeoutSeconds: 20)
      #expect(try connection.request("GET", "/healthz").status == 200)
      if connection.waitForInput(milliseconds: 3000) {
        do { expectError(try connection.receive(), 408, sent: []) } catch HTTPConnectionError.closed {}
      } else {
        #expect(try connection.request("GET", "/healthz").status == 200)
      }
    }
  }
}
