import CJOSE
import COpenSSL
import Foundation

/// A key of the account server, which signs tokens as that would, and as others would who want to pass for it.
public final class SessionSigner: Sendable {
  /// What the key is for.
  public let algorithm: String
  /// The key's name.
  public let id: String?
  /// The whole key as JSON; of Ed25519 the secret 32 bytes in base64url.
  private let key: String
  /// The public key as JSON.
  public let publicKey: String

  /// Makes a key.
  /// - Parameters:
  ///   - algorithm: `ES256`, `ES384`, `RS256`, `EdDSA` or any other that libjose has.
  ///   - id: its name in the header of tokens and in the set; `nil` leaves it out.
  ///   - secret: the secret of a symmetric key; `nil` makes a key.
  public init(_ algorithm: String, id: String? = nil, secret: [UInt8]? = nil) {
    self.algorithm = algorithm
    self.id = id
    if algorithm == "EdDSA" {
      (key, publicKey) = Self.makeEd25519(id)
      return
    }
    var template: [String: Any] = ["alg": algorithm]
    template["kid"] = id
    if let secret {
      template["kty"] = "oct"
      template["k"] = StoreKitAuthority.base64URL(secret)
    }
    if algorithm.hasPrefix("RS") {
      template["kty"] = "RSA"
      template["bits"] = 2048
    }
    let jwk = JSON(Self.json(template))
    if secret == nil { precondition(jose_jwk_gen(nil, jwk.pointer), "a key can't be made") }
    key = jwk.text
    precondition(jose_jwk_pub(nil, jwk.pointer), "a key has no public part")
    publicKey = jwk.text
  }

  /// A set of public keys.
  public static func set(_ keys: [String]) -> String { #"{"keys":[\#(keys.joined(separator: ","))]}"# }

  /// The set of this key alone.
  public var set: String { Self.set([publicKey]) }

  /// The public key with other members.
  /// - Parameter changes: values; `nil` leaves a member out.
  /// - Returns: the key's JSON.
  public func publicKey(_ changes: [String: Any?]) -> String {
    var members = try! JSONSerialization.jsonObject(with: Data(publicKey.utf8)) as! [String: Any]
    for (name, value) in changes { members[name] = value }
    return Self.json(members)
  }

  /// Signs a token.
  /// - Parameters:
  ///   - claims: the claims' JSON, or anything else.
  ///   - changes: changes to the header; `nil` leaves a member out.
  /// - Returns: the compact JWS.
  public func sign(_ claims: String, header changes: [String: Any?] = [:]) -> String {
    var header: [String: Any] = ["alg": algorithm, "typ": "JWT"]
    header["kid"] = id
    for (name, value) in changes { header[name] = value }
    let protected = StoreKitAuthority.base64URL(Array(Self.json(header).utf8))
    let payload = StoreKitAuthority.base64URL(Array(claims.utf8))
    if algorithm == "EdDSA" {
      let signed = protected + "." + payload
      return signed + "." + StoreKitAuthority.base64URL(signEd25519(Array(signed.utf8)))
    }
    let jws = JSON(#"{"payload":"\#(payload)"}"#)
    let template = JSON(#"{"protected":"\#(protected)"}"#)
    let jwk = JSON(key)
    precondition(jose_jws_sig(nil, jws.pointer, template.pointer, jwk.pointer), "a token can't be signed")
    let members = try! JSONSerialization.jsonObject(with: Data(jws.text.utf8)) as! [String: Any]
    return "\(members["protected"]!).\(payload).\(members["signature"]!)"
  }

  private static func json(_ members: [String: Any]) -> String {
    let data = try! JSONSerialization.data(withJSONObject: members, options: [.sortedKeys, .withoutEscapingSlashes])
    return String(decoding: data, as: UTF8.self)
  }

  // MARK: - Ed25519, which libjose does not have

  private static func makeEd25519(_ id: String?) -> (key: String, publicKey: String) {
    var secret = [UInt8](repeating: 0, count: 32)
    for index in secret.indices { secret[index] = .random(in: .min ... .max) }
    let pair = EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, nil, secret, secret.count)!
    defer { EVP_PKEY_free(pair) }
    var point = [UInt8](repeating: 0, count: 32)
    var length = point.count
    precondition(EVP_PKEY_get_raw_public_key(pair, &point, &length) == 1, "a key has no public part")
    var members: [String: Any] = [
      "kty": "OKP", "crv": "Ed25519", "alg": "EdDSA", "x": StoreKitAuthority.base64URL(point),
    ]
    members["kid"] = id
    let publicKey = json(members)
    return (StoreKitAuthority.base64URL(secret), publicKey)
  }

  private func signEd25519(_ bytes: [UInt8]) -> [UInt8] {
    let base64 = key.replacing("-", with: "+").replacing("_", with: "/") + "="
    let secret = Array(Data(base64Encoded: base64)!)
    let pair = EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, nil, secret, secret.count)!
    let context = EVP_MD_CTX_new()!
    defer {
      EVP_MD_CTX_free(context)
      EVP_PKEY_free(pair)
    }
    var signature = [UInt8](repeating: 0, count: 64)
    var length = signature.count
    precondition(
      EVP_DigestSignInit(context, nil, nil, nil, pair) == 1
        && EVP_DigestSign(context, &signature, &length, bytes, bytes.count) == 1, "a token can't be signed")
    return signature
  }
}

/// A value of jansson, which ends with this one.
private final class JSON {
  let pointer: UnsafeMutablePointer<json_t>

  init(_ text: String) {
    guard let value = json_loads(text, 0, nil) else { preconditionFailure("no JSON") }
    pointer = value
  }

  deinit { json_decref(pointer) }

  var text: String {
    let bytes = json_dumps(pointer, Int(JSON_SORT_KEYS))!
    defer { free(bytes) }
    return String(cString: bytes)
  }
}
