import HTTPServer
import TestSupport
import Testing

@Suite struct BodyLimits {
  static let handlers: [@Sendable (Request) async -> Response] = [{ echo($0) }, slowEcho]

  @Test(arguments: [0, 1])
  func `Ten megabytes announced are answered with 413 before they have been sent`(handler: Int) async throws {
    try await withHTTPServer(handler: Self.handlers[handler]) { server in
      let connection = try HTTPConnection(port: server.port)
      try connection.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10000000\r\n\r\n")
      let reply = try connection.receive()
      #expect(reply.status == 413)
      #expect(reply.text == "too large")
      #expect(reply.header("connection")?.lowercased() == "close")
      #expect(try connection.waitForClose())
    }
  }

  @Test(arguments: [0, 1])
  func `A client that sends ten megabytes before it reads still reads the 413`(handler: Int) async throws {
    try await withHTTPServer(handler: Self.handlers[handler]) { server in
      let connection = try HTTPConnection(port: server.port)
      try connection.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10000000\r\n\r\n")
      try? connection.send([UInt8](repeating: 0x20, count: 10_000_000))
      #expect(try connection.receive().status == 413)
    }
  }

  @Test(arguments: [0, 1])
  func `A client that sends ten megabytes in chunks still reads the 413`(handler: Int) async throws {
    try await withHTTPServer(handler: Self.handlers[handler]) { server in
      let connection = try HTTPConnection(port: server.port)
      try connection.send("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n")
      let chunk = Array("10000\r\n".utf8) + [UInt8](repeating: 0x20, count: 65_536) + Array("\r\n".utf8)
      do {
        for _ in 1...160 { try connection.send(chunk) }
      } catch {}
      let reply = try connection.receive()
      #expect(reply.status == 413)
      #expect(reply.text == "too large")
      #expect(reply.header("connection") == "close")
    }
  }

  @Test(arguments: [0, 1])
  func `A chunked body is answered with 413 while the client still waits to send the rest`(handler: Int) async throws {
    try await withHTTPServer(limit: { _ in 10 }, handler: Self.handlers[handler]) { server in
      let connection = try HTTPConnection(port: server.port)
      try connection.send("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nb\r\n12345678901")
      #expect(try connection.receive().status == 413)
      #expect(try connection.waitForClose())
    }
  }

  @Test func `A body of exactly the limit is accepted and one byte more is not`() async throws {
    try await withHTTPServer(limit: { _ in 1000 }) { server in
      let connection = try HTTPConnection(port: server.port)
      #expect(try connection.request("POST", "/", body: [UInt8](repeating: 1, count: 1000)).status == 200)
      #expect(try connection.request("POST", "/", body: [UInt8](repeating: 1, count: 1001)).status == 413)
    }
  }

  @Test func `With a limit of zero a request without a body passes and one with a body is too large`() async throws {
    try await withHTTPServer(limit: { _ in 0 }) { server in
      let connection = try HTTPConnection(port: server.port)
      #expect(try connection.request("POST", "/").status == 200)
      #expect(try connection.request("POST", "/", body: []).status == 200)
      #expect(try connection.request("POST", "/", body: [1]).status == 413)
      let other = try HTTPConnection(port: server.port)
      try other.send("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n")
      #expect(try other.receive().status == 413)
    }
  }

  @Test func `The limit may depend on method and path`() async throws {
    let limit: @Sendable (RequestHead) -> Int = { $0.method == .put && $0.path == "/large" ? 10 : 1 }
    try await withHTTPServer(limit: limit) { server in
      let large = try server.fetch("PUT", "/large?x", body: [1, 2])
      #expect(large.status == 200)
      #expect(try server.fetch("POST", "/large", body: [1, 2]).status == 413)
      #expect(try server.fetch("PUT", "/small", body: [1, 2]).status == 413)
    }
  }

  @Test func `A client that expects 100 is told to continue only below the limit`() async throws {
    try await withHTTPServer(limit: { _ in 10 }) { server in
      let head = "POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: "
      let connection = try HTTPConnection(port: server.port)
      try connection.send(head + "2\r\n\r\n")
      #expect(try connection.receiveInterim() == 100)
      try connection.send("ab")
      #expect(try connection.receive().text == "ab")
      try connection.send(head + "11\r\n\r\n")
      #expect(try connection.receiveInterim() == 413)
    }
  }
}
