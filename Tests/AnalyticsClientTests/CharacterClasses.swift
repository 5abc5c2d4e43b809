import Foundation
import Testing

@testable import AnalyticsClient

@Suite struct CharacterClasses {
  @Test func everyScalarIsWhatTheToolchainsOwnDataSaysOrWasAssignedLater() throws {
    let han = try Regex(#"\p{Script=Han}"#)
    let latin = try Regex(#"\p{Script=Latin}"#)
    var differences: [UInt32] = []
    for value in UInt32(0)...0x10FFFF {
      guard let scalar = Unicode.Scalar(value) else { continue }
      let text = String(Character(scalar))
      let isHan = text.wholeMatch(of: han) != nil
      let isLetter: Bool =
        switch scalar.properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter: true
        default: false
        }
      let isLatin = isLetter && text.wholeMatch(of: latin) != nil
      if CharacterClass.isHan(scalar) != isHan || CharacterClass.isLatinLetter(scalar) != isLatin {
        differences.append(value)
      }
    }
    // Our table is of one version of Unicode, the toolchain's of another: only what is younger than ours may differ.
    let assignedIn15 = differences.filter { value in
      guard let age = Unicode.Scalar(value)?.properties.age else { return true }
      return age.major <= 15 && !(age.major == 15 && age.minor > 0)
    }
    #expect(assignedIn15.map { String($0, radix: 16) } == [])
    #expect(ScriptTable.version == "15.0.0")
  }

  @Test func theTableIsInOrder() {
    for table in [ScriptTable.han, ScriptTable.latinLetters] {
      #expect(zip(table, table.dropFirst()).allSatisfy { $0.upperBound + 1 < $1.lowerBound })
    }
  }

  @Test(arguments: [
    ("中", CharacterClass.chinese), ("㐀", .chinese), ("𠀀", .chinese), ("𪜶", .chinese), ("𫝀", .chinese),
    ("𰀀", .chinese), ("豈", .chinese), ("丽", .chinese), ("〇", .chinese), ("々", .chinese), ("〆", .other),
    ("⺀", .chinese), ("⼀", .chinese), ("〡", .chinese), ("中\u{301}", .chinese),
    ("a", .english), ("Z", .english), ("é", .english), ("e\u{301}", .english), ("ß", .english), ("ﬁ", .english),
    ("Ａ", .english), ("ｚ", .english), ("ª", .english), ("ə", .english), ("Ⅷ", .other), ("ⅷ", .other),
    ("🄰", .other), ("ⓐ", .other), ("α", .other), ("Ж", .other), ("あ", .other), ("ア", .other), ("ｱ", .other),
    ("ー", .other), ("한", .other), ("ㄱ", .other), ("ㄅ", .other), ("ㆠ", .other), ("1", .other), ("１", .other),
    ("٣", .other), (" ", .other), ("\n", .other), ("\r\n", .other), ("。", .other), ("，", .other), (".", .other),
    ("😀", .other), ("👨‍👩‍👧‍👦", .other), ("🇨🇳", .other), ("👍🏽", .other), ("❤️", .other), ("1️⃣", .other), ("㊥", .other),
    ("㍿", .other), ("\u{200B}", .other), ("a\u{20DD}", .english), ("\u{301}", .other), ("ก", .other), ("न", .other),
  ])
  func hardCharactersHaveOneClass(_ text: String, _ expected: CharacterClass) throws {
    #expect(text.count == 1, "one grapheme")
    #expect(CharacterClass(try #require(text.first)) == expected)
  }

  @Test func hanWinsInAMixedCharacter() {
    // A letter joined to an ideograph: one grapheme for Unicode, and Chinese for us.
    let mixed = Character("a\u{200D}\u{4E2D}")
    if String(mixed).count == 1 { #expect(CharacterClass(mixed) == .chinese) }
    #expect(CharacterClass(Character("中\u{200D}")) == .chinese)
  }

  @Test func charactersAreCountedAsPeopleSeeThem() {
    var counts = CharacterCounts()
    counts.chinese = 4
    counts.english = 5
    counts.other = 6
    #expect(CharacterCounts(of: "你好，世界 hello 👨‍👩‍👧‍👦1\r\n") == counts)
    #expect(CharacterCounts(of: "").isEmpty)
  }
}
