import COpenSSL

/// The two forms of an ECDSA signature.
enum ECDSASignature {
  /// Turns the form that a JWS has, both numbers one after the other, into the one that OpenSSL reads.
  /// - Parameters:
  ///   - raw: the two numbers, big-endian.
  ///   - numberLength: the bytes of each.
  /// - Returns: the signature in DER, or `nil` where the length is another.
  static func der(fromRaw raw: [UInt8], numberLength: Int) -> [UInt8]? {
    guard raw.count == 2 * numberLength else { return nil }
    guard let signature = ECDSA_SIG_new() else { fatalError("OpenSSL is out of memory") }
    defer { ECDSA_SIG_free(signature) }
    let numbers = raw.withUnsafeBufferPointer {
      (
        BN_bin2bn($0.baseAddress, Int32(numberLength), nil),
        BN_bin2bn($0.baseAddress! + numberLength, Int32(numberLength), nil)
      )
    }
    guard ECDSA_SIG_set0(signature, numbers.0, numbers.1) == 1 else { fatalError("OpenSSL is out of memory") }
    var encoded: UnsafeMutablePointer<UInt8>?
    let length = i2d_ECDSA_SIG(signature, &encoded)
    guard length > 0, let encoded else { fatalError("OpenSSL is out of memory") }
    defer { CRYPTO_free(encoded, nil, 0) }
    return Array(UnsafeBufferPointer(start: encoded, count: Int(length)))
  }
}
