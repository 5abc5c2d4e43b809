/// The calendar of the reports' tests: every day from 1970 on, counted one by one.
enum ReportCalendar {
  /// A day of the calendar.
  struct Entry: Sendable {
    var text: String
    /// The number of the first day of its month.
    var monthStart: Int
  }

  static let microseconds = 86_400_000_000

  /// The days in order; the index is the number of days since 1970.
  static let days: [Entry] = {
    var all: [Entry] = []
    for year in 1970...2040 {
      let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
      let lengths = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
      for (month, length) in lengths.enumerated() {
        let start = all.count
        for day in 1...length {
          all.append(Entry(text: "\(year)-\(two(month + 1))-\(two(day))", monthStart: start))
        }
      }
    }
    return all
  }()

  private static let numbers = Dictionary(uniqueKeysWithValues: days.enumerated().map { ($1.text, $0) })

  /// The number of a date `YYYY-MM-DD`.
  static func day(_ text: String) -> Int { numbers[text]! }

  static func text(_ day: Int) -> String { days[day].text }

  /// 1 January 1970 was a Thursday.
  static func weekStart(_ day: Int) -> Int { day - (day + 3) % 7 }

  /// The microseconds of `YYYY-MM-DDThh:mm:ss` with up to six fraction digits and `Z`.
  static func instant(_ text: String) -> Int {
    let parts = text.dropLast().split(separator: "T")
    let fields = parts[1].split(separator: ":")
    let seconds = fields[2].split(separator: ".")
    let fraction = seconds.count > 1 ? String(seconds[1]) + String(repeating: "0", count: 6 - seconds[1].count) : "0"
    let whole = Int(fields[0])! * 3600 + Int(fields[1])! * 60 + Int(seconds[0])!
    return day(String(parts[0])) * microseconds + whole * 1_000_000 + Int(fraction)!
  }

  /// An instant with some fraction digits: 3 or 6.
  static func text(instant: Int, digits: Int = 6) -> String {
    let rest = instant % microseconds
    let seconds = rest / 1_000_000
    let fraction = String(String(1_000_000 + rest % 1_000_000).dropFirst().prefix(digits))
    return days[instant / microseconds].text + "T"
      + "\(two(seconds / 3600)):\(two(seconds / 60 % 60)):\(two(seconds % 60)).\(fraction)Z"
  }

  private static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}

/// How a range of days is cut.
enum ReportGranularity: String, CaseIterable, Sendable {
  case day, week, month

  /// The periods of a range, each with the date that names it.
  func periods(_ from: Int, _ to: Int) -> [(name: String, days: ClosedRange<Int>)] {
    var periods: [(name: String, days: ClosedRange<Int>)] = []
    for day in from...to {
      let start =
        switch self {
        case .day: day
        case .week: ReportCalendar.weekStart(day)
        case .month: ReportCalendar.days[day].monthStart
        }
      let name = ReportCalendar.text(start)
      if periods.last?.name == name {
        periods[periods.count - 1].days = periods[periods.count - 1].days.lowerBound...day
      } else {
        periods.append((name, day...day))
      }
    }
    return periods
  }
}
