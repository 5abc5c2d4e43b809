/// What a committed character counts as (PRODUCT_ANALYTICS: "Keyboard usage summaries"). A character is what people
/// take for one: a grapheme cluster.
enum CharacterClass: Equatable {
  /// Anything of the script Han is in it: ideographs of every block, radicals, 々, 〇 and Hangzhou numerals too.
  case chinese
  /// No Han, and a Latin letter: fullwidth ones and those with marks too, Roman numerals such as Ⅷ not.
  case english
  /// Neither: digits, punctuation, emoji, Kana, Hangul, Bopomofo and everything else.
  case other

  /// The class of a character.
  init(_ character: Character) {
    var found = CharacterClass.other
    for scalar in character.unicodeScalars {
      if Self.isHan(scalar) {
        self = .chinese
        return
      }
      if found == .other, Self.isLatinLetter(scalar) { found = .english }
    }
    self = found
  }

  static func isHan(_ scalar: Unicode.Scalar) -> Bool {
    // Most of what is typed, without a search.
    if scalar.value < 0x2E80 { return false }
    if (0x4E00...0x9FFF).contains(scalar.value) { return true }
    return contains(ScriptTable.han, scalar.value)
  }

  static func isLatinLetter(_ scalar: Unicode.Scalar) -> Bool {
    if scalar.value < 0x80 { return (0x61...0x7A).contains(scalar.value | 0x20) }
    return contains(ScriptTable.latinLetters, scalar.value)
  }

  private static func contains(_ ranges: [ClosedRange<UInt32>], _ value: UInt32) -> Bool {
    var (low, high) = (0, ranges.count)
    while low < high {
      let middle = (low + high) / 2
      if ranges[middle].upperBound < value { low = middle + 1 } else { high = middle }
    }
    return low < ranges.count && ranges[low].contains(value)
  }
}

/// How many characters of each class a text has. The text itself is not kept.
struct CharacterCounts: Equatable {
  var chinese = 0
  var english = 0
  var other = 0

  /// Nothing.
  init() {}

  /// Counts the characters of a text.
  init(of text: String) {
    for character in text {
      switch CharacterClass(character) {
      case .chinese: chinese += 1
      case .english: english += 1
      case .other: other += 1
      }
    }
  }

  /// Whether there is none.
  var isEmpty: Bool { chinese == 0 && english == 0 && other == 0 }
}
