/// The two alphabets of base64.
enum Base64 {
  /// The alphabet of certificates in a JWS header (RFC 4648, section 4), padded.
  case standard
  /// The alphabet of JWS parts (RFC 4648, section 5), not padded.
  case url

  /// Decodes strictly: no line breaks, no other characters, padding exactly where the alphabet has it, and no bits set
  /// beyond the last byte. So one sequence of bytes has one text, and a changed text never means the same.
  /// - Parameter text: what to decode.
  /// - Returns: `nil` where the text is not base64.
  func decode(_ text: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
    var end = text.count
    if self == .standard {
      if end % 4 != 0 { return nil }
      for _ in 0..<2 where end > 0 && text[end - 1] == UInt8(ascii: "=") { end -= 1 }
    }
    if end % 4 == 1 { return nil }
    let values = self == .standard ? Self.standardValues : Self.urlValues
    var bytes: [UInt8] = []
    bytes.reserveCapacity(end / 4 * 3 + 2)
    var bits: UInt32 = 0
    var count: UInt32 = 0
    for position in 0..<end {
      let value = values[Int(text[position])]
      if value == Self.noValue { return nil }
      bits = bits << 6 | UInt32(value)
      count += 6
      if count >= 8 {
        count -= 8
        bytes.append(UInt8(truncatingIfNeeded: bits >> count))
        bits &= 1 << count - 1
      }
    }
    return bits == 0 ? bytes : nil
  }

  /// Encodes in base64url.
  static func encodeURL(_ bytes: [UInt8]) -> String {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
    var text = ""
    var bits: UInt32 = 0
    var count = 0
    for byte in bytes {
      bits = bits << 8 | UInt32(byte)
      count += 8
      while count >= 6 {
        count -= 6
        text.append(alphabet[Int(bits >> UInt32(count) & 63)])
      }
    }
    if count > 0 { text.append(alphabet[Int(bits << UInt32(6 - count) & 63)]) }
    return text
  }

  private static let noValue: UInt8 = 0xFF
  private static let standardValues = values("+/")
  private static let urlValues = values("-_")

  /// The value of each byte in an alphabet with these last two characters.
  private static func values(_ last: String) -> [UInt8] {
    var values = [UInt8](repeating: noValue, count: 256)
    let alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789" + last
    for (value, character) in alphabet.utf8.enumerated() { values[Int(character)] = UInt8(value) }
    return values
  }
}
