import AnalyticsContract

extension ReportAnswer {
  /// The answer for a person at a terminal: totals with sparklines, periods side by side where they fit, breakdowns.
  /// - Parameter sparklines: whether the terminal shows block elements.
  /// - Returns: the text, ending with a line feed.
  public func table(sparklines: Bool) -> String {
    let range = query.range
    var text = "\(report.rawValue): \(range.lowerBound) to \(range.upperBound), UTC, as of \(generatedAt)\n"
    text += report.definition.question + "\n"
    if report.definition.hasCohorts {
      text += cohortTable
    } else {
      text += totalsTable(sparklines: sparklines) + seriesTable
      for (breakdown, rows) in zip(report.definition.breakdowns, breakdowns) { text += table(breakdown, rows) }
    }
    if !unavailable.isEmpty {
      text += "\n– of \(unavailable.sorted().joined(separator: ", ")): the identity that it would need has gone.\n"
    }
    return text
  }

  private func totalsTable(sparklines: Bool) -> String {
    let metrics = report.definition.metrics
    var header = ["", "total"]
    if previousTotals != nil { header += ["before", "change"] }
    if sparklines, series.count > 1 { header.append("by \(query.granularity.rawValue)") }
    var rows: [[String]] = []
    for (position, metric) in metrics.enumerated() {
      var row = [metric.name, totals[position].text(metric.unit)]
      if let previousTotals {
        row += [previousTotals[position].text(metric.unit), totals[position].change(from: previousTotals[position])]
      }
      if sparklines, series.count > 1 { row.append(Sparkline.render(series.map { $0.values[position].number })) }
      rows.append(row)
    }
    return "\n" + AlignedTable(header: header, rows: rows, lastIsText: sparklines && series.count > 1).text
  }

  /// Periods side by side, as long as a line of a terminal has room for them.
  private var seriesTable: String {
    guard series.count > 1, series.count <= 6 else { return "" }
    let rows = seriesMetrics.enumerated().map { position, metric in
      [metric.name] + series.map { $0.values[position].text(metric.unit) }
    }
    return "\n" + AlignedTable(header: [""] + series.map { "\($0.period.start)" }, rows: rows).text
  }

  private func table(_ breakdown: ReportDefinition.Breakdown, _ rows: [BreakdownRow]) -> String {
    if rows.isEmpty { return "" }
    let lines = rows.map { row in
      [row.key ?? "(none)"] + zip(breakdown.metrics, row.values).map { $1.text($0.unit) }
    }
    return "\n" + AlignedTable(header: [breakdown.dimension.rawValue] + breakdown.metrics.map(\.name), rows: lines).text
  }

  private var cohortTable: String {
    let header = ["cohort", "size"] + ReportDefinition.retentionDays.map { "day \($0)" }
    let rows = cohorts.map { cohort in
      ["\(cohort.period.start)", cohort.size.text(.installations)]
        + cohort.retained.map { retained in
          guard let count = retained.number, let size = cohort.size.number, size > 0 else {
            return retained.text(.installations)
          }
          return "\(retained.text(.installations)) (\(percent(count / size)))"
        }
    }
    return "\n" + AlignedTable(header: header, rows: rows).text
  }
}

extension MetricValue {
  /// The value as a number; `nil` for none.
  var number: Double? {
    switch self {
    case .integer(let number): Double(number)
    case .ratio(let ratio): ratio
    case .money(let thousandths): Double(thousandths) / 1000
    case .null: nil
    }
  }

  /// The value as people read it.
  func text(_ unit: MetricUnit) -> String {
    switch self {
    case .integer(let number): grouped(number)
    case .ratio(let ratio): unit == .ratio ? percent(ratio) : fixed(ratio, decimals: 1)
    case .money(let thousandths): decimal(thousandths: thousandths)
    case .null: "–"
    }
  }

  func change(from previous: MetricValue) -> String {
    guard let now = number, let before = previous.number, before != 0 else { return "" }
    let change = (now - before) / before
    return (change >= 0 ? "+" : "") + percent(change)
  }
}

private func percent(_ ratio: Double) -> String { fixed(ratio * 100, decimals: 1) + " %" }

private func fixed(_ value: Double, decimals: Int) -> String {
  var scale: Double = 1
  for _ in 0..<decimals { scale *= 10 }
  let rounded = (value.magnitude * scale).rounded()
  // Beyond that nobody counts decimals.
  guard rounded < 1e15 else { return "\(value)" }
  let digits = String(Int64(rounded))
  let padded = String(repeating: "0", count: max(0, decimals + 1 - digits.count)) + digits
  let sign = value < 0 && rounded > 0 ? "-" : ""
  return sign + padded.dropLast(decimals) + "." + padded.suffix(decimals)
}

private func grouped(_ number: Int64) -> String {
  var text = ""
  for (position, digit) in String(number.magnitude).reversed().enumerated() {
    if position > 0, position % 3 == 0 { text.append(",") }
    text.append(digit)
  }
  return (number < 0 ? "-" : "") + String(text.reversed())
}

/// Columns of text: the first to the left, the others to the right.
struct AlignedTable {
  let header: [String]
  let rows: [[String]]
  /// Whether the last column is no number and goes to the left.
  var lastIsText = false

  var text: String {
    let widths = header.indices.map { column in ([header] + rows).map { $0[column].count }.max() ?? 0 }
    return ([header] + rows).map { row in
      let cells = row.enumerated().map { column, cell in
        let padding = String(repeating: " ", count: widths[column] - cell.count)
        return column == 0 || (lastIsText && column == row.count - 1) ? cell + padding : padding + cell
      }
      return "  " + cells.joined(separator: "  ").trimmingTrailingSpaces + "\n"
    }.joined()
  }
}

extension String {
  fileprivate var trimmingTrailingSpaces: String {
    var end = endIndex
    while end > startIndex, self[index(before: end)] == " " { end = index(before: end) }
    return String(self[..<end])
  }
}

/// A series as a line of blocks, from 0 to its largest value.
enum Sparkline {
  private static let blocks: [Character] = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"]

  static func render(_ values: [Double?]) -> String {
    let largest = values.compactMap(\.self).max() ?? 0
    return String(
      values.map { value in
        guard let value else { return " " }
        guard largest > 0, value > 0 else { return blocks[0] }
        return blocks[min(7, Int(value / largest * 8))]
      })
  }
}
