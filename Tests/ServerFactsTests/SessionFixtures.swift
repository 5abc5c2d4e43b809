import AnalyticsContract
import Foundation
import ServerFacts
import Synchronization
import TestSupport
import Testing

/// The instant that these tests happen at.
let now = Instant(microseconds: 1_795_953_600_500_000)

/// The keys of the tests that need none of their own.
let sessionKeys = ["ES256", "RS256", "EdDSA"].map { SessionSigner($0, id: "key of \($0)") }

/// The account that tokens are of where nothing else is said.
let account = UUIDValue(text: "5d0f9c0e-8f43-4d4e-b0a3-0f6d2f6a7c55")!

/// The claims of a good token, with some changed.
/// - Parameter changes: values as JSON; `nil` leaves a member out.
/// - Returns: the JSON.
func claims(_ changes: [String: String?] = [:]) -> String {
  var members = [
    "sub": "\"\(account.text())\"", "iss": #""https://accounts.example""#, "aud": #""analytics""#,
    "exp": "1795953601", "nbf": "1795953600", "iat": "1795953000", "jti": #""a""#,
  ]
  for (name, value) in changes { members[name] = value }
  return "{" + members.sorted { $0.key < $1.key }.map { "\"\($0.key)\":\($0.value)" }.joined(separator: ",") + "}"
}

/// A file with keys and a verifier that reads it.
final class SessionFixture: Sendable {
  private let folder: TemporaryFolder
  let verifier: SessionTokenVerifier

  init(_ keys: String? = nil, issuer: String? = nil, audience: String? = nil) throws {
    folder = try TemporaryFolder()
    let path = folder.file("keys.json")
    try (keys ?? SessionSigner.set(sessionKeys.map(\.publicKey))).write(toFile: path, atomically: true, encoding: .utf8)
    let told = Told()
    verifier = try SessionTokenVerifier(path: path, issuer: issuer, audience: audience) { change in
      told.changes.withLock { $0.append(change) }
    }
    self.told = told
  }

  deinit { folder.remove() }

  private final class Told: Sendable {
    let changes = Mutex<[SessionTokenVerifier.Change]>([])
  }
  private let told: Told

  var path: String { folder.file("keys.json") }
  var changes: [SessionTokenVerifier.Change] { told.changes.withLock { $0 } }

  func account(_ token: String, at instant: Instant = now) -> UUIDValue? {
    let session = verifier.session(of: token, at: instant)
    #expect(session == nil || session?.digest == Digest(hashing: token))
    return session?.account
  }
}
