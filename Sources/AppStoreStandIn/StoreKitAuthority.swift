import AnalyticsContract
import COpenSSL
import Foundation

/// Stands for Apple, for the demonstration and for tests: a root, an intermediate and a leaf of its own, which sign
/// whatever is asked for. Every property of a certificate can be made wrong.
public final class StoreKitAuthority: Sendable {
  /// What a certificate is made with.
  public struct Certificate: Sendable {
    /// The curve of its key, or `RSA`.
    public var key = "P-256"
    /// The identifiers of the extensions that mark what it is for.
    public var marks: [String] = []
    /// Its basic constraints, as OpenSSL's configuration files have them; `nil` leaves them out.
    public var constraints: String? = "critical,CA:TRUE"
    /// Its key usage, likewise.
    public var usage: String? = "critical,keyCertSign,cRLSign"
    /// The first second at which it is valid.
    public var validFrom = StoreKitAuthority.signedAt.advanced(bySeconds: -86_400)
    /// The last second at which it is valid.
    public var validUntil = StoreKitAuthority.signedAt.advanced(bySeconds: 86_400)

    /// A root as it should be.
    public static let root = Certificate(key: "P-384")
    /// An intermediate as it should be.
    public static let intermediate = Certificate(key: "P-384", marks: ["1.2.840.113635.100.6.2.1"])
    /// A leaf as it should be.
    public static let leaf = Certificate(
      marks: ["1.2.840.113635.100.6.11.1"], constraints: "critical,CA:FALSE", usage: "critical,digitalSignature")

    /// This certificate with something changed.
    public func with(_ change: (inout Certificate) -> Void) -> Certificate {
      var changed = self
      change(&changed)
      return changed
    }
  }

  /// How a signature is written.
  public enum SignatureForm: CaseIterable, Sendable {
    /// Both numbers one after the other.
    case raw
    /// As ASN.1 in DER.
    case der
  }

  /// When the sample transaction is signed: long ago, so that the chain has expired today.
  public static let signedAt = Instant(microseconds: 1_700_000_000_000_000)

  /// Leaf, intermediate and root in DER.
  public let certificates: [[UInt8]]
  private let leafKey: Key

  /// Makes keys and certificates.
  /// - Parameters:
  ///   - root: the root.
  ///   - intermediate: what the root issues.
  ///   - leaf: what the intermediate issues.
  ///   - leafIssuedByRoot: let the root issue the leaf as well.
  public init(
    root: Certificate = .root, intermediate: Certificate = .intermediate, leaf: Certificate = .leaf,
    leafIssuedByRoot: Bool = false
  ) {
    let keys = [Key(leaf.key), Key(intermediate.key), Key(root.key)]
    let rootDER = Self.issue(root, "Root", keys[2], by: "Root", keys[2])
    let intermediateDER = Self.issue(intermediate, "Intermediate", keys[1], by: "Root", keys[2])
    let leafDER =
      leafIssuedByRoot
      ? Self.issue(leaf, "Leaf", keys[0], by: "Root", keys[2])
      : Self.issue(leaf, "Leaf", keys[0], by: "Intermediate", keys[1])
    certificates = [leafDER, intermediateDER, rootDER]
    leafKey = keys[0]
  }

  /// What a verifier must be told to trust this authority.
  public var rootFingerprint: AnalyticsContract.Digest {
    certificates[2].withUnsafeBytes { AnalyticsContract.Digest(hashing: $0) }
  }

  /// The header of a JWS as JSON.
  /// - Parameters:
  ///   - algorithm: the algorithm.
  ///   - certificates: what it carries, in DER; by default the chain.
  /// - Returns: the JSON.
  public func header(algorithm: String = "ES256", certificates: [[UInt8]]? = nil) -> String {
    let encoded = (certificates ?? self.certificates).map { "\"\(Data($0).base64EncodedString())\"" }
    return #"{"alg":"\#(algorithm)","x5c":[\#(encoded.joined(separator: ","))]}"#
  }

  /// Signs a payload.
  /// - Parameters:
  ///   - payload: the payload's JSON, or anything else.
  ///   - header: the header's JSON; by default the right one.
  ///   - form: how the signature is written.
  /// - Returns: the compact JWS.
  public func sign(_ payload: String, header: String? = nil, form: SignatureForm = .raw) -> String {
    let signed = Self.base64URL(Array((header ?? self.header()).utf8)) + "." + Self.base64URL(Array(payload.utf8))
    return signed + "." + Self.base64URL(leafKey.sign(Array(signed.utf8), form))
  }

  /// Writes bytes as the parts of a JWS are written.
  public static func base64URL(_ bytes: [UInt8]) -> String {
    Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
  }

