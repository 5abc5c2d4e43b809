import HTTPServer
import TestSupport
import Testing

@Suite struct RequestValues {
  /// What the handler sees of one request.
  private func seen(
    _ text: String, _ describe: @escaping @Sendable (Request) -> String
  ) async throws -> String {
    try await withHTTPServer(handler: { Response(describe($0)) }) { try $0.reply(to: text).text }
  }

  @Test(
    arguments: [
      ("/", "/"), ("/a/b?c=d", "/a/b"), ("/a%2Fb%00%zz", "/a%2Fb%00%zz"), ("//x", "//x"), ("/a+b", "/a+b"), ("*", "*"),
      ("http://host:80/p?q", "/p"), ("HTTPS://host", ""), ("/?a?b", "/"),
    ])
  func `The path is as sent, without the query`(target: String, path: String) async throws {
    #expect(try await seen("GET \(target) HTTP/1.1\r\nHost: a\r\n\r\n") { $0.path } == path)
  }

  @Test(
    arguments: [
      ("", ""), ("?", ""), ("?a=b", "a=b"), ("?a=b&a=c", "a=b,a=c"), ("?a", "a="), ("?a=b=c", "a=b=c"),
      ("?%61=%C3%A9+x", "a=é x"),
      ("?a=%2", "a=%2"), ("?a=%zz&&b=1&", "a=%zz,b=1"), ("?a=%00b", "a=\0b"), ("?a=%FF", "a=\u{FFFD}"), ("?=b", "=b"),
    ])
  func `The query is decoded`(query: String, expected: String) async throws {
    let text = try await seen("GET /\(query) HTTP/1.1\r\nHost: a\r\n\r\n") {
      $0.query.map { "\($0.name)=\($0.value)" }.joined(separator: ",")
    }
    #expect(text == expected)
  }

  @Test(arguments: ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "get", "X"])
  func `The method is case-sensitive`(name: String) async throws {
    let known: [String: Request.Method] = [
      "GET": .get, "POST": .post, "PUT": .put, "PATCH": .patch, "DELETE": .delete, "OPTIONS": .options,
    ]
    let text = try await seen("\(name) / HTTP/1.1\r\nHost: a\r\n\r\n") { "\($0.method == known[name] ?? .other)" }
    #expect(text == "true")
  }

  @Test func `Only the kept headers can be read, in any letter case, each line of them`() async throws {
    let head =
      "GET / HTTP/1.1\r\nHost: a\r\nx-KEPT: 1 \r\nCookie: secret\r\nX-Kept:\t2\r\nX-Kept:\r\nUser-Agent: x\r\n\r\n"
    let text = try await seen(head) {
      "\($0.headers("x-kept")) \($0.headers("Cookie")) \($0.headers("User-Agent")) \($0.headers("Host"))"
    }
    #expect(text == #"["1", "2", ""] [] [] []"#)
  }

  @Test func `No description of a request shows what is in it`() {
    let request = Request(
      method: .post, path: "/mark", query: [("mark", "mark")], headers: [("X-Kept", "mark")],
      body: .bytes(Array("mark".utf8)))
    var dumped = ""
    dump(request, to: &dumped)
    dump(request.body, to: &dumped)
    dump(RequestHead(method: .get, path: "/mark"), to: &dumped)
    dump(HTTPServer.TLS(certificate: Array("mark".utf8), key: Array("mark".utf8)), to: &dumped)
    let described = "\(request) \(String(reflecting: request)) \(request.body) \(String(reflecting: request.body))"
    #expect(!(dumped + described).contains("mark"))
    #expect(!(dumped + described).contains("109"))  // the byte of an m
  }

  @Test func `Header fields that belong to the server and broken ones are left out of a response`() async throws {
    let handler: @Sendable (Request) async -> Response = {
      let fields = [
        ("content-length", "99"), ("Transfer-Encoding", "chunked"), ("connection", "x"), ("Date", "never"),
        ("X-Split", "a\r\nX-Injected: b"), ("X-Good", "yes"),
      ]
      return Response(status: 200, headers: fields, body: $0.path == "/" ? [1] : [])
    }
    try await withHTTPServer(handler: handler) { server in
      let reply = try server.fetch("GET", "/")
      #expect(reply.header("content-length") == "1")
      #expect(reply.header("transfer-encoding") == nil)
      #expect(reply.header("date")?.hasSuffix("GMT") == true)
      #expect(reply.header("x-injected") == nil)
      #expect(reply.header("x-good") == "yes")
    }
  }

  @Test(arguments: [0, 99, 100, 101, 600, 1000, -1])
  func `A status that is none goes out as 500`(status: Int) async throws {
    try await withHTTPServer(handler: { _ in Response(status: status) }) { server in
      let reply = try server.fetch("GET", "/")
      #expect(reply.status == 500)
    }
  }

  @Test(arguments: [1, 280, 600, 2000]) func `A query of any number of parameters is answered`(count: Int) async throws
  {
    let handler: @Sendable (Request) async -> Response = { Response("\($0.query.count) \($0.path)") }
    try await withHTTPServer(handler: handler) { server in
      let query = String(repeating: "a=1&", count: count).dropLast()
      let reply = try server.fetch("POST", "/a/b?\(query)", body: [1])
      #expect(reply.text == "\(count) /a/b")
    }
  }
}
