import AnalyticsContract

/// Counts by day of some series, and of breakdowns for the whole of the range.
struct DayTable {
  /// The days that are counted.
  let days: ClosedRange<CalendarDay>
  /// The days of which breakdowns are made.
  let range: ClosedRange<CalendarDay>
  private let positions: [DaySeries: Int]
  private var counts: [[Int64]]
  /// By dimension and key: a count for each series.
  private(set) var breakdowns: [BreakdownDimension: [BreakdownKey: [Int64]]] = [:]

  init(_ series: Set<DaySeries>, days: ClosedRange<CalendarDay>, range: ClosedRange<CalendarDay>) {
    self.days = days
    self.range = range
    positions = Dictionary(uniqueKeysWithValues: series.enumerated().map { ($1, $0) })
    counts = [[Int64]](repeating: [Int64](repeating: 0, count: days.dayCount), count: series.count)
  }

  func position(of series: DaySeries) -> Int? { positions[series] }

  var eventSelections: [(selection: EventSelection, position: Int)] {
    positions.compactMap { series, position in
      if case .events(let selection) = series { (selection, position) } else { nil }
    }
  }

  mutating func add(_ count: Int64, to position: Int, on day: CalendarDay) {
    counts[position][days.position(of: day)] += count
  }

  /// Adds to a series, if it is wanted, and to the breakdowns where the day is in the range.
  mutating func add(
    _ count: Int64, to series: DaySeries, on day: CalendarDay, _ keys: [(BreakdownDimension, BreakdownKey)] = []
  ) {
    guard let position = positions[series] else { return }
    add(count, to: position, on: day)
    guard range.contains(day) else { return }
    for (dimension, key) in keys { add(count, to: position, dimension, key) }
  }

  mutating func add(_ count: Int64, to position: Int, _ dimension: BreakdownDimension, _ key: BreakdownKey) {
    breakdowns[dimension, default: [:]][key, default: [Int64](repeating: 0, count: counts.count)][position] += count
  }

  func sum(_ series: DaySeries, _ days: ClosedRange<CalendarDay>) -> Int64 {
    guard let position = positions[series] else { return 0 }
    return counts[position][self.days.position(of: days.lowerBound)...self.days.position(of: days.upperBound)]
      .reduce(0, +)
  }

  func sum(_ series: DaySeries, _ dimension: BreakdownDimension, _ key: BreakdownKey) -> Int64 {
    guard let position = positions[series] else { return 0 }
    return breakdowns[dimension]?[key]?[position] ?? 0
  }
}
