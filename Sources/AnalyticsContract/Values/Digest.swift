#if canImport(CryptoKit)
  import CryptoKit
#else
  import COpenSSL
#endif

/// A SHA-256 digest. Identifiers and credentials exist in this system only as their digests.
public struct Digest: Sendable, Hashable, Redacted {
  /// The 32 bytes as four big-endian words.
  private var words: (UInt64, UInt64, UInt64, UInt64)

  /// The size of a digest in bytes.
  public static let byteCount = 32

  /// - Parameter bytes: the 32 bytes; another count gives `nil`.
  public init?(bytes: UnsafeRawBufferPointer) {
    guard bytes.count == Self.byteCount else { return nil }
    words = (
      bytes.loadUnaligned(as: UInt64.self), bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self),
      bytes.loadUnaligned(fromByteOffset: 16, as: UInt64.self), bytes.loadUnaligned(fromByteOffset: 24, as: UInt64.self)
    )
  }

  /// Lets a closure read the 32 bytes.
  public func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
    try Swift.withUnsafeBytes(of: words, body)
  }

  /// Compares without stopping at the first difference, so that the time taken tells nothing about a stored digest.
  public static func == (left: Digest, right: Digest) -> Bool {
    (left.words.0 ^ right.words.0) | (left.words.1 ^ right.words.1) | (left.words.2 ^ right.words.2)
      | (left.words.3 ^ right.words.3) == 0
  }

  /// Feeds the leading bytes alone: they are uniform already.
  public func hash(into hasher: inout Hasher) { hasher.combine(words.0) }
}

extension Digest {
  /// Reads 64 hexadecimal digits in either letter case; other bytes give `nil`.
  public init?(hexadecimal text: UnsafeBufferPointer<UInt8>) {
    guard text.count == 2 * Self.byteCount else { return nil }
    let bytes = text.indices.lazy.filter { $0 % 2 == 0 }.map { position -> UInt8? in
      guard let high = AnalyticsContract.hexadecimal(text[position]),
        let low = AnalyticsContract.hexadecimal(text[position + 1])
      else { return nil }
      return UInt8(high << 4 | low)
    }
    guard let digest = Array(bytes.compactMap(\.self)).withUnsafeBytes({ Digest(bytes: $0) }) else { return nil }
    self = digest
  }

  /// The SHA-256 digest of some bytes.
  public init(hashing bytes: UnsafeRawBufferPointer) {
    #if canImport(CryptoKit)
      self = SHA256.hash(data: bytes).withUnsafeBytes { Digest(bytes: $0)! }
    #else
      var result: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
      let succeeded = Swift.withUnsafeMutableBytes(of: &result) {
        EVP_Digest(
          bytes.baseAddress, bytes.count, $0.assumingMemoryBound(to: UInt8.self).baseAddress, nil,
          Self.algorithm.pointer, nil)
      }
      // With a fetched algorithm and a buffer of the right size the call can fail only for want of memory.
      precondition(succeeded == 1, "SHA-256 failed: out of memory")
      words = result
    #endif
  }

  /// The SHA-256 digest of a text's UTF-8 bytes.
  public init(hashing text: String) {
    var text = text
    self = text.withUTF8 { Digest(hashing: UnsafeRawBufferPointer($0)) }
  }

  #if !canImport(CryptoKit)
    // Fetched once: looking the algorithm up by name for each digest costs more than the digest. The pointer is to an
    // immutable, reference-counted object that lives as long as the process, so every thread may use it.
    private struct Algorithm: @unchecked Sendable { let pointer: OpaquePointer }
    private static let algorithm = Algorithm(pointer: EVP_MD_fetch(nil, "SHA256", nil))
  #endif
}
