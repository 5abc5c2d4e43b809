import AnalyticsContract

/// What one process has counted, by UTC day: numbers and nothing else.
///
/// A session is a keyboard activation with at least one committed character. Its kind follows from all that it has
/// committed so far. An activation that goes on over midnight is a session of each day on which it commits something, so
/// that every day's summary keeps the contract's rules by itself.
struct UsageTally: Equatable {
  /// What the present activation has committed on a day.
  private struct Session: Equatable {
    var day: CalendarDay
    var hasChinese = false
    var hasEnglish = false

    var kind: UsageCounter {
      switch (hasChinese, hasEnglish) {
      case (true, true): .mixedLanguageSessions
      case (true, false): .chineseOnlySessions
      case (false, true): .englishOnlySessions
      case (false, false): .otherOnlySessions
      }
    }
  }

  /// The counts of each day.
  private(set) var days: [CalendarDay: UsageCounts] = [:]
  private var isActive = false
  private var session: Session?

  /// The keyboard appeared. Without ``deactivate()`` before, the activation before ends here.
  mutating func activate() {
    session = nil
    isActive = true
  }

  /// The keyboard disappeared.
  mutating func deactivate() {
    session = nil
    isActive = false
  }

  /// Characters were committed by hand. Where the keyboard was not said to be active, it is from now on.
  mutating func commit(_ characters: CharacterCounts, on day: CalendarDay) {
    if characters.isEmpty { return }
    isActive = true
    var counts = days[day] ?? UsageCounts()
    counts.add(characters.chinese, to: .chineseCharacters)
    counts.add(characters.english, to: .englishCharacters)
    counts.add(characters.other, to: .otherCharacters)
    var current = session ?? Session(day: day)
    let isNew = session?.day != day
    if isNew {
      current = Session(day: day)
    } else {
      counts[current.kind] -= 1
    }
    current.hasChinese = current.hasChinese || characters.chinese > 0
    current.hasEnglish = current.hasEnglish || characters.english > 0
    if isNew { counts.add(1, to: .inputSessions) }
    counts[current.kind] += 1
    session = current
    days[day] = counts
  }

  /// Forgets a day that is counted elsewhere, or not at all any more.
  mutating func remove(_ day: CalendarDay) {
    days[day] = nil
    if session?.day == day { session = nil }
  }

  /// Forgets everything.
  mutating func removeAll() {
    days = [:]
    session = nil
  }
}

extension UsageCounts {
  /// Adds to a counter as far as its bound allows.
  mutating func add(_ amount: Int, to counter: UsageCounter) {
    self[counter] = Int32(clamping: min(Int(self[counter]) + amount, Int(Int32.max)))
  }

  /// The sum of what several processes counted.
  mutating func add(_ other: UsageCounts) {
    for counter in UsageCounter.allCases { add(Int(other[counter]), to: counter) }
  }

  /// The counts as a summary may have them: each within its bound, and the kinds of session adding up.
  var withinBounds: UsageCounts {
    var counts = UsageCounts()
    for counter in [UsageCounter.chineseCharacters, .englishCharacters, .otherCharacters] {
      counts[counter] = min(self[counter], counter.maximum)
    }
    var room = UsageCounter.inputSessions.maximum
    for counter in [
      UsageCounter.chineseOnlySessions, .englishOnlySessions, .mixedLanguageSessions, .otherOnlySessions,
    ] {
      counts[counter] = min(self[counter], room)
      room -= counts[counter]
    }
    counts[.inputSessions] = UsageCounter.inputSessions.maximum - room
    return counts
  }
}
