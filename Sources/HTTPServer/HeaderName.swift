/// The name of a header field, compared without regard to letter case.
public struct HeaderName: Sendable, Hashable, ExpressibleByStringLiteral, CustomStringConvertible {
  /// The name in lower case.
  public let description: String
  let bytes: [UInt8]

  /// Makes a name out of ASCII text in any letter case.
  public init(_ name: String) {
    bytes = name.utf8.map(Self.lowercased)
    description = String(decoding: bytes, as: UTF8.self)
  }

  /// Makes a name out of a literal.
  public init(stringLiteral value: String) { self.init(value) }

  /// Whether text from a request is this name.
  func matches(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    guard text.count == bytes.count else { return false }
    for index in 0..<text.count where Self.lowercased(text[index]) != bytes[index] { return false }
    return true
  }

  static func lowercased(_ byte: UInt8) -> UInt8 { byte >= 0x41 && byte <= 0x5A ? byte | 0x20 : byte }
}
