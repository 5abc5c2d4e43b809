/// The counters of a keyboard usage summary.
public enum UsageCounter: Int, CaseIterable, Sendable {
  /// Graphemes of the Han script.
  case chineseCharacters
  /// Latin letters.
  case englishCharacters
  /// Digits, punctuation, emoji and everything else.
  case otherCharacters
  /// Keyboard activations in which at least one character was committed.
  case inputSessions
  /// Sessions with Chinese and without English.
  case chineseOnlySessions
  /// Sessions with English and without Chinese.
  case englishOnlySessions
  /// Sessions with both.
  case mixedLanguageSessions
  /// Sessions with neither.
  case otherOnlySessions

  /// The member that carries the counter on the wire.
  public var member: WireMember {
    switch self {
    case .chineseCharacters: .chineseCharacterCount
    case .englishCharacters: .englishCharacterCount
    case .otherCharacters: .otherCharacterCount
    case .inputSessions: .inputSessionCount
    case .chineseOnlySessions: .chineseOnlySessionCount
    case .englishOnlySessions: .englishOnlySessionCount
    case .mixedLanguageSessions: .mixedLanguageSessionCount
    case .otherOnlySessions: .otherOnlySessionCount
    }
  }

  /// Whether it counts characters; the others count sessions.
  public var countsCharacters: Bool { rawValue <= Self.otherCharacters.rawValue }

  /// The largest value that is accepted for a day; the smallest is 0.
  public var maximum: Int32 { countsCharacters ? 1_000_000 : 100_000 }
}

/// The values of all ``UsageCounter``s of one day.
public struct UsageCounts: Sendable, Hashable, Redacted {
  private var values: SIMD8<Int32>

  /// All zero.
  public init() { values = .zero }

  /// One counter's value.
  public subscript(counter: UsageCounter) -> Int32 {
    get { values[counter.rawValue] }
    set { values[counter.rawValue] = newValue }
  }

  /// What is wrong with the values, as the counter's member and the rule it breaks; empty where they are allowed.
  public var violations: [(member: WireMember, rule: ViolationRule)] {
    let outside = UsageCounter.allCases.filter { !(0...$0.maximum).contains(self[$0]) }
    // Sums of values that are wrong themselves would be reported twice.
    if !outside.isEmpty { return outside.map { ($0.member, .outOfRange) } }
    let sessions = self[.inputSessions]
    let kinds =
      self[.chineseOnlySessions] + self[.englishOnlySessions] + self[.mixedLanguageSessions]
      + self[.otherOnlySessions]
    let characters = self[.chineseCharacters] + self[.englishCharacters] + self[.otherCharacters]
    var found: [(WireMember, ViolationRule)] = []
    if kinds != sessions { found.append((.inputSessionCount, .sessionKindsDoNotAddUp)) }
    if characters < sessions { found.append((.inputSessionCount, .fewerCharactersThanSessions)) }
    return found
  }
}
