import Foundation
import TestSupport
import Testing

/// Sessions that are JSON Web Tokens.
@Suite("Token sessions", .ownThread)
struct TokenSessionTests {
  private static let issuer = "https://accounts.example"
  private static let audience = "analytics"

  /// A server that verifies tokens with the keys in a file.
  private func withServer(
    _ keys: String, isolation: isolated (any Actor)? = #isolation,
    _ body: (ServerProcess, _ file: String) async throws -> Void
  ) async throws {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    let file = folder.file("keys.json")
    try keys.write(toFile: file, atomically: true, encoding: .utf8)
    let options = ServerOptions(arguments: [
      "--session-jwks", file, "--session-issuer", Self.issuer, "--session-audience", Self.audience,
    ])
    try await TestSupport.withServer(options) { try await body($0, file) }
  }

  /// The claims of a token that is valid for a minute around the fixtures' noon, with some changed.
  private func claims(_ account: String, _ changes: [String: String?] = [:]) -> String {
    var members = [
      "sub": "\"\(account)\"", "iss": "\"\(Self.issuer)\"", "aud": "[\"\(Self.audience)\"]", "exp": "1795953660",
      "nbf": "1795953540",
    ]
    for (name, value) in changes { members[name] = value }
    return "{" + members.map { "\"\($0.key)\":\($0.value)" }.joined(separator: ",") + "}"
  }

  @Test(
    "a token links an installation to its account, as an opaque session does", arguments: ["ES256", "RS256", "EdDSA"])
  func links(_ algorithm: String) async throws {
    let key = SessionSigner(algorithm, id: "one")
    try await withServer(key.set) { server, _ in
      var bodies = WireBodies(seed: "token links \(algorithm)")
      let (account, other) = (bodies.uuid(), bodies.uuid())
      let opaque = [bearer(try server.issueSession(account: account))]
      let foreign = [bearer(try server.issueSession(account: other))]
      let token = [bearer(key.sign(claims(account)))]
      for kind in [WireBatch.Kind.events, .summaries] {
        let batch = kind == .events ? bodies.events(3) : bodies.summaries(3)
        func fresh() -> WireBatch { bodies.events(2, installation: batch.installation) }
        expectTaken(try post(batch, to: server.port, headers: token), accepted: 3)
        expectTaken(try post(batch, to: server.port, headers: token), accepted: 0, replayed: 3)
        expectTaken(try post(fresh(), to: server.port, headers: opaque), accepted: 2)
        expectTaken(try post(fresh(), to: server.port), accepted: 2)
        let refused = fresh()
        expectError(try post(refused, to: server.port, headers: foreign), 409, sent: refused.body())
        let foreignToken = [bearer(key.sign(claims(other)))]
        expectError(try post(refused, to: server.port, headers: foreignToken), 409, sent: refused.body())
      }
      // A body that gets no further is judged after the token.
      expectError(try post("{", to: server.port, headers: jsonHeaders + token), 400, sent: [0x7b])
      let linked = try server.openDatabase().rows(
        "SELECT count(*) FROM installations WHERE account_id IS NOT NULL")
      #expect(linked == [["2"]])
    }
  }

