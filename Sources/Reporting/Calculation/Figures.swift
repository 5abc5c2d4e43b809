import AnalyticsContract

/// Gives any metric's value for any days that were read.
struct Figures {
  let table: DayTable
  let distinct: DistinctCounts
  let cohorts: CohortCounts?

  static let stickinessDays: Int32 = 28

  /// A metric's value for some days.
  func value(_ metric: Metric, _ days: ClosedRange<CalendarDay>) -> MetricValue {
    value(metric) { number($0, days) }
  }

  /// A metric's value for a key of a breakdown, for the whole range.
  func value(_ metric: Metric, _ dimension: BreakdownDimension, _ keys: [BreakdownKey]) -> MetricValue {
    value(metric) { number($0, dimension, keys) }
  }

  private func value(_ metric: Metric, _ number: (Metric) -> Int64?) -> MetricValue {
    switch metric.calculation {
    case .sum, .activated, .distinct, .trailing:
      guard let number = number(metric) else { return .null }
      return metric.unit == .money ? .money(number) : .integer(number)
    case .difference(let left, let right):
      guard let left = number(left), let right = number(right) else { return .null }
      return metric.unit == .money ? .money(left - right) : .integer(left - right)
    case .ratio(let left, let right):
      guard let numerator = sum(left, number), let denominator = sum(right, number), denominator != 0 else {
        return .null
      }
      return .ratio(Double(numerator) / Double(denominator))
    case .stickiness:
      guard let ratio = stickiness(number) else { return .null }
      return ratio
    }
  }

  private func sum(_ metrics: [Metric], _ number: (Metric) -> Int64?) -> Int64? {
    var sum: Int64 = 0
    for metric in metrics {
      guard let value = number(metric) else { return nil }
      sum += value
    }
    return sum
  }

  private func stickiness(_ number: (Metric) -> Int64?) -> MetricValue? {
    guard let monthly = number(.monthlyActive), monthly != 0, let daily = number(.stickiness) else { return nil }
    return .ratio(Double(daily) / (Double(Self.stickinessDays) * Double(monthly)))
  }

  /// The number that a metric is, or is made of, for some days; for ``Metric/stickiness`` the sum of the daily active.
  private func number(_ metric: Metric, _ days: ClosedRange<CalendarDay>) -> Int64? {
    switch metric.calculation {
    case .sum(let series): return series.reduce(0) { $0 + table.sum($1, days) }
    case .activated: return cohorts?.activated(days)
    case .distinct(let count): return distinct.count(count, days)
    case .trailing(let length):
      return distinct.count(.active, days.upperBound.advanced(by: 1 - length)...days.upperBound)
    case .stickiness:
      var sum: Int64 = 0
      for day in (days.upperBound.advanced(by: 1 - Self.stickinessDays)...days.upperBound).days {
        guard let count = distinct.count(.active, day...day) else { return nil }
        sum += count
      }
      return sum
    case .ratio, .difference: return nil
    }
  }

  private func number(_ metric: Metric, _ dimension: BreakdownDimension, _ keys: [BreakdownKey]) -> Int64? {
    switch metric.calculation {
    case .sum(let series):
      return series.reduce(0) { sum, series in keys.reduce(sum) { $0 + table.sum(series, dimension, $1) } }
    case .activated:
      // Channels are the only keys by which activation is told.
      var sum: Int64 = 0
      for case .code(let channel) in keys {
        guard let count = cohorts?.activated(table.range, channel: channel) else { return nil }
        sum += count
      }
      return sum
    case .distinct, .trailing, .stickiness, .ratio, .difference: return nil
    }
  }

  /// Whether a metric has no value for some days because the identity that it would need has gone.
  func isUnavailable(_ metric: Metric, _ days: ClosedRange<CalendarDay>) -> Bool {
    switch metric.calculation {
    case .sum: false
    case .activated, .distinct, .trailing: number(metric, days) == nil
    case .stickiness: number(metric, days) == nil || number(.monthlyActive, days) == nil
    case .ratio(let left, let right): (left + right).contains { isUnavailable($0, days) }
    case .difference(let left, let right): isUnavailable(left, days) || isUnavailable(right, days)
    }
  }
}
