import AnalyticsContract
import Foundation
import ServerFacts
import TestSupport
import Testing

/// Which files hold keys, and what happens when they change.
@Suite struct SessionKeyFiles {
  private func failure(_ contents: String) -> SessionKeysFailure? {
    do {
      _ = try SessionFixture(contents)
      return nil
    } catch { return (error as? SessionKeysError)?.failure }
  }

  @Test func `A file that can't be read is told, by its path and what to do`() throws {
    for path in ["/nonexistent/keys.json", "/tmp", ""] {
      #expect { _ = try SessionTokenVerifier(path: path) } throws: { error in
        (error as? SessionKeysError)?.failure == .unreadable && "\(error)".contains("The file \(path) ")
      }
    }
    #expect(failure(SessionSigner.set([]) + String(repeating: " ", count: 1 << 20)) == .tooLarge)
  }

  @Test(arguments: [
    "", "x", "[]", "{}", #"{"keys":{}}"#, #"{"keys":null}"#, #"{"kty":"EC"}"#, #"{"keys":[],"keys":[]}"#,
  ])
  func `What is no set of keys is told`(_ contents: String) {
    #expect(failure(contents) == .noKeySet)
  }

  @Test func `A set without a usable key is told`() {
    #expect(failure(SessionSigner.set([])) == .noUsableKey)
    let (ec, rsa, ed) = (sessionKeys[0], sessionKeys[1], sessionKeys[2])
    var unusable = ["null", "1", "[]", "{}", #"{"kty":"oct","k":"AAAA"}"#]
    for key in [ec, rsa, ed] {
      unusable += [
        key.publicKey(["use": "enc"]), key.publicKey(["use": 1]), key.publicKey(["key_ops": ["sign"]]),
        key.publicKey(["key_ops": "verify"]), key.publicKey(["alg": "HS256"]), key.publicKey(["alg": "none"]),
        key.publicKey(["alg": 1]), key.publicKey(["kty": "oct"]), key.publicKey(["kty": nil]),
        key.publicKey(["kid": 1]),
      ]
    }
    unusable += [
      ec.publicKey(["x": nil]), ec.publicKey(["y": nil]), ec.publicKey(["y": "AAAA"]), ec.publicKey(["x": #"a","z":"#]),
      ec.publicKey(["crv": "P-384"]), ec.publicKey(["alg": "RS256"]), rsa.publicKey(["n": nil]),
      rsa.publicKey(["e": nil]),
      rsa.publicKey(["n": "AQAB"]), rsa.publicKey(["alg": "ES256"]), rsa.publicKey(["crv": "P-256"]),
      rsa.publicKey(["e": "A+A/"]), ed.publicKey(["x": "AAAA"]), ed.publicKey(["x": nil]),
      ed.publicKey(["crv": "X25519"]),
      ed.publicKey(["crv": "Ed448"]), SessionSigner("ES384").publicKey,
      rsa.publicKey(["n": String(repeating: "q", count: 340)]),
    ]
    for key in unusable {
      #expect(failure(SessionSigner.set([key])) == .noUsableKey, "\(key)")
      // Beside a usable one it is passed over.
      #expect(failure(SessionSigner.set([key, ec.publicKey])) == nil)
    }
  }

  @Test func `Keys that can't be told apart are told`() {
    let (ec, rsa) = (sessionKeys[0], sessionKeys[1])
    #expect(failure(SessionSigner.set([ec.publicKey, ec.publicKey])) == .ambiguousKeys)
    #expect(failure(SessionSigner.set([ec.publicKey, rsa.publicKey(["kid": ec.id])])) == .ambiguousKeys)
    #expect(failure(SessionSigner.set([ec.publicKey(["kid": nil]), rsa.publicKey(["kid": nil])])) == .ambiguousKeys)
  }

  @Test func `A replaced file's keys count within seconds, and what is broken meanwhile changes nothing`() async throws
  {
    let (first, second) = (SessionSigner("ES256", id: "first"), SessionSigner("RS256", id: "second"))
    let fixture = try SessionFixture(first.set)
    let (old, new) = (first.sign(claims()), second.sign(claims()))
    #expect(fixture.account(old) == account && fixture.account(new) == nil)

    /// Writes the file and asks until what became of it is told.
    func change(_ contents: String?, atomically: Bool = true) async throws -> SessionTokenVerifier.Change? {
      let known = fixture.changes.count
      if let contents {
        try contents.write(toFile: fixture.path, atomically: atomically, encoding: .utf8)
      } else {
        try FileManager.default.removeItem(atPath: fixture.path)
      }
      // By the number of looks, not by the clock: other tests may take the processor for long.
      for _ in 0..<400 where fixture.changes.count == known {
        _ = fixture.account(old)
        try await Task.sleep(for: .milliseconds(50))
      }
      return fixture.changes.count == known + 1 ? fixture.changes.last : nil
    }
    #expect(try await change("{") == .kept(.noKeySet))
    #expect(fixture.account(old) == account && fixture.account(new) == nil)
    #expect(try await change(nil) == .kept(.unreadable))
    #expect(fixture.account(old) == account)
    #expect(try await change(SessionSigner.set([first.publicKey, second.publicKey])) == .replaced(keys: 2))
    #expect(fixture.account(old) == account && fixture.account(new) == account)
    #expect(try await change(second.set, atomically: false) == .replaced(keys: 1))
    #expect(fixture.account(old) == nil && fixture.account(new) == account)
    #expect(try await change("") == .kept(.noKeySet))
    #expect(fixture.account(old) == nil && fixture.account(new) == account)
  }

  @Test func `Many threads verify side by side`() async throws {
    let fixture = try SessionFixture()
    let tokens = sessionKeys.map { $0.sign(claims()) }
    await withTaskGroup(of: Bool.self) { group in
      for task in 0..<8 {
        group.addTask { (0..<300).allSatisfy { fixture.account(tokens[($0 + task) % 3]) == account } }
      }
      for await isRight in group { #expect(isRight) }
    }
  }

  @Test func `Every failure has a label of its own`() {
    #expect(Set(SessionKeysFailure.allCases.map { "\($0.label)" }).count == SessionKeysFailure.allCases.count)
  }
}