  @Test("a token that is none, of no one or of no time is 401, and stores nothing")
  func refused() async throws {
    let (key, rsa) = (SessionSigner("ES256", id: "one"), SessionSigner("RS256", id: "two"))
    try await withServer(SessionSigner.set([key.publicKey, rsa.publicKey])) { server, _ in
      var bodies = WireBodies(seed: "token refused")
      let account = bodies.uuid()
      _ = try server.issueSession(account: account)
      let good = key.sign(claims(account))
      let parts = good.split(separator: ".")
      let none = StoreKitAuthority.base64URL(Array(#"{"alg":"none"}"#.utf8))
      let padded = Array(rsa.publicKey.utf8)
      let tokens = [
        "of an unknown account": key.sign(claims(bodies.uuid())),
        "expired": key.sign(claims(account, ["exp": "1795953600"])),
        "without expiry": key.sign(claims(account, ["exp": nil])),
        "of the future": key.sign(claims(account, ["nbf": "1795953601"])),
        "of another issuer": key.sign(claims(account, ["iss": "\"\(Self.issuer)/\""])),
        "for another audience": key.sign(claims(account, ["aud": #""other""#])),
        "of no one": key.sign(claims("00000000-0000-0000-0000-000000000000")),
        "HS256 with the public key": SessionSigner("HS256", id: "two", secret: padded).sign(claims(account)),
        "of a stranger with the same name": SessionSigner("ES256", id: "one").sign(claims(account)),
        "with an unknown name": key.sign(claims(account), header: ["kid": "three"]),
        "without a name": key.sign(claims(account), header: ["kid": nil]),
        "critical": key.sign(claims(account), header: ["crit": ["exp"]]),
        "unsigned": "\(none).\(parts[1]).", "cut": String(good.dropLast()), "longer": good + "A",
        "too long": key.sign(claims(account, ["x": "\"" + String(repeating: "a", count: 4000) + "\""])),
      ]
      for (name, token) in tokens {
        let batch = bodies.events(2)
        expectError(try post(batch, to: server.port, headers: [bearer(token)]), 401, sent: [], "\(name)")
        expectError(try post("{", to: server.port, headers: jsonHeaders + [bearer(token)]), 401, sent: [], "\(name)")
        expectTaken(try post(batch, to: server.port), accepted: 2, "\(name): nothing was stored")
      }
      expectTaken(try post(bodies.events(2), to: server.port, headers: [bearer(good)]), accepted: 2)
      // None of it is in the log.
      for text in [account.lowercased(), account, "three", "Algorithm", "jws", String(parts[1].prefix(40))] {
        #expect(!server.log.contains(text), "\(text)")
      }
    }
  }

  @Test("a token ends with its account, and when it is revoked")
  func ends() async throws {
    let key = SessionSigner("EdDSA", id: "one")
    try await withServer(key.set) { server, _ in
      var bodies = WireBodies(seed: "token ends")
      let (account, other) = (bodies.uuid(), bodies.uuid())
      for account in [account, other] { _ = try server.issueSession(account: account) }
      let (revoked, kept) = (key.sign(claims(account)), key.sign(claims(account, ["jti": "2"])))
      let database = try server.openDatabase()
      func blob(_ hex: String) -> String { DatabaseUnderTest.isSQLite ? "x'\(hex)'" : "'\\x\(hex)'" }
      try database.execute(
        "INSERT INTO sessions (token_digest, revoked_at) VALUES (\(blob(try sha256(revoked))), 0)")
      expectError(try post(bodies.events(1), to: server.port, headers: [bearer(revoked)]), 401, sent: [])
      expectTaken(try post(bodies.events(1), to: server.port, headers: [bearer(kept)]), accepted: 1)
      let id = account.lowercased().filter { $0 != "-" }
      let quoted = DatabaseUnderTest.isSQLite ? blob(id) : "'\(id)'"
      try database.execute("DELETE FROM accounts WHERE account_id = \(quoted)")
      expectError(try post(bodies.events(1), to: server.port, headers: [bearer(kept)]), 401, sent: [])
      expectTaken(try post(bodies.events(1), to: server.port, headers: [bearer(key.sign(claims(other)))]), accepted: 1)
    }
  }

  @Test("new keys count without a restart, and a broken file keeps the old ones")
  func newKeys() async throws {
    let (old, new) = (SessionSigner("ES256", id: "old"), SessionSigner("RS256", id: "new"))
    try await withServer(old.set) { server, file in
      var bodies = WireBodies(seed: "new keys")
      let account = bodies.uuid()
      _ = try server.issueSession(account: account)
      let batch = bodies.events(1)
      func status(_ key: SessionSigner) -> Int? {
        (try? post(batch, to: server.port, headers: [bearer(key.sign(claims(account)))]))?.status
      }
      #expect(status(old) == 200 && status(new) == 401)
      try "{".write(toFile: file, atomically: true, encoding: .utf8)
      #expect(
        waitUntil(seconds: 20) { status(old) == 200 && server.log.contains("\"session_keys_kept\"") })
      #expect(server.log.contains("\"reason\":\"no_key_set\""))
      try new.set.write(toFile: file, atomically: true, encoding: .utf8)
      #expect(waitUntil(seconds: 20) { status(new) == 200 })
      #expect(status(old) == 401)
      #expect(server.log.contains("\"session_keys_replaced\""))
    }
  }

  @Test("a file without keys keeps the server from starting, and says so")
  func noKeys() throws {
    for (path, text) in [("/nonexistent/keys.json", "can't be read"), ("/dev/null", "no JWK set")] {
      let result = try ServerProcess.run([
        "serve", "--database", "sqlite:/nonexistent/analytics.sqlite", "--session-jwks", path,
      ])
      #expect(result.status == .code(1))
      #expect(result.error.contains(path) && result.error.contains(text))
    }
    let usage = try ServerProcess.run(["serve", "--session-issuer", "a"])
    #expect(usage.status == .code(2) && usage.error.contains("--session-jwks"))
  }

  private func sha256(_ text: String) throws -> String {
    let result = try runCommand(["sh", "-c", "printf %s \"$1\" | sha256sum", "sh", text])
    return String(result.output.prefix(64))
  }
}
