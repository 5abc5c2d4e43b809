import AnalyticsContract

/// What population is made: the same plan makes the same one, request by request.
public struct DemoPlan: Sendable {
  /// How many installations there are in the end, some of which go.
  public let installations: Int
  /// The days that it lives, both included.
  public let days: ClosedRange<CalendarDay>
  /// What chance follows from.
  public let seed: UInt64

  /// How many installations there may be.
  public static let installationRange = 1...1_000_000
  /// How many days there may be.
  public static let dayRange = 1...731

  /// - Parameters:
  ///   - installations: how many installations there are in the end, ``installationRange``.
  ///   - days: how many days they live, ``dayRange``.
  ///   - end: the last of the days.
  ///   - seed: what chance follows from.
  public init(installations: Int, days: Int, end: CalendarDay, seed: UInt64) {
    self.installations = installations
    self.days = end.advanced(by: Int32(1 - days))...end
    self.seed = seed
  }

  var dayCount: Int { Int(days.upperBound.daysSince1970 - days.lowerBound.daysSince1970) + 1 }

  func day(_ index: Int) -> CalendarDay { days.lowerBound.advanced(by: Int32(index)) }

  func isWeekend(_ index: Int) -> Bool {
    let day = day(index)
    return Int(day.daysSince1970 - day.startOfWeek.daysSince1970) >= 5
  }

  // MARK: - Releases of the app

  /// The app's releases, and after which part of the days each came out.
  static let releases: [(version: String, part: Double)] = [
    ("2.0.0", 0), ("2.0.1", 0.15), ("2.1.0", 0.35), ("2.1.1", 0.55), ("2.2.0", 0.75), ("2.3.0", 0.92),
  ]

  /// The newest release that is so many days old on a day.
  func release(on day: Int, afterDays lag: Int) -> String {
    let seen = Double(max(0, day - lag)) / Double(max(1, dayCount))
    return Self.releases.last { $0.part <= seen }!.version
  }
}
