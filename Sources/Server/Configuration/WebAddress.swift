/// An absolute http or https address, taken apart as far as pages and links need it.
struct WebAddress {
  /// Whether the scheme is https.
  let isSecure: Bool
  /// What follows host and port: path, query and fragment.
  let rest: Substring

  /// `nil` for what is no such address, or names a user.
  init?(_ text: String) {
    isSecure = text.hasPrefix("https://")
    guard isSecure || text.hasPrefix("http://") else { return nil }
    // RFC 3986's characters but the apostrophe, which HTML gives a meaning to in places.
    guard text.utf8.allSatisfy(Self.isAllowed) else { return nil }
    let start = text.index(text.startIndex, offsetBy: isSecure ? 8 : 7)
    let end = text[start...].firstIndex { "/?#".contains($0) } ?? text.endIndex
    rest = text[end...]
    guard Self.isAuthority(text[start..<end]) else { return nil }
  }

  private static func isAllowed(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: "-._~:/?#[]@!$&()*+,;=%".utf8.contains(byte)
    }
  }

  private static func isAuthority(_ text: Substring) -> Bool {
    var host = text
    let bracket = text.lastIndex(of: "]")
    if let colon = text.lastIndex(of: ":"), bracket.map({ $0 < colon }) ?? true {
      guard let port = decimal(text[text.index(after: colon)...]), (1...65_535).contains(port) else { return false }
      host = text[..<colon]
    }
    if host.hasPrefix("["), host.hasSuffix("]") {
      return ListenAddress(String(host) + ":0") != nil
    }
    let labels = host.split(separator: ".", omittingEmptySubsequences: false)
    return host.utf8.count <= 253
      && labels.allSatisfy { label in
        !label.isEmpty && label.first != "-" && label.last != "-"
          && label.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") }
      }
  }
}
