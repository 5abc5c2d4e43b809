import TestSupport
import Testing

/// Methods and paths.
@Suite("Routes", .ownThread)
struct RouteTests {
  static let ingestion = ["/v1/analytics/events", "/v1/analytics/keyboard-usage"]

  private func allowed(_ reply: HTTPReply) -> Set<String> {
    let list = (reply.header("allow") ?? "").split(separator: ",")
    return Set(list.map { $0.drop { $0 == " " }.uppercased() })
  }

  @Test("ingestion takes POST alone and says so", arguments: ingestion)
  func ingestionMethods(_ path: String) throws {
    for method in ["GET", "HEAD", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND", "post", "POSTS"] {
      let body: [UInt8]? = ["PUT", "PATCH", "DELETE"].contains(method) ? Array("{}".utf8) : nil
      let reply = try exchange(method, path: path, port: SharedServer.port, headers: jsonHeaders, body: body)
      #expect(reply.status == 405, "\(method)")
      #expect(allowed(reply).contains("POST"), "\(method)")
      #expect(allowed(reply).isDisjoint(with: ["GET", "HEAD", "PUT", "PATCH", "DELETE"]), "\(method)")
      if method == "HEAD" {
        #expect(reply.body.isEmpty)
        expectCommonHeaders(reply)
      } else {
        expectError(reply, 405, sent: [], "\(method)")
      }
    }
  }

  @Test("what is read is read with GET or HEAD alone", arguments: ["/healthz", "/readyz", "/metrics"])
  func readMethods(_ path: String) throws {
    let get = try exchange("GET", path: path, port: SharedServer.port)
    #expect(get.status == 200)
    expectSafetyHeaders(get)
    let head = try exchange("HEAD", path: path, port: SharedServer.port)
    #expect(head.status == 200)
    #expect(head.body.isEmpty)
    expectSafetyHeaders(head)
    for method in ["POST", "PUT", "PATCH", "DELETE"] {
      let reply = try exchange(method, path: path, port: SharedServer.port, body: [])
      expectError(reply, 405, sent: [], "\(method)")
      #expect(allowed(reply).contains("GET"), "\(method)")
      #expect(allowed(reply).isDisjoint(with: ["POST", "PUT", "PATCH", "DELETE"]), "\(method)")
    }
  }

  @Test("a HEAD answer is followed by the next one on the same connection")
  func headKeepsFraming() throws {
    let connection = try HTTPConnection(port: SharedServer.port)
    for path in ["/healthz", "/no/such/path", "/v1/analytics/events", "/metrics", "/readyz"] {
      let head = try connection.request("HEAD", path)
      #expect(head.body.isEmpty)
      #expect(try connection.request("GET", "/healthz").status == 200, "after HEAD \(path)")
    }
  }

  @Test(
    "an unknown path is 404",
    arguments: [
      "/v1", "/v1/analytics", "/v1/analytics/event", "/v1/analytics/eventsx", "/v1/analytics/events/1",
      "/v2/analytics/events", "/V1/analytics/events", "/v1/Analytics/events", "/v1/analytics/keyboard_usage", "/health",
      "/healthzz", "/metricsx", "/.env", "/index.php", "/v1/analytics/events%00", "/%2e%2e/%2e%2e/etc/passwd",
      "/..%2f..%2fetc/passwd", "/v1/analytics/%65vents%2f", "/favicon.txt", "/v1/analytics/events;x=1",
      "/secret-path-of-a-client/with-an-id-6513270e",
    ])
  func unknownPaths(_ path: String) throws {
    var bodies = WireBodies(seed: "unknownPaths \(path)")
    let sent = Array(path.utf8)
    expectError(try exchange("GET", path: path, port: SharedServer.port), 404, sent: sent)
    let batch = bodies.events(1)
    let reply = try exchange(path: path, port: SharedServer.port, headers: jsonHeaders, body: batch.body())
    expectError(reply, 404, sent: sent + batch.body())
    let head = try exchange("HEAD", path: path, port: SharedServer.port)
    #expect(head.status == 404)
    #expect(head.body.isEmpty)
    // An account's header changes nothing.
    let authorized = try exchange("GET", path: path, port: SharedServer.port, headers: [bearer("nobody")])
    expectError(authorized, 401, 404, sent: sent)
  }

  @Test(
    "what isn't HTTP, or too much of it, is refused or closed and harms nobody",
    arguments: [
      "\r\n\r\n\r\n", "GET\r\n\r\n", "GET /healthz\r\n\r\n", "GET /healthz HTTP/9.9\r\n\r\n",
      "\u{16}\u{3}\u{1}\u{2}\u{0}\u{1}",
      "GET /healthz HTTP/1.1\r\nHost localhost\r\n\r\n", "GET /healthz HTTP/1.1\r\n: empty\r\n\r\n",
      "POST /v1/analytics/events HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n",
      "POST /v1/analytics/events HTTP/1.1\r\nHost: a\r\nContent-Length: abc\r\n\r\n",
      "POST /v1/analytics/events HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999999999999999\r\n\r\n",
      "POST /v1/analytics/events HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nZZZ\r\n",
      "POST /v1/analytics/events HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\n",
      "GET /" + String(repeating: "a", count: 100_000) + " HTTP/1.1\r\nHost: a\r\n\r\n",
      "GET /healthz HTTP/1.1\r\nHost: a\r\nX: " + String(repeating: "a", count: 1_000_000) + "\r\n\r\n",
      "GET /healthz HTTP/1.1\r\nHost: a\r\n" + String(repeating: "X: y\r\n", count: 50_000) + "\r\n",
    ])
  func brokenHTTP(_ text: String) throws {
    // What is never complete may be waited for; the timeout of requests has a test of its own.
    let connection = try HTTPConnection(port: SharedServer.port, timeoutSeconds: 2)
    do {
      try connection.send(text)
      connection.finishSending()
      let reply = try connection.receive()
      #expect(reply.status < 500 || reply.status == 501 || reply.status == 505)
    } catch HTTPConnectionError.closed {
    } catch HTTPConnectionError.malformed {
    } catch HTTPConnectionError.timedOut {}
    #expect(try exchange("GET", path: "/healthz", port: SharedServer.port).status == 200)
  }
}
