import Foundation
import TestSupport
import Testing

/// Referral codes as the account server would have them stored: each as its digest.
enum ReferralCodes {
  static let valid = "AZaz09-_AZaz09-_AZaz09"

  /// Stores a code that is valid.
  static func issue(_ code: String = valid, on server: ServerProcess, revoked: String = "NULL") throws {
    let digest = try runCommand(["sh", "-c", "printf %s \"$1\" | sha256sum", "sh", code]).output.prefix(64)
    let account = "0a1b2c3d00004000800000000000abcd"
    let isFile = DatabaseUnderTest.isSQLite
    let values = isFile ? "X'\(digest)', X'\(account)'" : "'\\x\(digest)', '\(account)'"
    try server.openDatabase().execute(
      "INSERT INTO \(isFile ? "" : "osg_analytics.")referral_codes VALUES (\(values), 1, \(revoked))")
  }

  /// The views counted on the day of the fixtures' clock, and on no other.
  static func views(_ server: ServerProcess) throws -> Int {
    let table = (DatabaseUnderTest.isSQLite ? "" : "osg_analytics.") + "invitation_day_totals"
    let rows = try server.openDatabase().rows("SELECT day, view_count FROM \(table)")
    // 2026-11-29 in days since 1970.
    #expect(rows.allSatisfy { $0[0] == "20786" })
    return rows.reduce(0) { $0 + (Int($1[1] ?? "") ?? 0) }
  }
}

/// The public page of an invitation, over HTTP.
@Suite("Invitations", .serialized, .ownThread)
struct InvitationTests {
  private let path = "/i/" + ReferralCodes.valid

