/// The languages that pages exist in.
enum PageLanguage: CaseIterable, Sendable {
  case english, simplifiedChinese

  /// The language tag of the page (BCP 47).
  var tag: StaticString {
    switch self {
    case .english: "en"
    case .simplifiedChinese: "zh-Hans"
    }
  }

  /// The primary subtags of language ranges that ask for it. Who reads Mandarin or Cantonese reads the Chinese page, and
  /// so does who would rather have another script: there is no other.
  private var primarySubtags: [Substring] {
    switch self {
    case .english: ["en"]
    case .simplifiedChinese: ["zh", "cmn", "yue"]
    }
  }

  /// Chooses a language (RFC 9110, section 12.5.4): the one of higher quality, of equals the one that is named first,
  /// English where neither is wanted.
  /// - Parameter acceptLanguage: the values of the `Accept-Language` fields, whatever they are.
  init(acceptLanguage: [String]) {
    let ranges = acceptLanguage.flatMap { $0.split(separator: ",") }.compactMap { LanguageRange($0) }
    let english = Self.english.wish(in: ranges)
    let chinese = Self.simplifiedChinese.wish(in: ranges)
    let prefersChinese =
      chinese.quality > english.quality
      || (chinese.quality > 0 && chinese.quality == english.quality && chinese.position < english.position)
    self = prefersChinese ? .simplifiedChinese : .english
  }

  /// How much the language is wanted, in thousandths, and where that is said: by the best range that names it, or else by
  /// `*`.
  private func wish(in ranges: [LanguageRange]) -> (quality: Int, position: Int) {
    var wish: (quality: Int, position: Int)?
    for (position, range) in ranges.enumerated() where primarySubtags.contains(range.primarySubtag[...]) {
      if wish.map({ range.quality > $0.quality }) ?? true { wish = (range.quality, position) }
    }
    if let wish { return wish }
    guard let position = ranges.firstIndex(where: { $0.primarySubtag == "*" }) else { return (0, ranges.count) }
    return (ranges[position].quality, position)
  }
}

/// One element of `Accept-Language`: a language range and its quality.
private struct LanguageRange {
  /// What stands before the first hyphen, in lower case.
  let primarySubtag: String
  /// 0 to 1000.
  let quality: Int

  /// `nil` for what is none, which is left out: a malformed wish is no reason to fail.
  init?(_ text: Substring) {
    let parts = text.split(separator: ";", omittingEmptySubsequences: false).map { $0.trimmingOptionalSpace() }
    let subtags = parts[0].split(separator: "-", omittingEmptySubsequences: false)
    guard let first = subtags.first, parts[0] == "*" || subtags.allSatisfy(Self.isSubtag), parts.count <= 2 else {
      return nil
    }
    primarySubtag = first.lowercased()
    guard parts.count == 2 else {
      quality = 1000
      return
    }
    guard parts[1].prefix(2).lowercased() == "q=", let value = Self.quality(parts[1].dropFirst(2)) else { return nil }
    quality = value
  }

  private static func isSubtag(_ text: Substring) -> Bool {
    (1...8).contains(text.utf8.count) && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) }
  }

  /// `0` or `1`, and at most three decimals, which are zeros after `1`.
  private static func quality(_ text: Substring) -> Int? {
    let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts[0] == "0" || parts[0] == "1" else { return nil }
    let decimals = parts.count == 2 ? parts[1] : ""
    guard decimals.utf8.count <= 3 else { return nil }
    let padded = String(decimals) + String(repeating: "0", count: 3 - decimals.utf8.count)
    guard let thousandths = decimal(padded) else { return nil }
    let value = (parts[0] == "1" ? 1000 : 0) + thousandths
    return value <= 1000 ? value : nil
  }
}

extension StringProtocol {
  /// Without the spaces and tabs around it that HTTP allows between the parts of a field.
  func trimmingOptionalSpace() -> SubSequence {
    var text = self[...].drop { $0 == " " || $0 == "\t" }
    while let last = text.last, last == " " || last == "\t" { text = text.dropLast() }
    return text
  }
}
