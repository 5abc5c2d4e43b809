import ServerFacts
import Testing

@Suite struct Secrets {
  @Test(arguments: TokenScope.allCases) func areNeverTheSameAndSayWhatTheyAre(_ scope: TokenScope) {
    let secrets = (0..<100).map { _ in Secret.random(prefix: scope.prefix) }
    #expect(Set(secrets.map(\.text)).count == 100)
    for secret in secrets {
      #expect(secret.text.hasPrefix("\(scope.prefix)"))
      // 32 bytes in base64url.
      #expect(secret.text.dropFirst(5).count == 43)
      #expect(!"\(secret)".contains(secret.text.dropFirst(5)))
    }
  }
}
