import AnalyticsContract
import COpenSSL

/// Leaf, intermediate and root of a transaction, as OpenSSL's objects, which end with this value.
struct StoreKitCertificateChain: ~Copyable {
  /// How many certificates a chain has.
  static let length = 3

  private let leaf: OpaquePointer
  private let intermediate: OpaquePointer
  private let root: OpaquePointer

  /// What Apple marks a certificate with that signs receipts and transactions.
  private static let leafMark: StaticString = "1.2.840.113635.100.6.11.1"
  /// What Apple marks the authority with that issues such certificates.
  private static let intermediateMark: StaticString = "1.2.840.113635.100.6.2.1"
  /// The level of OpenSSL that asks for the strength of 112 bits everywhere, which SHA-1 does not have.
  private static let securityLevel: Int32 = 2

  /// - Parameter encoded: leaf, intermediate and root in DER.
  /// - Throws: `certificates` where one is none.
  init(_ encoded: [[UInt8]]) throws(StoreKitRefusal) {
    let certificates = encoded.map(Self.certificate)
    guard certificates.count == Self.length, let leaf = certificates[0], let intermediate = certificates[1],
      let root = certificates[2]
    else {
      for certificate in certificates { X509_free(certificate) }
      throw .certificates
    }
    self.leaf = leaf
    self.intermediate = intermediate
    self.root = root
  }

  deinit {
    X509_free(leaf)
    X509_free(intermediate)
    X509_free(root)
  }

  /// Makes sure that these three are a chain with the root as its only anchor, marked as Apple marks them, and that each
  /// was valid at an instant. No revocation list is asked, and no folder of the system's certificates.
  /// - Parameter instant: when the transaction was signed.
  /// - Throws: `mark`, `key` or `chain`.
  func validate(at instant: Instant) throws(StoreKitRefusal) {
    guard Self.hasMark(Self.leafMark, leaf), Self.hasMark(Self.intermediateMark, intermediate) else { throw .mark }
    guard hasSigningKey else { throw .key }
    // 1: an authority by its basic constraints and its key usage. OpenSSL counts other things as half an authority too.
    guard X509_check_ca(intermediate) == 1, X509_check_ca(root) == 1 else { throw .chain }
    guard let store = X509_STORE_new(), let untrusted = OPENSSL_sk_new_null(), let context = X509_STORE_CTX_new() else {
      fatalError("OpenSSL is out of memory")
    }
    defer {
      X509_STORE_CTX_free(context)
      OPENSSL_sk_free(untrusted)
      X509_STORE_free(store)
    }
    guard X509_STORE_add_cert(store, root) == 1,
      OPENSSL_sk_push(untrusted, UnsafeRawPointer(intermediate)) == 1,
      X509_STORE_CTX_init(context, store, leaf, untrusted) == 1
    else { throw .chain }
    let parameters = X509_STORE_CTX_get0_param(context)
    X509_VERIFY_PARAM_set_time(parameters, time_t(instant.microseconds / 1_000_000))
    X509_VERIFY_PARAM_set_purpose(parameters, X509_PURPOSE_ANY)
    X509_VERIFY_PARAM_set_auth_level(parameters, Self.securityLevel)
    // A leaf that the root issued itself would be valid too, beside an intermediate that has nothing to do with it.
    guard X509_verify_cert(context) == 1, let chain = X509_STORE_CTX_get0_chain(context),
      OPENSSL_sk_num(chain) == Int32(Self.length), let second = OPENSSL_sk_value(chain, 1),
      X509_cmp(OpaquePointer(second), intermediate) == 0
    else { throw .chain }
  }

  /// Makes sure that a signature is the leaf's, with ECDSA and SHA-256.
  /// - Parameters:
  ///   - signature: both numbers in 32 bytes each, as a JWS has them, or in DER, as some tools write them.
  ///   - bytes: what is signed.
  /// - Throws: `signature`.
  func expectSignature(_ signature: [UInt8], of bytes: UnsafeBufferPointer<UInt8>) throws(StoreKitRefusal) {
    if let converted = ECDSASignature.der(fromRaw: signature, numberLength: 32), isSignature(converted, of: bytes) {
      return
    }
    // What is 64 bytes long may be DER all the same.
    guard signature.first == 0x30, isSignature(signature, of: bytes) else { throw .signature }
  }

  private func isSignature(_ signature: [UInt8], of bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    guard let context = EVP_MD_CTX_new() else { fatalError("OpenSSL is out of memory") }
    defer { EVP_MD_CTX_free(context) }
    return EVP_DigestVerifyInit(context, nil, EVP_sha256(), nil, X509_get0_pubkey(leaf)) == 1
      && EVP_DigestVerify(context, signature, signature.count, bytes.baseAddress, bytes.count) == 1
  }

  /// Whether the leaf's key is one of P-256, and may sign where the certificate limits what it may.
  private var hasSigningKey: Bool {
    guard let key = X509_get0_pubkey(leaf), EVP_PKEY_get_base_id(key) == EVP_PKEY_EC else { return false }
    var name = [CChar](repeating: 0, count: 32)
    var length = 0
    guard EVP_PKEY_get_group_name(key, &name, name.count, &length) == 1 else { return false }
    return String(decoding: name.prefix(length).map(UInt8.init(bitPattern:)), as: UTF8.self) == "prime256v1"
      && X509_get_key_usage(leaf) & UInt32(X509v3_KU_DIGITAL_SIGNATURE) != 0
  }

  private static func hasMark(_ mark: StaticString, _ certificate: OpaquePointer) -> Bool {
    guard let object = OBJ_txt2obj("\(mark)", 1) else { fatalError("OpenSSL is out of memory") }
    defer { ASN1_OBJECT_free(object) }
    return X509_get_ext_by_OBJ(certificate, object, -1) >= 0
  }

  /// Reads a certificate; what follows it makes it none.
  private static func certificate(_ bytes: [UInt8]) -> OpaquePointer? {
    bytes.withUnsafeBufferPointer { buffer in
      var position = buffer.baseAddress
      guard let certificate = d2i_X509(nil, &position, buffer.count) else { return nil }
      if position == buffer.baseAddress! + buffer.count { return certificate }
      X509_free(certificate)
      return nil
    }
  }
}
