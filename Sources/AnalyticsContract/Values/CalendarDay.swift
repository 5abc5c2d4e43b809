/// A day of the proleptic Gregorian calendar in UTC, as whole days since 1970-01-01.
public struct CalendarDay: Sendable, Hashable, Comparable {
  /// Days since 1970-01-01; negative before.
  public var daysSince1970: Int32

  /// The length of a day in microseconds.
  public static let microseconds: Int64 = 86_400_000_000

  /// - Parameter daysSince1970: days since 1970-01-01; negative before.
  public init(daysSince1970: Int32) { self.daysSince1970 = daysSince1970 }

  /// Earlier days order first.
  public static func < (left: CalendarDay, right: CalendarDay) -> Bool { left.daysSince1970 < right.daysSince1970 }

  /// This day moved by a number of days; negative moves it back.
  public func advanced(by days: Int32) -> CalendarDay { CalendarDay(daysSince1970: daysSince1970 + days) }
}

extension CalendarDay {
  /// Reads `YYYY-MM-DD`; a date that does not exist is refused.
  /// - Returns: `nil` where the bytes are not of that form.
  public init?(iso8601 text: UnsafeBufferPointer<UInt8>) {
    guard text.count == 10, text[4] == UInt8(ascii: "-"), text[7] == UInt8(ascii: "-"),
      let century = decimal(text, 0), let yearOfCentury = decimal(text, 2),
      let month = decimal(text, 5), let day = decimal(text, 8)
    else { return nil }
    let year = century * 100 + yearOfCentury
    guard (1...12).contains(month), day >= 1, day <= Self.length(ofMonth: month, year: year) else { return nil }
    self.init(year: year, month: month, day: day)
  }

  /// Reads the same form from a string.
  public init?(iso8601 text: String) {
    var text = text
    guard let day = text.withUTF8({ CalendarDay(iso8601: $0) }) else { return nil }
    self = day
  }

  // Counting years from March puts the leap day last, so that a month's offset is one linear formula.
  private init(year: Int, month: Int, day: Int) {
    let shifted = month <= 2 ? year - 1 : year
    let era = (shifted >= 0 ? shifted : shifted - 399) / 400
    let yearOfEra = shifted - era * 400
    let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    self.init(daysSince1970: Int32(era * 146_097 + dayOfEra - 719_468))
  }

  private static func length(ofMonth month: Int, year: Int) -> Int {
    switch month {
    case 2: (year % 4 == 0 && year % 100 != 0) || year % 400 == 0 ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  private var components: (year: Int64, month: Int64, day: Int64) {
    let shifted = Int64(daysSince1970) + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let monthFromMarch = (5 * dayOfYear + 2) / 153
    let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
    let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    return (year, month, dayOfYear - (153 * monthFromMarch + 2) / 5 + 1)
  }
}

extension CalendarDay: CustomStringConvertible {
  /// `YYYY-MM-DD`.
  public var description: String {
    let (year, month, day) = components
    return "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))"
  }
}

extension CalendarDay {
  /// The Monday on or before this day: the first day of its ISO week.
  public var startOfWeek: CalendarDay {
    // Day 0 is a Thursday.
    let weekday = (daysSince1970 + 3) % 7
    return advanced(by: -(weekday < 0 ? weekday + 7 : weekday))
  }

  /// The first day of its month.
  public var startOfMonth: CalendarDay { advanced(by: 1 - Int32(components.day)) }

  /// The first day of the month after its own.
  public var startOfNextMonth: CalendarDay { startOfMonth.advanced(by: 31).startOfMonth }

  /// Its first instant.
  public var start: Instant { Instant(microseconds: Int64(daysSince1970) * Self.microseconds) }
}
