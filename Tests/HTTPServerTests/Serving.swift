import HTTPServer
import TestSupport
import Testing

@Suite struct Serving {
  @Test func `A GET reaches the handler and its response reaches the client`() async throws {
    try await withHTTPServer { server in
      let reply = try server.fetch("GET", "/a/b")
      #expect(reply.status == 200)
      #expect(reply.header("x-path") == "/a/b")
      #expect(reply.body.isEmpty)
    }
  }

  @Test(arguments: [1, 100, 8192, 13_000, 65_536, 131_072])
  func `A body arrives whole`(size: Int) async throws {
    let body = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    try await withHTTPServer { server in
      let connection = try HTTPConnection(port: server.port)
      for _ in 1...3 {
        let reply = try connection.request("POST", "/", body: body)
        #expect(reply.status == 200)
        #expect(reply.body == body)
      }
    }
  }

  @Test func `A body in chunks arrives whole, with extensions and trailers left out`() async throws {
    try await withHTTPServer(handler: slowEcho) { server in
      let connection = try HTTPConnection(port: server.port)
      for _ in 1...2 {
        try connection.send("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: Chunked\r\n\r\n")
        try connection.send("5;name=value\r\nhello\r\n6\r\n world\r\n0\r\nX-Kept: trailer\r\n\r\n")
        #expect(try connection.receive().text == "hello world")
      }
    }
  }

  @Test func `A handler that answers later from another thread is waited for`() async throws {
    try await withHTTPServer(handler: slowEcho) { server in
      let connection = try HTTPConnection(port: server.port)
      for number in 1...50 {
        #expect(try connection.request("POST", "/", body: Array("\(number)".utf8)).text == "\(number)")
      }
    }
  }

  @Test(arguments: [0, 1])
  func `Requests sent at once are answered in order`(handler: Int) async throws {
    try await withHTTPServer(handler: BodyLimits.handlers[handler]) { server in
      let connection = try HTTPConnection(port: server.port)
      var bytes: [UInt8] = []
      for number in 1...100 {
        bytes += HTTPConnection.requestBytes("POST", "/\(number)", body: Array("\(number)".utf8))
      }
      try connection.send(bytes)
      for number in 1...100 {
        let reply = try connection.receive()
        #expect(reply.header("x-path") == "/\(number)")
        #expect(reply.text == "\(number)")
      }
    }
  }

  @Test func `A request that arrives byte by byte is understood`() async throws {
    try await withHTTPServer { server in
      let connection = try HTTPConnection(port: server.port)
      for byte in HTTPConnection.requestBytes("POST", "/a?b=c", headers: [("X-Kept", "d")], body: [1, 2, 3]) {
        try connection.send([byte])
      }
      #expect(try connection.receive().body == [1, 2, 3])
    }
  }

  @Test func `A response to HEAD has the length of the body and no body`() async throws {
    try await withHTTPServer(handler: { _ in Response("hello") }) { server in
      let connection = try HTTPConnection(port: server.port)
      let reply = try connection.request("HEAD", "/")
      #expect(reply.header("content-length") == "5")
      #expect(try connection.request("GET", "/").text == "hello")
    }
  }

  @Test(arguments: [204, 304])
  func `A response that has no body leaves the connection usable`(status: Int) async throws {
    try await withHTTPServer(handler: { _ in Response(status: status, body: [1]) }) { server in
      let connection = try HTTPConnection(port: server.port)
      for _ in 1...2 { #expect(try connection.request("GET", "/").status == status) }
    }
  }

  @Test func `HTTP 1.0 needs no Host and closes unless asked to keep alive`() async throws {
    try await withHTTPServer { server in
      let connection = try HTTPConnection(port: server.port)
      try connection.send("POST /a HTTP/1.0\r\nConnection: keep-alive\r\nContent-Length: 1\r\n\r\nx")
      #expect(try connection.receive().text == "x")
      try connection.send("GET /a HTTP/1.0\r\n\r\n")
      #expect(try connection.receive().status == 200)
      #expect(try connection.waitForClose())
    }
  }

  @Test func `The client and the handler may each close the connection`() async throws {
    let handler: @Sendable (Request) async -> Response = {
      Response(status: 200, closesConnection: $0.path == "/close")
    }
    try await withHTTPServer(handler: handler) { server in
      let first = try HTTPConnection(port: server.port)
      #expect(try first.request("GET", "/close").header("connection")?.lowercased() == "close")
      #expect(try first.waitForClose())
      let second = try HTTPConnection(port: server.port)
      #expect(try second.request("GET", "/", headers: [("Connection", "close")]).status == 200)
      #expect(try second.waitForClose())
    }
  }

  @Test func `A client that has ended its sending direction still gets its response`() async throws {
    try await withHTTPServer { server in
      let connection = try HTTPConnection(port: server.port)
      try connection.send(HTTPConnection.requestBytes("POST", "/", body: [1]))
      connection.finishSending()
      #expect(try connection.receive().status == 200)
      #expect(try connection.waitForClose())
    }
  }

  @Test(arguments: [0, 1, 2])
  func `A client that ends its sending direction while its request is handled still gets its response`(
    earlier: Int
  ) async throws {
    let entered = Gate()
    let leave = Gate()
    let handler: @Sendable (Request) async -> Response = { request in
      if request.path == "/wait" {
        await entered.open()
        await leave.wait()
      }
      return echo(request)
    }
    try await withHTTPServer(configuration { $0.threads = 1 }, handler: handler) { server in
      // libmicrohttpd looks at its longest idle connection in every turn, so the one in question must not be that.
      let elder = try HTTPConnection(port: server.port)
      #expect(try elder.request("GET", "/").status == 200)
      let connection = try HTTPConnection(port: server.port)
      for _ in 0..<earlier { #expect(try connection.request("GET", "/").status == 200) }
      // In two parts, so that the server has to wait for the second.
      let headers = [("Expect", "100-continue"), ("Content-Length", "1")]
      try connection.send(HTTPConnection.requestBytes("POST", "/wait", headers: headers))
      #expect(try connection.receiveInterim() == 100)
      try connection.send("x")
      await entered.wait()
      connection.finishSending()
      await leave.open()
      #expect(try connection.receive().text == "x")
      #expect(try connection.waitForClose())
    }
  }

  @Test func `A client that vanishes while its request is handled harms nobody`() async throws {
    let entered = Gate()
    let leave = Gate()
    let handler: @Sendable (Request) async -> Response = { request in
      if request.path == "/wait" {
        await entered.open()
        await leave.wait()
      }
      return echo(request)
    }
    try await withHTTPServer(handler: handler) { server in
      for _ in 1...20 {
        let connection = try HTTPConnection(port: server.port)
        try connection.send(HTTPConnection.requestBytes("POST", "/wait", body: [1]))
        await entered.wait()
        connection.close()
      }
      await leave.open()
      let reply = try server.fetch("GET", "/")
      #expect(reply.status == 200)
    }
  }

  @Test func `Many connections at once each get their own answer`() async throws {
    try await withHTTPServer(handler: slowEcho) { server in
      let connections = try (1...200).map { _ in try HTTPConnection(port: server.port) }
      for round in 1...5 {
        for (number, connection) in connections.enumerated() {
          try connection.send(HTTPConnection.requestBytes("POST", "/", body: Array("\(round) \(number)".utf8)))
        }
        for (number, connection) in connections.enumerated() {
          #expect(try connection.receive().text == "\(round) \(number)")
        }
      }
    }
  }
}
