import Glibc
import HTTPServer
import TestSupport
import Testing

@Suite struct Stopping {
  /// An address that no other test listens on: a port that this test gives up must not become another server's.
  private static let own = configuration { $0.address = "127.0.0.2" }

  /// A server whose handler reports that it was entered, and waits.
  private static func waiting(
    _ body: @escaping @Sendable (HTTPServer, _ entered: Gate, _ leave: Gate) async throws -> Void
  ) async throws {
    let entered = Gate()
    let leave = Gate()
    let handler: @Sendable (Request) async -> Response = { request in
      await entered.open()
      await leave.wait()
      return echo(request)
    }
    try await withHTTPServer(Self.own, handler: handler) { try await body($0, entered, leave) }
    await leave.open()
  }

  /// Starts stopping, and returns once new connections are refused.
  private static func beginStopping(_ server: HTTPServer, gracePeriodSeconds: Int) async throws -> Task<Void, any Error>
  {
    let task = Task.detached { try await onBlockingThread { server.stop(gracePeriodSeconds: gracePeriodSeconds) } }
    while (try? HTTPConnection(host: 2, port: server.port)) != nil { sched_yield() }
    return task
  }

  @Test func `A stopped server refuses connections, and its port can be used again`() async throws {
    try await withHTTPServer(Self.own) { server in
      server.stop(gracePeriodSeconds: 0)
      #expect(throws: HTTPConnectionError.self) { try HTTPConnection(host: 2, port: server.port) }
      let port = server.port
      try await withHTTPServer(
        configuration {
          $0.address = "127.0.0.2"
          $0.port = port
        }
      ) { next in
        let reply = try HTTPConnection(host: 2, port: next.port).request("GET", "/")
        #expect(reply.status == 200)
      }
    }
  }

  @Test func `Stopping twice, also at once, is harmless`() async throws {
    try await withHTTPServer(Self.own) { server in
      let first = Task.detached { try await onBlockingThread { server.stop(gracePeriodSeconds: 1) } }
      server.stop(gracePeriodSeconds: 1)
      try await first.value
      server.stop(gracePeriodSeconds: 0)
    }
  }

  @Test func `A request that is being handled is answered before the server has stopped`() async throws {
    try await Self.waiting { server, entered, leave in
      let connection = try HTTPConnection(host: 2, port: server.port)
      try connection.send(HTTPConnection.requestBytes("POST", "/", body: [1]))
      await entered.wait()
      let stop = try await Self.beginStopping(server, gracePeriodSeconds: 60)
      await leave.open()
      let reply = try connection.receive()
      #expect(reply.body == [1])
      #expect(reply.header("connection")?.lowercased() == "close")
      #expect(try connection.waitForClose())
      try await stop.value
    }
  }

  @Test func `A request that is arriving may arrive within the grace period`() async throws {
    try await withHTTPServer(Self.own) { server in
      let connection = try HTTPConnection(host: 2, port: server.port)
      try connection.send("POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n")
      #expect(try connection.receiveInterim() == 100)
      let stop = try await Self.beginStopping(server, gracePeriodSeconds: 60)
      try connection.send("ab")
      let reply = try connection.receive()
      #expect(reply.text == "ab")
      #expect(reply.header("connection")?.lowercased() == "close")
      try await stop.value
    }
  }

  @Test func `Idle connections do not use up the grace period`() async throws {
    try await withHTTPServer(Self.own) { server in
      let used = try HTTPConnection(host: 2, port: server.port)
      #expect(try used.request("GET", "/").status == 200)
      let start = ContinuousClock.now
      server.stop(gracePeriodSeconds: 600)
      #expect(ContinuousClock.now - start < .seconds(300))
      #expect(try used.waitForClose())
    }
  }

  @Test func `A handler that does not end does not keep the server from stopping`() async throws {
    try await Self.waiting { server, entered, leave in
      let connections = try (1...20).map { _ in try HTTPConnection(host: 2, port: server.port) }
      for connection in connections { try connection.send(HTTPConnection.requestBytes("POST", "/", body: [1])) }
      await entered.wait()
      server.stop(gracePeriodSeconds: 0)
      for connection in connections {
        #expect(throws: HTTPConnectionError.self) { try connection.receive() }
      }
      await leave.open()
    }
  }

  @Test func `A request that does not arrive does not keep the server from stopping`() async throws {
    try await withHTTPServer(Self.own) { server in
      let connection = try HTTPConnection(host: 2, port: server.port)
      try connection.send("POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n")
      #expect(try connection.receiveInterim() == 100)
      server.stop(gracePeriodSeconds: 0)
      #expect(throws: HTTPConnectionError.self) { try connection.receive() }
    }
  }

  @Test func `Servers stop cleanly under load`() async throws {
    for round in 1...20 {
      try await onBlockingThread {
        let server = try HTTPServer(
          configuration: Self.own, bodyLimit: { _ in 1000 }, handler: BodyLimits.handlers[round % 2])
        let connections = try (1...16).map { _ in try HTTPConnection(host: 2, port: server.port) }
        let bytes = HTTPConnection.requestBytes("POST", "/", body: [1])
        for connection in connections { try connection.send(bytes + bytes + bytes) }
        server.stop(gracePeriodSeconds: round % 3 == 0 ? 0 : 60)
      }
    }
  }

  @Test func `Servers stop cleanly while malformed requests arrive`() async throws {
    for _ in 1...50 {
      try await onBlockingThread {
        let server = try HTTPServer(configuration: Self.own, bodyLimit: { _ in 1000 }, handler: echo)
        let connections = try (1...16).map { _ in try HTTPConnection(host: 2, port: server.port) }
        for connection in connections { try connection.send("GET / HTTP/9.9\r\n\r\n") }
        server.stop(gracePeriodSeconds: 0)
      }
    }
  }

  @Test func `A server that nobody holds any more stops by itself`() async throws {
    let port = try await onBlockingThread {
      try HTTPServer(configuration: Self.own, bodyLimit: { _ in 0 }, handler: echo).port
    }
    #expect(throws: HTTPConnectionError.self) { try HTTPConnection(host: 2, port: port) }
  }
}
