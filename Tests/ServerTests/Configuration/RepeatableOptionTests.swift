import Testing

@testable import Server

@Suite struct RepeatableOptionTests {
  private let one = "ABCDE12345.one"
  private let two = "ABCDE12345.two"

  @Test func flagsAreGivenSeveralTimesAndKeepTheirOrder() throws {
    #expect(try serve("--app-id \(two) --listen 127.0.0.1:1 --app-id=\(one)").invitations.appIDs == [two, one])
    #expect(try serve("--app-id \(one)").invitations.appIDs == [one])
  }

  @Test(arguments: ["ABCDE12345.one,ABCDE12345.two", " ABCDE12345.one ,  ABCDE12345.two "])
  func aVariableSeparatesByCommas(_ text: String) throws {
    #expect(try serve("", ["OSG_ANALYTICS_APP_ID": text]).invitations.appIDs == [one, two])
  }

  @Test func flagsReplaceTheVariable() throws {
    #expect(try serve("--app-id \(one)", ["OSG_ANALYTICS_APP_ID": two]).invitations.appIDs == [one])
    #expect(try serve("--app-id \(one)", ["OSG_ANALYTICS_APP_ID": "?"]).invitations.appIDs == [one])
  }

  @Test func aBadValueIsNamedAmongGoodOnes() {
    #expect(complaint("--app-id \(one) --app-id no").hasSuffix(", not \"no\""))
    let message = complaint("", ["OSG_ANALYTICS_APP_ID": "\(one),,\(two)"])
    #expect(message.hasPrefix("OSG_ANALYTICS_APP_ID (the same as --app-id): expected ten characters"))
    #expect(message.hasSuffix(", not \"\""))
    // A comma belongs into the variable.
    #expect(complaint("--app-id \(one),\(two)").hasPrefix("--app-id: expected ten characters"))
  }

  @Test func otherOptionsDoNotRepeatAndHaveNoLists() {
    #expect(complaint("--public-url https://a --public-url https://b").hasPrefix("--public-url: expected once"))
    #expect(complaint("", ["OSG_ANALYTICS_PUBLIC_URL": "https://a,https://b"]).contains("expected https:// or http://"))
  }

  @Test func theHelpSaysSo() throws {
    let help = try text("serve --help").split(separator: "\n").map { $0.drop { $0 == " " } }.joined(separator: " ")
    #expect(help.contains("may be given several times; environment: OSG_ANALYTICS_APP_ID, separated by commas]"))
  }
}

/// The values of options about apps and their addresses.
@Suite struct AppOptionTests {
  @Test(arguments: [
    "https://example.com", "https://example.com/", "http://example.com:8080", "https://a.b-c.d.example",
    "http://localhost", "http://127.0.0.1:1/", "https://[2001:db8::1]:8443", "https://xn--fiq228c.example",
  ]) func aPublicAddressHasNoPath(_ text: String) throws {
    let url = try #require(try serve("--public-url \(text)").invitations.publicURL)
    #expect(url + "/" == text || url == text)
    #expect(!url.hasSuffix("/"))
  }

  @Test(arguments: [
    "example.com", "ftp://example.com", "HTTPS://example.com", "https://", "https:///", "https://example.com/i",
    "https://example.com//", "https://example.com?", "https://example.com/?a", "https://example.com#",
    "https://user@example.com", "https://user:pw@example.com", "https://example.com:", "https://example.com:0",
    "https://example.com:65536", "https://example.com:8a", "https://exa_mple.com", "https://-a.com", "https://a..b",
    "https://a.com\"", "https://a.com<", "https://bücher.example", "https://[::1", "https://[1.2.3.4]", "//example.com",
    "https://a.com.",
  ]) func otherPublicAddressesAreRefused(_ text: String) {
    #expect(complaint("--public-url \(text)").hasPrefix("--public-url: expected https:// or http://, a host"))
  }

  @Test(arguments: [
    "https://apps.apple.com/app/id1234567890", "https://apps.apple.com/cn/app/x/id1?mt=8&l=zh", "https://example.com",
    "https://example.com:444/a%20b#c",
  ]) func aStoreAddressIsAnyHTTPSAddress(_ text: String) throws {
    #expect(try serve("--app-store-url \(text)").invitations.appStoreURL == text)
  }

  @Test(arguments: [
    "http://apps.apple.com/app/id1", "itms-apps://apps.apple.com/app/id1", "javascript:alert(1)", "https://a.com/\"x",
    "https://a.com/<b>", "https://a.com/'", "https://a.com/\\", "https://user:pw@a.com/", "https://a.com/\u{e9}",
    "https://a.com/" + String(repeating: "x", count: 1000),
  ]) func otherStoreAddressesAreRefused(_ text: String) {
    #expect(complaint("--app-store-url \(text)").hasPrefix("--app-store-url: expected an https:// address"))
  }

  @Test(arguments: ["ABCDE12345.com.example.app", "0123456789.a", "ABCDE12345.A-b.C"])
  func anAppIsATeamAndABundle(_ text: String) throws {
    #expect(try serve("--app-id \(text)").invitations.appIDs == [text])
  }

  @Test(arguments: [
    "com.example.app", "ABCDE12345", "ABCDE12345.", "abcde12345.com.example", "ABCDE1234.com", "ABCDE123456.com",
    "ABCDE12345.com_example", "ABCDE12345.com\"", "ABCDE12345.*", "ABCDÉ12345.a", ".a",
  ]) func otherAppsAreRefused(_ text: String) {
    #expect(complaint("--app-id \(text)").hasPrefix("--app-id: expected ten characters of A-Z 0-9"))
  }

  @Test func bundlesHaveTheirAlphabet() throws {
    let longest = String(repeating: "b", count: 155)
    #expect(try serve("--storekit-bundle \(longest)").storeKit.bundleIDs == [longest])
    for text in [longest + "b", "a_b", "a*", "é", "a\"b"] {
      #expect(complaint("--storekit-bundle \(text)").hasPrefix("--storekit-bundle: expected a bundle identifier"))
    }
  }

  @Test func aRootIsADigest() throws {
    let digits = "63343abfb89a6a03ebb57e9b3f5fa7be7c4f5c756f3017b3a8c488c3653e9179"
    #expect(try serve("--storekit-root \(digits.uppercased())").storeKit.roots == serve().storeKit.roots)
    for text in ["63343abf", digits + "00", String(digits.dropLast()) + "g", String(repeating: "é", count: 32)] {
      #expect(complaint("--storekit-root \(text)").hasPrefix("--storekit-root: expected 64 hexadecimal digits"))
    }
  }
}
