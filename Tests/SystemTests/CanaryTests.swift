import Foundation
import TestSupport
import Testing

/// Marked secrets through every field, header, path and query of every endpoint, and then a search in everything that
/// the server keeps or says.
@Suite("Secrets canary", .ownThread)
struct CanaryTests {
  /// Makes marks, sends them, and keeps every byte of the answers.
  private final class Canary {
    let server: ServerProcess
    var bodies: WireBodies
    var marks: [String] = []
    var answers: [UInt8] = []

    init(_ server: ServerProcess, seed: String) {
      self.server = server
      bodies = WireBodies(seed: seed)
    }

    /// A new text that nothing else contains.
    func mark() -> String {
      let mark = "qz" + bodies.uuid().lowercased().filter { $0 != "-" }.prefix(20)
      marks.append(mark)
      return mark
    }

    @discardableResult
    func send(
      _ method: String = "POST", _ path: String, _ headers: [(String, String)] = [], _ body: [UInt8]? = nil
    ) -> Int? {
      guard let reply = try? exchange(method, path: path, port: server.port, headers: headers, body: body) else {
        return nil
      }
      for (name, value) in reply.headers { answers += Array("\(name): \(value)\n".utf8) }
      answers += reply.body
      return reply.status
    }
  }

  private static let paths = [
    "/v1/analytics/events", "/v1/analytics/keyboard-usage", "/healthz", "/readyz", "/metrics", "/openapi.json", "/",
    "/v1/admin/overview", "/v1/server/facts", "/no/such/path",
  ]

  private func sendHeadersAndPaths(_ canary: Canary) {
    let names = [
      "Authorization", "User-Agent", "Cookie", "X-Forwarded-For", "Forwarded", "X-Real-IP", "Referer", "Origin",
      "Accept-Language", "X-Request-Id", "Content-Type", "Content-Encoding", "Accept", "Idempotency-Key", "Via", "From",
    ]
    for path in Self.paths {
      let body = canary.bodies.events(2).body()
      for name in names {
        for value in [canary.mark(), "Bearer \(canary.mark())", "203.0.113.7, \(canary.mark())"] {
          canary.send("POST", path, [(name, value)], body)
          canary.send("GET", path, [(name, value)])
        }
      }
      canary.send("POST", path, [("X-\(canary.mark())", "1")], body)
      for method in ["GET", "POST", "HEAD", "DELETE"] {
        canary.send(
          method, path + "?token=\(canary.mark())&\(canary.mark())=1", jsonHeaders, method == "POST" ? body : nil)
        canary.send(method, path + "/\(canary.mark())", jsonHeaders, method == "POST" ? body : nil)
        canary.send(method, path + "%20\(canary.mark())%0a", jsonHeaders, method == "POST" ? body : nil)
      }
      canary.send(canary.mark().uppercased(), path)
    }
    // What isn't even HTTP.
    for text in [
      canary.mark(), "GET /\(canary.mark()) HTTP/9.9", "\(canary.mark()): x", "GET / HTTP/1.1\r\n\(canary.mark())",
    ] {
      guard let connection = try? HTTPConnection(port: canary.server.port) else { continue }
      try? connection.send(text + "\r\n\r\n")
      connection.finishSending()
      if let reply = try? connection.receive() {
        canary.answers += Array(reply.headers.map { "\($0.name): \($0.value)\n" }.joined().utf8) + reply.body
      }
    }
  }

  private func sendBodies(_ canary: Canary) {
    for kind in [WireBatch.Kind.events, .summaries] {
      func fresh() -> WireBatch { kind == .events ? canary.bodies.events(2) : canary.bodies.summaries(2) }
      let path = fresh().path
      let members =
        Array(fresh().items[0].members.keys) + ["installationId", "feature", "acquisitionChannel", "surface"]
      for member in members {
        for text in [canary.mark(), "with space \(canary.mark())", canary.mark() + String(repeating: "x", count: 200)] {
          var batch = fresh()
          // A lone mark may be a valid version, and only that: see the test of versions.
          batch.items[1][member] = member.hasSuffix("Version") ? "!" + text : text
          canary.send("POST", path, jsonHeaders, batch.body())
        }
        var nested = fresh()
        nested.items[1].set(member, json: "{\"\(canary.mark())\":[\"\(canary.mark())\"]}")
        canary.send("POST", path, jsonHeaders, nested.body())
      }
      var unknown = fresh()
      unknown.items[0][canary.mark()] = canary.mark()
      canary.send("POST", path, jsonHeaders, unknown.body())
      canary.send("POST", path, jsonHeaders + [("Content-Encoding", "gzip")], gzipped(unknown.body()))
      let good = fresh().json()
      for body in [
        "{\"\(canary.mark())\":\"\(canary.mark())\"," + good.dropFirst(), good + canary.mark(), canary.mark() + good,
        String(good.dropLast()) + ",\"" + canary.mark(), "{\"installationId\":\"\(canary.mark())", canary.mark(),
        good.replacingOccurrences(of: fresh().kind.rawValue, with: canary.mark()),
        fresh().json().replacingOccurrences(of: "2.0.0", with: "\\ud800\(canary.mark())"),
        "{\"installationId\":\"\(canary.mark())\",\"\(kind.rawValue)\":[]}",
      ] { canary.send("POST", path, jsonHeaders, Array(body.utf8)) }
      let oversize = Array(canary.mark().utf8) + [UInt8](repeating: 0x20, count: 200_000)
      canary.send("POST", path, jsonHeaders, oversize)
    }
  }

