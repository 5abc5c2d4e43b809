import AnalyticsContract

extension ValueParser where Value == Int {
  /// A whole number in a range, in digits only: no sign, no space, no separator.
  public static func number(_ placeholder: String = "N", of unit: String, in range: ClosedRange<Int>) -> ValueParser {
    ValueParser(
      placeholder, expecting: "a whole number of \(unit) from \(range.lowerBound) to \(range.upperBound)"
    ) { text in
      decimal(text).flatMap { range.contains($0) ? $0 : nil }
    }
  }

  /// A size in bytes: digits, alone or with `KiB`, `MiB` or `GiB` behind them. The limits are whole MiB.
  public static func byteSize(inMebibytes range: ClosedRange<Int>) -> ValueParser {
    ValueParser(
      "SIZE",
      expecting: "a number of bytes, or one with KiB, MiB or GiB, from \(range.lowerBound) MiB"
        + " to \(range.upperBound) MiB"
    ) { text in
      let digits = text.prefix { $0.isASCII && $0.isNumber }
      let factor: Int
      switch text.dropFirst(digits.count) {
      case "": factor = 1
      case "KiB": factor = 1 << 10
      case "MiB": factor = 1 << 20
      case "GiB": factor = 1 << 30
      default: return nil
      }
      guard let number = decimal(digits) else { return nil }
      let (bytes, overflow) = number.multipliedReportingOverflow(by: factor)
      guard !overflow, bytes >= range.lowerBound << 20, bytes <= range.upperBound << 20 else { return nil }
      return bytes
    }
  }
}

extension ValueParser where Value == String {
  /// A path; only an empty one or one with a zero byte is refused here.
  public static let path = ValueParser("FILE", expecting: "the path of a file") { text in
    text.isEmpty || text.utf8.contains(0) ? nil : text
  }

  /// The name of a token: it appears in lists and in scripts, so its alphabet is small.
  public static let tokenName = ValueParser("NAME", expecting: "1 to 64 characters of A-Z a-z 0-9 . - _") { text in
    let isName = text.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"):
        true
      default: false
      }
    }
    return isName && (1...64).contains(text.utf8.count) ? text : nil
  }
}

extension ValueParser where Value == String {
  /// The name of a PostgreSQL role.
  public static let roleName = ValueParser("ROLE", expecting: "the name of a PostgreSQL role, 1 to 63 bytes") { text in
    (1...63).contains(text.utf8.count) && !text.utf8.contains(0) ? text : nil
  }
}

extension ValueParser where Value == CalendarDay {
  /// A calendar date.
  public static let date = ValueParser("DATE", expecting: "a date YYYY-MM-DD") { CalendarDay(iso8601: $0) }
}

extension ValueParser where Value == Bool {
  /// What an environment variable says about a flag without value.
  public static let truth = ValueParser("BOOLEAN", expecting: "true, false, 1 or 0") { text in
    switch text {
    case "true", "1": true
    case "false", "0": false
    default: nil
    }
  }
}

extension ValueParser where Value: CaseIterable & StaticallyLabelled {
  /// One of the labels of a closed set.
  public static func choice(_ placeholder: String) -> ValueParser {
    let labels = Value.allCases.map { "\($0.label)" }
    let list = labels.dropLast().joined(separator: ", ")
    return ValueParser(placeholder, expecting: list.isEmpty ? labels[0] : "\(list) or \(labels[labels.count - 1])") {
      text in
      Value.allCases.first { "\($0.label)" == text }
    }
  }
}

/// The number that ASCII digits alone spell, or `nil`; `Int.init` would take a sign too.
func decimal(_ text: some StringProtocol) -> Int? {
  text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ? Int(text) : nil
}
