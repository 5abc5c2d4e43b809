/// The 128 bits of a UUID of any version, read from and written as 8-4-4-4-12 hexadecimal digits.
///
/// Redacted: a UUID in this system names a device's installation, an account or one of their events.
public struct UUIDValue: Sendable, Hashable, Redacted {
  /// The first eight bytes, big-endian.
  public var high: UInt64
  /// The last eight bytes, big-endian.
  public var low: UInt64

  /// - Parameters:
  ///   - high: the first eight bytes, big-endian.
  ///   - low: the last eight bytes, big-endian.
  public init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// A random (version 4) UUID.
  public static func random() -> UUIDValue {
    UUIDValue(
      high: UInt64.random(in: .min ... .max) & ~0xF000 | 0x4000,
      low: UInt64.random(in: .min ... .max) & ~(0b11 << 62) | (0b10 << 62))
  }

  /// All bits zero: what a device reports when it withholds an identifier.
  public var isNil: Bool { high == 0 && low == 0 }

  /// The length of the textual form in bytes.
  public static let textLength = 36

  /// Reads the textual form in either letter case.
  /// - Returns: `nil` where the bytes are not of that form; braces, `urn:` and missing hyphens are not.
  public init?(text: UnsafeBufferPointer<UInt8>) {
    guard text.count == Self.textLength else { return nil }
    var high: UInt64 = 0
    var low: UInt64 = 0
    for position in 0..<Self.textLength {
      let byte = text[position]
      switch position {
      case 8, 13, 18, 23:
        if byte != UInt8(ascii: "-") { return nil }
      default:
        guard let value = hexadecimal(byte) else { return nil }
        if position < 18 { high = high << 4 | value } else { low = low << 4 | value }
      }
    }
    self.init(high: high, low: low)
  }

  /// Reads the textual form in either letter case.
  public init?(text: String) {
    var text = text
    guard let value = text.withUTF8({ UUIDValue(text: $0) }) else { return nil }
    self = value
  }

  /// The 16 bytes in order.
  public var bytes: [UInt8] {
    (0..<16).map { UInt8(truncatingIfNeeded: ($0 < 8 ? high : low) >> UInt64(56 - $0 % 8 * 8)) }
  }

  /// - Parameter bytes: 16 bytes in order; another count gives `nil`.
  public init?(bytes: UnsafeRawBufferPointer) {
    guard bytes.count == 16 else { return nil }
    self.init(
      high: UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)),
      low: UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)))
  }

  /// The textual form: lower case is the canonical form that is hashed, and the clients send item ids in upper case.
  public func text(uppercase: Bool = false) -> String {
    String(unsafeUninitializedCapacity: Self.textLength) { buffer in
      writeText(to: buffer, uppercase: uppercase)
      return Self.textLength
    }
  }

  /// Writes the textual form's 36 bytes to the start of a buffer that holds at least as many.
  func writeText(to buffer: UnsafeMutableBufferPointer<UInt8>, uppercase: Bool) {
    let letters: UInt8 = uppercase ? 0x41 - 10 : 0x61 - 10
    var nibble: UInt64 = 0
    for position in 0..<Self.textLength {
      switch position {
      case 8, 13, 18, 23:
        buffer[position] = UInt8(ascii: "-")
      default:
        let half = nibble < 16 ? high : low
        let value = UInt8(truncatingIfNeeded: half >> (60 - nibble % 16 * 4)) & 0xF
        buffer[position] = value + (value < 10 ? 0x30 : letters)
        nibble += 1
      }
    }
  }
}
