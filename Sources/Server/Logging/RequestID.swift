import Synchronization

/// Names one request in its `X-Request-Id` header and in its log lines, and says nothing about its sender.
///
/// Making one costs one atomic addition: a Weyl sequence through the SplitMix64 finaliser, a bijection, so no two of a
/// process are alike until all 2⁶⁴ are used. The start is random for each process. The next one can be predicted from
/// the last; it is a name, never a secret.
public struct RequestID: Hashable, Sendable, CustomStringConvertible {
  private static let sequence = Atomic<UInt64>(UInt64.random(in: .min ... .max))

  /// The 64 bits.
  public let rawValue: UInt64

  /// Makes a new identifier.
  public init() {
    var bits = Self.sequence.wrappingAdd(0x9E37_79B9_7F4A_7C15, ordering: .relaxed).newValue
    bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
    bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
    rawValue = bits ^ (bits >> 31)
  }

  /// Takes given bits, for tests.
  public init(rawValue: UInt64) { self.rawValue = rawValue }

  /// 16 lower-case hexadecimal digits, leading zeros included.
  public var description: String {
    String(unsafeUninitializedCapacity: 16) { buffer in
      for index in 0..<16 { buffer[index] = digit(index) }
      return 16
    }
  }

  /// Appends the 16 digits without making a `String`.
  func write(to bytes: inout [UInt8]) {
    for index in 0..<16 { bytes.append(digit(index)) }
  }

  private func digit(_ index: Int) -> UInt8 {
    let nibble = UInt8(truncatingIfNeeded: rawValue >> UInt64(60 - 4 * index)) & 15
    return nibble < 10 ? UInt8(ascii: "0") + nibble : UInt8(ascii: "a") + nibble - 10
  }
}
