/// CRC-32 (IEEE 802.3), as gzip uses it: it finds every change of up to 32 bits in a row.
struct Checksum {
  private static let table: [UInt32] = (0..<256).map { index in
    (0..<8).reduce(UInt32(index)) { value, _ in value & 1 == 0 ? value >> 1 : value >> 1 ^ 0xEDB8_8320 }
  }

  /// The checksum of some bytes.
  static func of(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
    table.withUnsafeBufferPointer { table in
      ~bytes.reduce(~UInt32(0)) { $0 >> 8 ^ table[Int(UInt8(truncatingIfNeeded: $0) ^ $1)] }
    }
  }

  /// The bytes followed by their checksum, least significant byte first.
  static func sealing(_ bytes: [UInt8]) -> [UInt8] {
    let checksum = bytes.withUnsafeBytes { of($0) }
    return bytes + (0..<4).map { UInt8(truncatingIfNeeded: checksum >> ($0 * 8)) }
  }

  /// The bytes in front of their checksum; `nil` where it is another one.
  static func opening(_ sealed: ArraySlice<UInt8>) -> [UInt8]? {
    guard sealed.count >= 4 else { return nil }
    let bytes = Array(sealed.dropLast(4))
    return sealing(bytes).suffix(4).elementsEqual(sealed.suffix(4)) ? bytes : nil
  }
}
