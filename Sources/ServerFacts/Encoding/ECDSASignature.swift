import COpenSSL

/// The two forms of an ECDSA signature.
enum ECDSASignature {
  /// The order of P-256, big-endian.
  private static let order: [UInt8] =
    [0xFF, 0xFF, 0xFF, 0xFF, 0x00, 0x00, 0x00, 0x00] + [UInt8](repeating: 0xFF, count: 8)
    + [0xBC, 0xE6, 0xFA, 0xAD, 0xA7, 0x17, 0x9E, 0x84, 0xF3, 0xB9, 0xCA, 0xC2, 0xFC, 0x63, 0x25, 0x51]

  /// The other signature that holds where one of P-256 does: ECDSA can't tell the second number from its negative, and
  /// anyone can make the one from the other.
  /// - Parameter raw: a valid signature, both numbers one after the other.
  /// - Returns: the signature with the order minus the second number.
  static func twin(ofRaw raw: [UInt8]) -> [UInt8] {
    var twin = raw
    var borrow = 0
    for position in order.indices.reversed() {
      let difference = Int(order[position]) - Int(raw[order.count + position]) - borrow
      borrow = difference < 0 ? 1 : 0
      twin[order.count + position] = UInt8(truncatingIfNeeded: difference)
    }
    return twin
  }

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
