import AnalyticsContract
import ServerFacts

extension ValueParser where Value == UUIDValue {
  /// A UUID other than the nil one.
  public static let account = ValueParser("UUID", expecting: "a UUID, 8-4-4-4-12 hexadecimal digits, not all zero") {
    UUIDValue(text: $0).flatMap { $0.isNil ? nil : $0 }
  }
}

extension ValueParser where Value == InstallationID {
  /// What the app calls its installation.
  public static let installation = ValueParser(
    "UUID", expecting: "a UUID, 8-4-4-4-12 hexadecimal digits, not all zero"
  ) {
    UUIDValue(text: $0).flatMap(InstallationID.init)
  }
}

extension ValueParser where Value == String {
  /// What a token must state.
  public static let claim = ValueParser("TEXT", expecting: "a text of 1 to 1024 bytes") { text in
    (1...1024).contains(text.utf8.count) ? text : nil
  }
}

extension TokenScope: StaticallyLabelled {
  /// The name on the command line.
  public var label: StaticString { name }
}
