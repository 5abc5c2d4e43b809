import AnalyticsContract

extension ReportAnswer {
  /// The media type of ``csv()``.
  public static let csvType = "text/csv; charset=utf-8"

  /// The series (the cohorts where the report has them) as RFC 4180 has it: one header line, a line a period, CRLF. What
  /// has no value is an empty field. No field needs quotes.
  public func csv() -> [UInt8] {
    var lines: [[String]]
    if report.definition.hasCohorts {
      lines = [["cohort", "size"] + ReportDefinition.retentionDays.map { "retained\($0)" }]
      lines += cohorts.map { ["\($0.period.start)", $0.size.csv] + $0.retained.map(\.csv) }
    } else {
      lines = [["period"] + seriesMetrics.map(\.name)]
      lines += series.map { ["\($0.period.start)"] + $0.values.map(\.csv) }
    }
    return Array(lines.map { $0.joined(separator: ",") + "\r\n" }.joined().utf8)
  }
}

extension MetricValue {
  fileprivate var csv: String {
    switch self {
    case .integer(let number): "\(number)"
    case .ratio(let ratio): "\(ratio)"
    case .money(let thousandths): decimal(thousandths: thousandths)
    case .null: ""
    }
  }
}
