import AnalyticsContract

/// The code in the path of an invitation page. It is only ever looked up by its digest.
struct InvitationCode: Redacted {
  /// How many characters a code has.
  static let length = 22

  /// The characters.
  let text: String

  /// What is looked up.
  var digest: Digest { Digest(hashing: text) }

  /// - Parameter path: the path as sent. Escapes are not decoded: a link that was made by the app has none.
  init?(path: String) {
    let bytes = path.utf8.dropFirst(InvitationRoutes.prefix.utf8CodeUnitCount)
    guard bytes.count == Self.length, bytes.allSatisfy(Self.isAllowed) else { return nil }
    text = String(decoding: bytes, as: UTF8.self)
  }

  private static func isAllowed(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
      true
    default: false
    }
  }
}
