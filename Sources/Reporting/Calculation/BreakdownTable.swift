import AnalyticsContract

/// The rows of a breakdown that is made of counts.
struct BreakdownTable {
  let breakdown: ReportDefinition.Breakdown
  let figures: Figures
  let range: ClosedRange<CalendarDay>

  var rows: [ReportAnswer.BreakdownRow] {
    let dimension = breakdown.dimension
    if let keys = dimension.closedKeys { return keys.map { row($0.name, [$0.key]) } }
    let texts = (figures.table.breakdowns[dimension] ?? [:]).keys.compactMap { key -> String? in
      if case .text(let text) = key { text } else { nil }
    }
    guard dimension.isVersion else {
      return texts.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }.map { row($0, [.text($0)]) }
    }
    let counts = texts.map { text in (text, rank([.text(text)])) }.filter { $0.1 > 0 }
    return VersionRanking(counts).rows { versions in values(versions.map { .text($0) }) }
  }

  private func row(_ name: String, _ keys: [BreakdownKey]) -> ReportAnswer.BreakdownRow {
    ReportAnswer.BreakdownRow(key: name, values: values(keys))
  }

  private func values(_ keys: [BreakdownKey]) -> [MetricValue] {
    breakdown.metrics.map { figures.value($0, breakdown.dimension, keys) }
  }

  /// What versions are ranked by: the sum of a row.
  private func rank(_ keys: [BreakdownKey]) -> Int64 {
    values(keys).reduce(0) { sum, value in
      if case .integer(let count) = value { sum + count } else { sum }
    }
  }
}

/// Versions by how often they occur: the twenty most frequent, then the others together, then what had none.
struct VersionRanking {
  private let versions: [String]
  private let hasAbsent: Bool

  /// How many versions have a row of their own.
  static let maximumRows = 20
  /// The key of the others together.
  static let others = "OTHER"

  /// - Parameter counts: versions with their counts, above 0; the empty text stands for an absent version.
  init(_ counts: [(version: String, count: Int64)]) {
    hasAbsent = counts.contains { $0.version.isEmpty }
    versions = counts.filter { !$0.version.isEmpty }.sorted { left, right in
      left.count != right.count
        ? left.count > right.count : left.version.utf8.lexicographicallyPrecedes(right.version.utf8)
    }.map(\.version)
  }

  /// The rows, made of the figures of some versions together.
  func rows(_ values: ([String]) -> [MetricValue]) -> [ReportAnswer.BreakdownRow] {
    var rows = versions.prefix(Self.maximumRows).map { ReportAnswer.BreakdownRow(key: $0, values: values([$0])) }
    let others = Array(versions.dropFirst(Self.maximumRows))
    if !others.isEmpty { rows.append(ReportAnswer.BreakdownRow(key: Self.others, values: values(others))) }
    if hasAbsent { rows.append(ReportAnswer.BreakdownRow(key: nil, values: values([""]))) }
    return rows
  }
}