  private func expectPage(_ reply: HTTPReply, _ status: Int, sourceLocation: SourceLocation = #_sourceLocation) {
    #expect(reply.status == status, sourceLocation: sourceLocation)
    expectSafetyHeaders(reply, sourceLocation: sourceLocation)
    for (name, value) in [
      ("content-type", "text/html; charset=utf-8"), ("referrer-policy", "no-referrer"), ("vary", "Accept-Language"),
      ("x-robots-tag", "noindex"),
    ] { #expect(reply.header(name) == value, sourceLocation: sourceLocation) }
    #expect(reply.header("content-security-policy")?.hasPrefix("default-src 'none'") == true)
    #expect(reply.header("set-cookie") == nil)
  }

  @Test("a view is counted and shown; a HEAD, a prefetch and what is unknown are not counted")
  func contract() async throws {
    let arguments = [
      "--public-url", "https://osg.example", "--app-store-url", "https://apps.apple.com/app/id1", "--app-id",
      "ABCDE12345.a", "--app-id", "ABCDE12345.b",
    ]
    try await withServer(ServerOptions(arguments: arguments)) { server in
      let revoked = "rrrrrrrrrrrrrrrrrrrrrr"
      try ReferralCodes.issue(on: server)
      try ReferralCodes.issue(revoked, on: server, revoked: "2")
      let english = try exchange("GET", path: path, port: server.port)
      expectPage(english, 200)
      #expect(english.header("content-language") == "en")
      #expect(english.text.contains("href=\"https://osg.example\(path)\""))
      #expect(english.text.contains("href=\"https://apps.apple.com/app/id1\""))
      let chinese = try exchange(
        "GET", path: path + "?from=chat", port: server.port, headers: [("Accept-Language", "zh-CN,zh;q=0.9,en;q=0.8")])
      expectPage(chinese, 200)
      #expect(chinese.header("content-language") == "zh-Hans")
      #expect(try ReferralCodes.views(server) == 2)

      let head = try exchange("HEAD", path: path, port: server.port)
      expectPage(head, 200)
      #expect(head.body.isEmpty && head.header("content-length") == "\(english.body.count)")
      for header in [("Sec-Purpose", "prefetch;prerender"), ("purpose", "PREFETCH")] {
        let reply = try exchange("GET", path: path, port: server.port, headers: [header])
        expectPage(reply, 200)
        #expect(reply.body == english.body)
      }
      for other in [
        "/i/", "/i/" + revoked, "/i/xxxxxxxxxxxxxxxxxxxxxx", path + "/", path + "x", "/i/%41Zaz09-_AZaz09-_AZaz09",
      ] {
        let reply = try exchange("GET", path: other, port: server.port)
        expectPage(reply, 404)
        #expect(!reply.text.contains("href=\"https://osg.example"))
      }
      for method in ["POST", "PUT", "DELETE", "OPTIONS"] {
        let reply = try exchange(method, path: path, port: server.port)
        #expect(reply.status == 405 && reply.header("allow") == "GET, HEAD")
      }
      let association = try exchange("GET", path: "/.well-known/apple-app-site-association", port: server.port)
      expectCommonHeaders(association)
      #expect(
        association.text
          == #"{"applinks":{"details":[{"appIDs":["ABCDE12345.a","ABCDE12345.b"],"components":[{"/":"/i/*"}]}]}}"#)
      #expect(try ReferralCodes.views(server) == 2)
      let metrics = try exchange("GET", path: "/metrics", port: server.port).text
      #expect(metrics.contains("route=\"/i/{code}\",status=\"200\"} 5"))
    }
    try await withServer { server in
      let reply = try exchange("GET", path: "/.well-known/apple-app-site-association", port: server.port)
      expectError(reply, 404)
    }
  }

  @Test("while the database can't be written the page asks to come back, and counts nothing")
  func away() async throws {
    try await withServer { server in
      try ReferralCodes.issue(on: server)
      let blocker = try server.openDatabase()
      try blocker.holdDatabase()
      let reply = try exchange("GET", path: path, port: server.port)
      expectPage(reply, 503)
      #expect(reply.header("retry-after") == "5")
      try blocker.execute("ROLLBACK")
      #expect(try ReferralCodes.views(server) == 0)
      expectPage(try exchange("GET", path: path, port: server.port), 200)
      #expect(try ReferralCodes.views(server) == 1)
    }
  }

  @Test("ten thousand views over two hundred connections are counted exactly", arguments: nodeCounts)
  func manyAtOnce(_ nodeCount: Int) async throws {
    try await withNodes(nodeCount) { nodes in
      try ReferralCodes.issue(on: nodes[0])
      let (ports, path) = (nodes.map(\.port), path)
      let gate = StartingGate(count: 200)
      let shown = try await onThreads(200) { thread in
        let connection = Result { try HTTPConnection(port: ports[thread % ports.count], timeoutSeconds: 60) }
        gate.arrive()
        return try (0..<50).count { _ in try connection.get().request("GET", path).status == 200 }
      }
      #expect(shown.reduce(0, +) == 10_000)
      #expect(try ReferralCodes.views(nodes[0]) == 10_000)
    }
  }

  @Test("a killed server has counted every view that it showed")
  func killed() async throws {
    try await withServer { server in
      try ReferralCodes.issue(on: server)
      var (shown, open) = (0, 0)
      for round in 0..<5 {
        let (port, process, path) = (server.port, server.process, path)
        let answered = LockedList<Int>()
        _ = try await onThreads(8) { _ in
          guard let connection = try? HTTPConnection(port: port) else { return }
          while let reply = try? connection.request("GET", path) {
            answered.append(reply.status)
            if answered.count == 100 + round * 37 { process.send(SIGKILL) }
          }
        }
        #expect(process.wait(seconds: 30) == .signal(SIGKILL))
        #expect(answered.all.allSatisfy { $0 == 200 })
        shown += answered.count
        // Each client had at most one view under way.
        open += 8
        try server.restart()
        let counted = try ReferralCodes.views(server)
        #expect((shown...shown + open).contains(counted), "\(shown) \(counted)")
      }
    }
  }

  @Test("neither a code nor a header of a visitor is anywhere afterwards")
  func canary() async throws {
    try await withServer(ServerOptions(arguments: ["--log-level", "debug"])) { server in
      try ReferralCodes.issue(on: server)
      let traces = try Traces(server)
      let canary = Canary(server, seed: "invitations")
      let names = [
        "Accept-Language", "Purpose", "Sec-Purpose", "User-Agent", "Referer", "Cookie", "X-Forwarded-For", "Forwarded",
      ]
      for target in [
        path, "/i/" + canary.mark().prefix(22), "/i/" + canary.mark(), "/.well-known/apple-app-site-association",
      ] {
        for name in names {
          for method in ["GET", "HEAD", "POST"] {
            canary.send(method, target, [(name, canary.mark()), (name, "zh, \(canary.mark())")])
          }
        }
        canary.send("GET", target + "?\(canary.mark())=\(canary.mark())")
      }
      #expect(try ReferralCodes.views(server) > 0)
      _ = server.terminate()
      let needles = canary.markNeedles + [Array(ReferralCodes.valid.utf8)]
      for (place, data) in try traces.all() { #expect(!data.holds(anyOf: needles), "\(place)") }
      #expect(!Data(canary.answers).holds(anyOf: canary.markNeedles))
    }
  }
}
