import AnalyticsContract

/// How long the periods of a series are.
public enum Granularity: String, CaseIterable, Sendable {
  /// A UTC day.
  case day
  /// An ISO week: Monday to Sunday.
  case week
  /// A calendar month.
  case month

  /// The first day of the period that holds a day.
  func start(of day: CalendarDay) -> CalendarDay {
    switch self {
    case .day: day
    case .week: day.startOfWeek
    case .month: day.startOfMonth
    }
  }

  /// The first day of the period after the one that begins on a day.
  func next(after start: CalendarDay) -> CalendarDay {
    switch self {
    case .day: start.advanced(by: 1)
    case .week: start.advanced(by: 7)
    case .month: start.startOfNextMonth
    }
  }
}

/// A day, week or month, as far as it lies in the range of a report.
public struct Period: Sendable, Equatable {
  /// Its first date, also where the range begins later.
  public let start: CalendarDay
  /// Its days that lie in the range.
  public let days: ClosedRange<CalendarDay>

  /// All periods of a range, in order.
  /// - Parameters:
  ///   - range: the range.
  ///   - granularity: how long they are.
  /// - Returns: at least one period; together they have every day of the range once.
  public static func all(in range: ClosedRange<CalendarDay>, _ granularity: Granularity) -> [Period] {
    var periods: [Period] = []
    var start = granularity.start(of: range.lowerBound)
    while start <= range.upperBound {
      let next = granularity.next(after: start)
      let days = max(start, range.lowerBound)...min(next.advanced(by: -1), range.upperBound)
      periods.append(Period(start: start, days: days))
      start = next
    }
    return periods
  }
}

extension ClosedRange<CalendarDay> {
  /// How many days are in the range.
  public var dayCount: Int { Int(upperBound.daysSince1970 - lowerBound.daysSince1970) + 1 }

  /// The days, in order.
  public var days: some Sequence<CalendarDay> {
    (lowerBound.daysSince1970...upperBound.daysSince1970).lazy.map { CalendarDay(daysSince1970: $0) }
  }

  /// The position of a day, 0 for the first.
  func position(of day: CalendarDay) -> Int { Int(day.daysSince1970 - lowerBound.daysSince1970) }
}
