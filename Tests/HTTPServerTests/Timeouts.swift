import HTTPServer
import TestSupport
import Testing

@Suite struct Timeouts {
  fileprivate static let patient = configuration { $0.requestTimeoutSeconds = 1 }
  private static let impatient = configuration { $0.idleTimeoutSeconds = 1 }

  /// Sends a byte every now and then until the server has had enough.
  private static func drip(_ connection: HTTPConnection, _ byte: String) {
    while !connection.hasNews(within: 100) {
      do { try connection.send(byte) } catch { return }
    }
  }

  /// Opens a connection whose body drips, and returns when the server has ended it: more than a request's time later.
  private static func outlastARequest(_ server: HTTPServer) throws {
    let connection = try HTTPConnection(port: server.port)
    try connection.send("POST /drip HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\n")
    drip(connection, "x")
  }

  @Test(arguments: [0, 1])
  func `A client whose body drips is told that it is too slow`(handler: Int) async throws {
    try await withHTTPServer(Self.patient, handler: BodyLimits.handlers[handler]) { server in
      let connection = try HTTPConnection(port: server.port)
      try connection.send("POST /drip HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\n")
      Self.drip(connection, "x")
      let reply = try connection.receive()
      #expect(reply.status == 408)
      #expect(reply.text == "too slow")
      #expect(reply.header("connection") == "close")
      #expect(try connection.waitForClose())
    }
  }

  @Test func `A client whose chunks drip is told that it is too slow`() async throws {
    try await withHTTPServer(Self.patient) { server in
      let connection = try HTTPConnection(port: server.port)
      try connection.send("POST /drip HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n")
      Self.drip(connection, "1\r\nx\r\n")
      #expect(try connection.receive().status == 408)
    }
  }

  @Test func `A client that stops in the middle of its body is told that it is too slow`() async throws {
    try await withHTTPServer(Self.patient) { server in
      let connection = try HTTPConnection(port: server.port)
      try connection.send("POST /drip HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\nx")
      #expect(try connection.receive().status == 408)
      #expect(try connection.waitForClose())
    }
  }

  @Test(arguments: ["", "GET / HTTP/1.1\r\nHost: a\r\n", "GET / HTTP/1.1\r\nHost: a\r\nX: "])
  func `A client whose head drips is closed`(start: String) async throws {
    try await withHTTPServer(Self.patient) { server in
      let connection = try HTTPConnection(port: server.port)
      try connection.send(start)
      Self.drip(connection, "x")
      #expect(throws: HTTPConnectionError.self) { try connection.receive() }
    }
  }

  @Test func `A client whose second request line drips is closed`() async throws {
    try await withHTTPServer(Self.patient) { server in
      let connection = try HTTPConnection(port: server.port)
      #expect(try connection.request("GET", "/").status == 200)
      Self.drip(connection, "G")
      #expect(throws: HTTPConnectionError.self) { try connection.receive() }
    }
  }

  @Test func `A connection between two requests is not ended by the request's time`() async throws {
    try await withHTTPServer(Self.patient) { server in
      let used = try HTTPConnection(port: server.port)
      #expect(try used.request("GET", "/").status == 200)
      for _ in 1...2 { try Self.outlastARequest(server) }
      #expect(try used.request("GET", "/").status == 200)
    }
  }

  @Test func `A request that waits for its handler is ended by no timeout`() async throws {
    let leave = Gate()
    let configuration = configuration {
      $0.requestTimeoutSeconds = 1
      $0.idleTimeoutSeconds = 1
    }
    let handler: @Sendable (Request) async -> Response = { request in
      if request.path == "/wait" { await leave.wait() }
      return echo(request)
    }
    try await withHTTPServer(configuration, handler: handler) { server in
      let connection = try HTTPConnection(port: server.port)
      try connection.send(HTTPConnection.requestBytes("POST", "/wait", body: [1]))
      for _ in 1...2 { try Self.outlastARequest(server) }
      #expect(!connection.hasNews(within: 0))
      await leave.open()
      #expect(try connection.receive().body == [1])
    }
  }

  @Test func `An idle connection is closed after the idle time`() async throws {
    try await withHTTPServer(Self.impatient) { server in
      let connection = try HTTPConnection(port: server.port)
      #expect(try connection.request("GET", "/").status == 200)
      #expect(try connection.waitForClose())
    }
  }

  @Test func `A client that does not read its response gives way after the idle time`() async throws {
    let configuration = configuration {
      $0.idleTimeoutSeconds = 1
      $0.requestTimeoutSeconds = 1
      $0.threads = 1
      $0.connectionLimit = 1
    }
    let large = [UInt8](repeating: 1, count: 32 * 1024 * 1024)
    let handler: @Sendable (Request) async -> Response = {
      Response(status: 200, body: $0.path == "/large" ? large : [])
    }
    try await withHTTPServer(configuration, handler: handler) { server in
      let slow = try HTTPConnection(port: server.port)
      try slow.send(HTTPConnection.requestBytes("GET", "/large"))
      // Not even accepted before the first one has gone.
      let reply = try server.fetch("GET", "/")
      #expect(reply.status == 200)
    }
  }

  @Test func `A client that ends in the middle of a request is let go`() async throws {
    let configuration = configuration {
      $0.threads = 1
      $0.connectionLimit = 1
    }
    try await withHTTPServer(configuration) { server in
      for part in ["", "G", "GET / HTTP/1.1\r\nX: y", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nx"] {
        let connection = try HTTPConnection(port: server.port)
        try connection.send(part)
        connection.finishSending()
        #expect(try connection.waitForClose())
      }
      let reply = try server.fetch("GET", "/")
      #expect(reply.status == 200)
    }
  }
}

extension Timeouts {
  @Test(arguments: ["", "P", "POST /", "POST / HTTP/1.1\r"])
  func `A client that stalls before its first request line is complete is ended`(start: String) async throws {
    try await withHTTPServer(Self.patient) { server in
      let connection = try HTTPConnection(port: server.port)
      try connection.send(start)
      #expect(try connection.waitForClose())
    }
  }

  @Test func `A body that stalls longer than the idle time is still told that it is too slow`() async throws {
    let configuration = configuration {
      $0.idleTimeoutSeconds = 1
      $0.requestTimeoutSeconds = 2
    }
    try await withHTTPServer(configuration) { server in
      let connection = try HTTPConnection(port: server.port)
      try connection.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\n{")
      #expect(try connection.receive().status == 408)
    }
  }
}
