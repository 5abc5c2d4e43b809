/// A release identifier such as `2.0.0` or `26.0.1`: 1 to 32 bytes of `A-Z a-z 0-9 . - _ +`.
///
/// The alphabet has no space, so that a device's name or a sentence can't pass as a version.
public struct ReleaseVersion: Sendable, Hashable, Redacted {
  /// The bytes in memory order, followed by zeros: the alphabet has no zero byte, so the length follows from them.
  private var words: (UInt64, UInt64, UInt64, UInt64)

  /// The longest version in bytes.
  public static let maximumLength = 32

  /// - Returns: `nil` where the bytes are too few, too many, or outside the alphabet.
  public init?(_ text: UnsafeBufferPointer<UInt8>) {
    guard (1...Self.maximumLength).contains(text.count), text.allSatisfy(Self.isAllowed) else { return nil }
    words = (0, 0, 0, 0)
    Swift.withUnsafeMutableBytes(of: &words) { $0.copyMemory(from: UnsafeRawBufferPointer(text)) }
  }

  /// Reads a string by the same rules.
  public init?(_ text: String) {
    var text = text
    guard let version = text.withUTF8({ ReleaseVersion($0) }) else { return nil }
    self = version
  }

  /// Whether a byte is in the alphabet.
  public static func isAllowed(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"),
      UInt8(ascii: "+"):
      true
    default: false
    }
  }

  /// The length in bytes, 1 to 32.
  public var count: Int {
    withUnsafeBytes { $0.count }
  }

  /// Lets a closure read the bytes.
  public func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
    try Swift.withUnsafeBytes(of: words) { all in
      try body(UnsafeRawBufferPointer(rebasing: all[..<(all.firstIndex(of: 0) ?? all.count)]))
    }
  }

  /// The version as text.
  public var text: String { withUnsafeBytes { String(decoding: $0, as: UTF8.self) } }

  /// Equal where all bytes are.
  public static func == (left: ReleaseVersion, right: ReleaseVersion) -> Bool {
    left.words.0 == right.words.0 && left.words.1 == right.words.1 && left.words.2 == right.words.2
      && left.words.3 == right.words.3
  }

  /// Feeds the bytes that short versions differ in.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(words.0)
    hasher.combine(words.1)
    if words.1 >> 56 != 0 {
      hasher.combine(words.2)
      hasher.combine(words.3)
    }
  }
}