  private static func issue(
    _ certificate: Certificate, _ name: String, _ key: Key, by issuer: String, _ issuerKey: Key
  ) -> [UInt8] {
    let x509 = X509_new()!
    defer { X509_free(x509) }
    X509_set_version(x509, 2)
    ASN1_INTEGER_set(X509_get_serialNumber(x509), Int.random(in: 1...Int(Int32.max)))
    setName(X509_get_subject_name(x509), name)
    setName(X509_get_issuer_name(x509), issuer)
    ASN1_TIME_set(X509_getm_notBefore(x509), time_t(certificate.validFrom.microseconds / 1_000_000))
    ASN1_TIME_set(X509_getm_notAfter(x509), time_t(certificate.validUntil.microseconds / 1_000_000))
    X509_set_pubkey(x509, key.pointer)
    for (kind, value) in [
      (NID_basic_constraints, certificate.constraints), (NID_key_usage, certificate.usage),
    ] {
      guard let value else { continue }
      let ext = X509V3_EXT_conf_nid(nil, nil, kind, value)!
      X509_add_ext(x509, ext, -1)
      X509_EXTENSION_free(ext)
    }
    for mark in certificate.marks {
      let object = OBJ_txt2obj(mark, 1)!
      let null = ASN1_OCTET_STRING_new()!
      ASN1_OCTET_STRING_set(null, [5, 0], 2)
      let ext = X509_EXTENSION_create_by_OBJ(nil, object, 0, null)!
      X509_add_ext(x509, ext, -1)
      X509_EXTENSION_free(ext)
      ASN1_OCTET_STRING_free(null)
      ASN1_OBJECT_free(object)
    }
    precondition(X509_sign(x509, issuerKey.pointer, EVP_sha256()) > 0, "a certificate can't be signed")
    var encoded: UnsafeMutablePointer<UInt8>?
    let length = i2d_X509(x509, &encoded)
    defer { CRYPTO_free(encoded, nil, 0) }
    return Array(UnsafeBufferPointer(start: encoded!, count: Int(length)))
  }

  private static func setName(_ name: OpaquePointer?, _ text: String) {
    X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_FLAG | 1, Array(text.utf8), Int32(text.utf8.count), -1, 0)
  }

  // OpenSSL's keys may be used from every thread once they are made, and are not changed here.
  private final class Key: @unchecked Sendable {
    let pointer: OpaquePointer

    init(_ kind: String) {
      let context = EVP_PKEY_CTX_new_id(kind == "RSA" ? EVP_PKEY_RSA : EVP_PKEY_EC, nil)!
      defer { EVP_PKEY_CTX_free(context) }
      EVP_PKEY_keygen_init(context)
      if kind == "RSA" {
        EVP_PKEY_CTX_ctrl_str(context, "rsa_keygen_bits", "2048")
      } else {
        EVP_PKEY_CTX_set_group_name(context, kind)
      }
      var key: OpaquePointer?
      precondition(EVP_PKEY_generate(context, &key) == 1, "a key can't be made")
      pointer = key!
    }

    deinit { EVP_PKEY_free(pointer) }

    func sign(_ bytes: [UInt8], _ form: SignatureForm) -> [UInt8] {
      let context = EVP_MD_CTX_new()!
      defer { EVP_MD_CTX_free(context) }
      EVP_DigestSignInit(context, nil, EVP_sha256(), nil, pointer)
      var length = 512
      var signature = [UInt8](repeating: 0, count: length)
      precondition(EVP_DigestSign(context, &signature, &length, bytes, bytes.count) == 1, "no signature can be made")
      let der = Array(signature.prefix(length))
      return form == .raw ? Self.raw(der) ?? der : der
    }

    /// Both numbers as long as the longer of 32 bytes and what they need; `nil` where it is no ECDSA signature.
    private static func raw(_ der: [UInt8]) -> [UInt8]? {
      der.withUnsafeBufferPointer { buffer in
        var position = buffer.baseAddress
        guard let signature = d2i_ECDSA_SIG(nil, &position, buffer.count) else { return nil }
        defer { ECDSA_SIG_free(signature) }
        let numbers = [ECDSA_SIG_get0_r(signature), ECDSA_SIG_get0_s(signature)]
        let length = max(32, numbers.map { Int(BN_num_bits($0) + 7) / 8 }.max()!)
        return numbers.flatMap { number in
          [UInt8](unsafeUninitializedCapacity: length) { bytes, count in
            BN_bn2binpad(number, bytes.baseAddress, Int32(length))
            count = length
          }
        }
      }
    }
  }
}
