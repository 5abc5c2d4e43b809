import AnalyticsContract
import ServerFacts
import Testing

@testable import Storage

@Suite struct CredentialTests {
  private let fixture = try! StoreFixture()

  @Test func aTokenHasItsScopeUntilItIsRevoked() async throws {
    let store = try await fixture.open()
    let admin = Secret.random(prefix: TokenScope.admin.prefix)
    let server = Secret.random(prefix: TokenScope.server.prefix)
    try await store.createToken(admin.digest, name: "a", scope: .admin, at: noon)
    try await store.createToken(server.digest, name: "s", scope: .server, at: noon)
    #expect(try await store.scope(ofToken: admin.digest) == .admin)
    #expect(try await store.scope(ofToken: server.digest) == .server)
    #expect(try await store.scope(ofToken: Digest(hashing: "other")) == nil)
    try await store.revokeToken(named: "a", at: noon.advanced(bySeconds: 1))
    #expect(try await store.scope(ofToken: admin.digest) == nil)
    #expect(
      try await store.tokens() == [
        TokenDescription(name: "a", scope: .admin, createdAt: noon, revokedAt: noon.advanced(bySeconds: 1)),
        TokenDescription(name: "s", scope: .server, createdAt: noon, revokedAt: nil),
      ])
  }

  @Test func aNameStandsForOneTokenForEver() async throws {
    let store = try await fixture.open()
    try await store.createToken(Digest(hashing: "1"), name: "a", scope: .admin, at: noon)
    try await store.revokeToken(named: "a", at: noon)
    await #expect(throws: CredentialFailure.nameTaken) {
      try await store.createToken(Digest(hashing: "2"), name: "a", scope: .admin, at: noon)
    }
    await #expect(throws: CredentialFailure.unknownName) { try await store.revokeToken(named: "a", at: noon) }
    await #expect(throws: CredentialFailure.unknownName) { try await store.revokeToken(named: "b", at: noon) }
  }

  @Test func secretsAreLongDifferentAndRedacted() {
    let secrets = (0..<1000).map { _ in Secret.random(prefix: "osga_") }
    #expect(Set(secrets.map(\.text)).count == 1000)
    for secret in secrets {
      #expect(secret.text.utf8.count == 5 + 43)
      #expect(secret.text.hasPrefix("osga_"))
    }
    #expect("\(secrets[0])" == "Secret(redacted)")
  }
}
