import AnalyticsContract

// What is shown on public pages or compared with what Apple signed. The alphabets are small enough that a value needs
// no escape in HTML or JSON but for the ampersand of an address.

extension ValueParser where Value == String {
  /// A web address up to its path, as clients are given it; a slash at the end is left out.
  public static let publicURL = ValueParser(
    "URL", expecting: "https:// or http://, a host, and perhaps a port, such as https://example.com"
  ) { text in
    guard let address = WebAddress(text), address.rest == "" || address.rest == "/" else { return nil }
    return String(text.dropLast(address.rest.count))
  }

  /// The address of a page in a store.
  public static let storeURL = ValueParser(
    "URL", expecting: "an https:// address such as https://apps.apple.com/app/id1234567890"
  ) { text in
    guard let address = WebAddress(text), address.isSecure, text.utf8.count <= 1000 else { return nil }
    return text
  }

  /// A bundle identifier.
  public static let bundleID = ValueParser(
    "BUNDLE", expecting: "a bundle identifier, 1 to 155 characters of A-Z a-z 0-9 . -"
  ) { isBundleID($0) ? $0 : nil }

  /// An app as Apple's services name it: its team and its bundle identifier.
  public static let appID = ValueParser(
    "TEAM.BUNDLE",
    expecting: "ten characters of A-Z 0-9, a dot and a bundle identifier, such as ABCDE12345.com.example.app"
  ) { text in
    guard let dot = text.firstIndex(of: ".") else { return nil }
    let team = text[..<dot].utf8
    guard team.count == 10, team.allSatisfy({ isDigit($0) || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) })
    else { return nil }
    return isBundleID(String(text[text.index(after: dot)...])) ? text : nil
  }

  private static func isBundleID(_ text: String) -> Bool {
    (1...155).contains(text.utf8.count)
      && text.utf8.allSatisfy { byte in
        isDigit(byte) || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) || byte == UInt8(ascii: "-")
          || byte == UInt8(ascii: ".")
      }
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
}

extension ValueParser where Value == Digest {
  /// A SHA-256 digest in hexadecimal digits of either letter case.
  public static let digest = ValueParser("DIGEST", expecting: "64 hexadecimal digits") { text in
    var text = text
    return text.withUTF8 { Digest(hexadecimal: $0) }
  }
}
