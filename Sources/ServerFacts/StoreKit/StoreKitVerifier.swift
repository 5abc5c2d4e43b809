import AnalyticsContract
import COpenSSL

/// Believes what the App Store signed, and nothing else. It needs neither network nor database: the JWS carries its
/// certificates, and their root is known by its fingerprint.
///
/// Nothing asks whether a certificate was revoked: that would tell Apple, or whoever listens, when each transaction came.
public struct StoreKitVerifier: Sendable {
  /// What is accepted.
  public struct Configuration: Sendable {
    /// The fingerprint of Apple Root CA - G3, which signs the App Store's chain.
    public static let appleRootFingerprint =
      ("63343abfb89a6a03ebb57e9b3f5fa7be7c4f5c756f3017b3a8c488c3653e9179"
      as StaticString).withUTF8Buffer { Digest(hexadecimal: $0)! }

    /// The SHA-256 digests of the DER forms of the roots that are trusted.
    public var rootFingerprints: Set<Digest>
    /// The apps whose transactions are accepted.
    public var bundleIDs: Set<String>
    /// Whether transactions of the sandbox, which cost nobody anything, are accepted too.
    public var allowsSandbox: Bool

    /// - Parameters:
    ///   - rootFingerprints: the SHA-256 digests of the DER forms of the roots that are trusted.
    ///   - bundleIDs: the apps whose transactions are accepted.
    ///   - allowsSandbox: whether transactions of the sandbox are accepted too.
    public init(
      rootFingerprints: Set<Digest> = [appleRootFingerprint], bundleIDs: Set<String>, allowsSandbox: Bool = false
    ) {
      self.rootFingerprints = rootFingerprints
      self.bundleIDs = bundleIDs
      self.allowsSandbox = allowsSandbox
    }
  }

  /// Longer ones are not looked at. A transaction with its three certificates takes about 6 KiB.
  public static let maximumLength = 64 * 1024

  private let configuration: Configuration

  /// - Parameter configuration: what is accepted.
  public init(_ configuration: Configuration) { self.configuration = configuration }

  /// Verifies a transaction and reads it. Of what it states only the time of signing is used before the signature holds.
  /// - Parameter jws: the compact JWS that StoreKit or the App Store issued.
  /// - Returns: what is kept of the transaction.
  /// - Throws: ``StoreKitRefusal``.
  public func verify(_ jws: UnsafeBufferPointer<UInt8>) throws(StoreKitRefusal) -> StoreKitTransaction {
    guard jws.count <= Self.maximumLength, let parts = CompactJWS.Text(jws).flatMap(CompactJWS.init) else {
      throw .malformed
    }
    let encoded = try Self.certificates(inHeader: parts.header)
    guard let root = encoded.last, configuration.rootFingerprints.contains(Digest(hashing: root)) else { throw .root }
    let payload = try StoreKitPayload(parts.payload)
    // OpenSSL keeps its complaints in a queue of the thread, where the next one to ask would find them.
    defer { ERR_clear_error() }
    let chain = try StoreKitCertificateChain(encoded)
    try chain.validate(at: try payload.signedAt)
    try chain.expectSignature(parts.signature, of: UnsafeBufferPointer(rebasing: jws[..<parts.signedCount]))
    return try payload.transaction(configuration)
  }

  /// The certificates in DER: leaf, intermediate, root.
  private static func certificates(inHeader header: [UInt8]) throws(StoreKitRefusal) -> [[UInt8]] {
    guard let header = JSONObject(header) else { throw .malformed }
    guard header["alg"]?.text == "ES256", !header.has("crit") else { throw .algorithm }
    guard let elements = header["x5c"]?.elements, elements.count == StoreKitCertificateChain.length else {
      throw .certificates
    }
    var certificates: [[UInt8]] = []
    for element in elements {
      guard var text = element.text, let bytes = text.withUTF8(Base64.standard.decode) else { throw .certificates }
      certificates.append(bytes)
    }
    return certificates
  }
}

extension Digest {
  fileprivate init(hashing bytes: [UInt8]) {
    self = bytes.withUnsafeBytes { Digest(hashing: $0) }
  }
}
