import AnalyticsContract
import CJOSE
import COpenSSL

/// How a session's token may be signed.
enum SessionAlgorithm: String, CaseIterable {
  case es256 = "ES256"
  case rs256 = "RS256"
  case edDSA = "EdDSA"
}

/// A public key of the account server. Only the members that make the public key are kept, as bytes: libjose's values
/// count their references, and one that every thread verified with would have to be guarded.
struct SessionKey: Sendable {
  /// The key's name in the header of a token.
  let id: String?
  /// The only algorithm that the key is used with.
  let algorithm: SessionAlgorithm
  /// The key as JSON; for Ed25519, which libjose does not know, its 32 bytes.
  private let material: [UInt8]

  /// - Parameter members: an element of a JWK set. What is no public key for signatures of an algorithm above, or is
  ///   meant for something else, gives `nil`.
  init?(_ members: JSONMember) {
    let (type, curve) = (members["kty"]?.text, members["crv"]?.text)
    let names: [StaticString]
    switch (type, curve) {
    case ("EC", "P-256"): (algorithm, names) = (.es256, ["kty", "crv", "x", "y"])
    case ("RSA", nil): (algorithm, names) = (.rs256, ["kty", "n", "e"])
    case ("OKP", "Ed25519"): (algorithm, names) = (.edDSA, ["x"])
    default: return nil
    }
    if let stated = members["alg"], stated.text != algorithm.rawValue { return nil }
    if let use = members["use"], use.text != "sig" { return nil }
    if let operations = members["key_ops"] {
      guard operations.elements?.contains(where: { $0.text == "verify" }) == true else { return nil }
    }
    if let name = members["kid"] {
      guard let text = name.text else { return nil }
      id = text
    } else {
      id = nil
    }
    var texts: [(StaticString, String)] = []
    for name in names {
      guard let text = members[name]?.text else { return nil }
      texts.append((name, text))
    }
    switch algorithm {
    case .edDSA:
      var encoded = texts[0].1
      guard let bytes = encoded.withUTF8(Base64.url.decode), bytes.count == Self.edDSAKeyLength else { return nil }
      material = bytes
    case .es256, .rs256:
      // None of the texts needs an escape: their bytes are base64url, as is made sure here, or names from above.
      for (name, var text) in texts where "\(name)" != "kty" && "\(name)" != "crv" {
        guard let bytes = text.withUTF8(Base64.url.decode) else { return nil }
        if "\(name)" == "n", bytes.drop(while: { $0 == 0 }).count < Self.smallestModulus { return nil }
      }
      material = Array(("{" + texts.map { "\"\($0)\":\"\($1)\"" }.joined(separator: ",") + "}").utf8)
      guard isKey else { return nil }
    }
  }

  private static let edDSAKeyLength = 32
  /// RFC 7518 asks for 2,048 bits.
  private static let smallestModulus = 256

  /// Whether a token's signature is this key's.
  /// - Parameters:
  ///   - parts: the three parts of the token as they are written.
  ///   - token: the parts in the clear.
  ///   - signed: the first two parts and the dot between them.
  /// - Returns: `false` for any other signature.
  func verifies(
    _ parts: CompactJWS.Text, _ token: CompactJWS, signed: UnsafeBufferPointer<UInt8>
  ) -> Bool {
    // libjose and OpenSSL leave complaints in the thread's queue.
    defer { ERR_clear_error() }
    switch algorithm {
    case .edDSA: return verifiesEdDSA(token.signature, of: signed)
    case .es256, .rs256:
      guard let key = JSONObject(material), let jws = json_object() else { return false }
      defer { json_decref(jws) }
      for (name, part) in [("protected", parts.header), ("payload", parts.payload), ("signature", parts.signature)] {
        let text = part.withMemoryRebound(to: CChar.self) { json_stringn($0.baseAddress, $0.count) }
        guard json_object_set_new(jws, name, text) == 0 else { return false }
      }
      return withSilentJOSE { jose_jws_ver($0, jws, nil, key.pointer, false) }
    }
  }

  private func verifiesEdDSA(_ signature: [UInt8], of bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    guard let key = EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nil, material, material.count),
      let context = EVP_MD_CTX_new()
    else { return false }
    defer {
      EVP_MD_CTX_free(context)
      EVP_PKEY_free(key)
    }
    return EVP_DigestVerifyInit(context, nil, nil, nil, key) == 1
      && EVP_DigestVerify(context, signature, signature.count, bytes.baseAddress, bytes.count) == 1
  }

  /// Whether libjose takes the members for a key: a point that is not on the curve is none.
  private var isKey: Bool {
    defer { ERR_clear_error() }
    guard let key = JSONObject(material) else { return false }
    return withSilentJOSE { configuration in
      guard let pointer = jose_openssl_jwk_to_EVP_PKEY(configuration, key.pointer) else { return false }
      EVP_PKEY_free(pointer)
      return true
    }
  }
}

/// Calls libjose with a configuration that says nothing: without one it would write to standard error, and what it
/// writes holds parts of what it was given.
private func withSilentJOSE(_ body: (OpaquePointer) -> Bool) -> Bool {
  guard let configuration = jose_cfg() else { return false }
  defer { jose_cfg_decref(configuration) }
  jose_cfg_set_err_func(configuration, { _, _, _, _, _, _ in }, nil)
  return body(configuration)
}