  @Test("no mark is in an answer, the log, the metrics or the database")
  func marks() async throws {
    try await withServer { server in
      let canary = Canary(server, seed: "marks")
      sendHeadersAndPaths(canary)
      sendBodies(canary)
      #expect(canary.marks.count > 700)
      canary.send("GET", "/metrics")
      let needles = canary.marks.flatMap { [Array($0.utf8), Array($0.uppercased().utf8)] }
      expectNone(of: needles, in: ["answers": Data(canary.answers)])
      expectNone(of: needles, in: files(server))
      #expect(server.terminate() == .code(0))
      expectNone(of: needles, in: files(server))
    }
  }

  @Test("a version is in the database at most, and identifiers and tokens are nowhere")
  func identifiers() async throws {
    try await withServer { server in
      let canary = Canary(server, seed: "identifiers")
      let session = try server.issueSession(account: canary.bodies.uuid())
      let admin = try server.createToken(scope: "admin", name: "canary-one")
      let service = try server.createToken(scope: "server", name: "canary-two")
      var installations: [String] = []
      var clientIDs: [String] = []
      for index in 0..<40 {
        var batch = index % 2 == 0 ? canary.bodies.events(3) : canary.bodies.summaries(3)
        let version = canary.mark()
        for item in batch.items.indices { batch.items[item]["appVersion"] = version }
        if index % 5 == 4 { batch.items[0]["osVersion"] = "not valid" }
        installations.append(batch.installation)
        clientIDs += batch.items.compactMap { $0["clientEventId"] ?? $0["clientSummaryId"] }
        let token = [[], [bearer(session)], [bearer(admin)], [bearer(service)]][index % 4]
        for form in TransportForm.allCases {
          canary.send("POST", batch.path, jsonHeaders + token, batch.body(form))
        }
      }
      for path in Self.paths {
        for token in [session, admin, service] {
          canary.send("GET", path, [bearer(token)])
          canary.send("POST", path, jsonHeaders + [bearer(token)], Array("{}".utf8))
          canary.send("GET", path + "?access_token=\(token)")
        }
      }
      canary.send("GET", "/metrics")

      let secrets =
        installations.flatMap(Self.spellings(ofUUID:)) + [session, admin, service].flatMap(Self.spellings(ofToken:))
      let allowedInDatabase = canary.marks.map { Array($0.utf8) } + clientIDs.flatMap(Self.spellings(ofUUID:))
      for _ in 0..<2 {
        let kept = files(server)
        expectNone(of: secrets, in: kept)
        expectNone(of: secrets + allowedInDatabase, in: kept.filter { !$0.key.contains(".sqlite") })
        // The search would have found them: the digest of what was taken is there.
        let database = kept.filter { $0.key.contains(".sqlite") }
        for index in [0, 1, 2, 3] where index % 4 < 2 {
          let digest = try sha256(installations[index])
          let isThere = database.values.contains { data in
            data.range(of: Data(digest.raw)) != nil || data.range(of: Data(digest.hex.utf8)) != nil
              || data.range(of: Data(digest.hex.uppercased().utf8)) != nil
          }
          #expect(isThere, "the digest of installation \(index)")
        }
        _ = server.terminate()
      }
      expectNone(of: secrets + allowedInDatabase, in: ["answers": Data(canary.answers)])
    }
  }

  private func expectNone(
    of needles: [[UInt8]], in places: [String: Data], sourceLocation: SourceLocation = #_sourceLocation
  ) {
    for (name, data) in places {
      for needle in needles where data.range(of: Data(needle)) != nil {
        Issue.record("\(name) holds \(String(decoding: needle, as: UTF8.self))", sourceLocation: sourceLocation)
      }
    }
  }

  /// All files that the server has written: database, write-ahead log, shared memory, log.
  private func files(_ server: ServerProcess) -> [String: Data] {
    var all: [String: Data] = [:]
    for name in FileManager.default.enumerator(atPath: server.folder.path)?.compactMap({ $0 as? String }) ?? [] {
      all[name] = FileManager.default.contents(atPath: server.folder.file(name))
    }
    return all
  }

  /// The ways in which an identifier could be written down.
  private static func spellings(ofUUID text: String) -> [[UInt8]] {
    let digits = text.filter { $0 != "-" }
    return [bytes(ofHex: digits)]
      + [text.lowercased(), text.uppercased(), digits.lowercased(), digits.uppercased()].map { Array($0.utf8) }
  }

  /// The ways in which a token could be written down, whole and without its prefix.
  private static func spellings(ofToken token: String) -> [[UInt8]] {
    let secret = token.hasPrefix("osg") ? String(token.drop { $0 != "_" }.dropFirst()) : token
    var spellings = [Array(token.utf8), Array(secret.utf8)]
    var base64 = secret.replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/")
    base64 += String(repeating: "=", count: (4 - base64.count % 4) % 4)
    if let raw = Data(base64Encoded: base64) {
      let hex = raw.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
      spellings += [Array(raw), Array(hex.utf8), Array(hex.uppercased().utf8)]
    }
    return spellings
  }

  private static func bytes(ofHex digits: String) -> [UInt8] {
    let values = digits.compactMap { UInt8(String($0), radix: 16) }
    return stride(from: 0, to: values.count - 1, by: 2).map { values[$0] << 4 | values[$0 + 1] }
  }

  /// The digest of a text by a program that shares nothing with the server.
  private func sha256(_ text: String) throws -> (hex: String, raw: [UInt8]) {
    let result = try runCommand(["sh", "-c", "printf %s \"$1\" | sha256sum", "sh", text])
    let hex = String(result.output.prefix(64))
    return (hex, Self.bytes(ofHex: hex))
  }
}
