import AnalyticsContract
import Ingestion
import Synchronization

/// Why a server can't verify tokens from the start.
public struct SessionKeysError: Error, CustomStringConvertible {
  /// The file.
  public let path: String
  /// What is wrong with it.
  public let failure: SessionKeysFailure

  /// What happened and what to do.
  public var description: String {
    switch failure {
    case .unreadable: "The file \(path) with the keys of sessions can't be read. Check the path and its permissions."
    case .tooLarge: "The file \(path) with the keys of sessions is larger than 1 MiB. Is it the right one?"
    case .noKeySet:
      "The file \(path) with the keys of sessions is no JWK set: expected a JSON object with an array \"keys\"."
    case .noUsableKey:
      "The file \(path) holds no key that sessions can be verified with: expected a public key of EC P-256, RSA from "
        + "2048 bits on, or Ed25519, whose \"use\" and \"alg\", where stated, are for signatures."
    case .ambiguousKeys:
      "The file \(path) with the keys of sessions has several keys that can't be told apart: give each a \"kid\"."
    }
  }
}

/// Verifies account sessions that are JSON Web Tokens, with keys from a file that is read again when it changes.
public final class SessionTokenVerifier: Sendable {
  /// What became of the file while the server was running.
  public enum Change: Sendable, Equatable {
    /// There are new keys, this many.
    case replaced(keys: Int)
    /// The file is of no use as it is now, and the keys stay as they were.
    case kept(SessionKeysFailure)
  }

  /// Longer tokens are refused.
  public static let maximumLength = 4096

  private struct State {
    var keys: SessionKeys
    var version: SessionKeysFile.Version?
    var looked: ContinuousClock.Instant
  }

  private let file: SessionKeysFile
  private let issuer: String?
  private let audience: String?
  private let changed: @Sendable (Change) -> Void
  private let state: Mutex<State>

  /// Reads the keys.
  /// - Parameters:
  ///   - path: a file with a JWK set.
  ///   - issuer: what a token must state as `iss`; `nil`: anything or nothing.
  ///   - audience: what a token must state as `aud`, alone or among others; `nil`: anything or nothing.
  ///   - changed: told when the file has changed, once each time.
  /// - Throws: ``SessionKeysError``.
  public init(
    path: String, issuer: String? = nil, audience: String? = nil,
    changed: @escaping @Sendable (Change) -> Void = { _ in }
  ) throws(SessionKeysError) {
    file = SessionKeysFile(path: path)
    self.issuer = issuer
    self.audience = audience
    self.changed = changed
    let version = file.version
    do throws(SessionKeysFailure) {
      state = Mutex(State(keys: try file.read(), version: version, looked: .now))
    } catch { throw SessionKeysError(path: path, failure: error) }
  }

  /// What a token states, with the account that it is a session of. Whether the account exists, and whether the token was
  /// revoked, is the database's to tell.
  /// - Parameters:
  ///   - token: the token as it came.
  ///   - instant: when it must be valid.
  /// - Returns: `nil` for anything but a token that these keys signed and that is valid then.
  public func session(of token: String, at instant: Instant) -> AccessToken? {
    var token = token
    return token.withUTF8 { session(of: $0, at: instant) }
  }

  private func session(of token: UnsafeBufferPointer<UInt8>, at instant: Instant) -> AccessToken? {
    // Opaque tokens end here, before anything is looked at.
    guard token.count <= Self.maximumLength, let parts = CompactJWS.Text(token), let jws = CompactJWS(parts),
      let header = JSONObject(jws.header), !header.has("crit"),
      let algorithm = header["alg"]?.text.flatMap(SessionAlgorithm.init)
    else { return nil }
    let name = header["kid"]
    if name != nil, name?.text == nil { return nil }
    let signed = UnsafeBufferPointer(rebasing: token[..<jws.signedCount])
    guard let key = keys().key(named: name?.text), key.algorithm == algorithm,
      key.verifies(parts, jws, signed: signed), let claims = JSONObject(jws.payload),
      let account = account(in: claims, at: instant)
    else { return nil }
    // A revocation knows one spelling. Whoever holds the token could write the other one, and would go on.
    let twin = algorithm == .es256 ? Self.twin(of: jws, signed) : nil
    return AccessToken(digest: Digest(hashing: UnsafeRawBufferPointer(token)), account: account, twin: twin)
  }

  private static func twin(of jws: CompactJWS, _ signed: UnsafeBufferPointer<UInt8>) -> Digest {
    let signature = Base64.encodeURL(ECDSASignature.twin(ofRaw: jws.signature))
    return Digest(hashing: String(decoding: signed, as: UTF8.self) + "." + signature)
  }

  private func account(in claims: borrowing JSONObject, at instant: Instant) -> UUIDValue? {
    let now = Double(instant.microseconds) / 1_000_000
    guard let expiry = claims["exp"]?.number, now < expiry else { return nil }
    if let beginning = claims["nbf"] {
      guard let number = beginning.number, number <= now else { return nil }
    }
    if let issuer, claims["iss"]?.text != issuer { return nil }
    if let audience {
      let stated = claims["aud"]
      guard stated?.text == audience || stated?.elements?.contains(where: { $0.text == audience }) == true else {
        return nil
      }
    }
    guard let account = claims["sub"]?.text.flatMap({ UUIDValue(text: $0) }), !account.isNil else { return nil }
    return account
  }

  /// The keys as they are in the file, which is looked at once a second at most, by one thread at a time.
  private func keys() -> SessionKeys {
    let now = ContinuousClock.now
    let (known, isDue) = state.withLock { state in
      guard now - state.looked >= .seconds(1) else { return (state, false) }
      state.looked = now
      return (state, true)
    }
    guard isDue else { return known.keys }
    let version = file.version
    if version == known.version { return known.keys }
    let change: Change
    let keys: SessionKeys
    do throws(SessionKeysFailure) {
      keys = try file.read()
      change = .replaced(keys: keys.count)
    } catch {
      keys = known.keys
      change = .kept(error)
    }
    state.withLock { state in
      state.keys = keys
      state.version = version
    }
    changed(change)
    return keys
  }
}
