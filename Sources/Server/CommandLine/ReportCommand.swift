import AnalyticsContract
import Glibc
import Reporting

/// A report as the command line asks for it.
public struct ReportRequest: Sendable {
  /// The report.
  public let report: Report
  /// The options that are the parameters of the HTTP request, as they were given.
  public let parameters: [(name: String, value: String)]
  /// In which form it is written.
  public let output: ReportOutput

  /// What it asks about, as of today.
  /// - Throws: `UsageError` that names the option.
  func query(today: CalendarDay) throws(UsageError) -> ReportQuery {
    do throws(QueryError) { return try ReportQuery(parameters, today: today) } catch {
      let first = error.problems[0]
      let option = "--\(first.parameter?.rawValue ?? "")"
      let problem =
        switch (first.parameter, first.rule) {
        case (.to, .inFuture): "\(option): that day has not begun (UTC)"
        case (.to, .outOfRange): "\(option): expected a day that is not before --from"
        case (.from, .outOfRange): "\(option): expected at most \(ReportQuery.maximumDays) days up to --to"
        case (.from, _), (.to, _): "\(option): expected a date YYYY-MM-DD"
        default: "\(option): expected another value"
        }
      throw UsageError(problem, command: .report(report))
    }
  }

  /// Writes an answer.
  func text(of answer: ReportAnswer) -> String {
    switch output {
    case .table: answer.table(sparklines: Self.showsBlocks)
    case .json: String(decoding: answer.json(), as: UTF8.self) + "\n"
    case .csv: String(decoding: answer.csv(), as: UTF8.self)
    }
  }

  /// Whether standard output is a terminal that is likely to show block elements.
  private static var showsBlocks: Bool {
    guard isatty(STDOUT_FILENO) == 1, variable("TERM") != "dumb" else { return false }
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].compactMap(variable).first { !$0.isEmpty } ?? ""
    return locale.uppercased().contains("UTF-8") || locale.uppercased().contains("UTF8")
  }

  private static func variable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
}

/// The form in which the command line writes a report.
public enum ReportOutput: CaseIterable, StaticallyLabelled, Sendable {
  /// For people.
  case table
  /// As over HTTP.
  case json
  /// The series, as over HTTP.
  case csv

  /// The option's value.
  public var label: StaticString {
    switch self {
    case .table: "table"
    case .json: "json"
    case .csv: "csv"
    }
  }
}

extension Granularity: StaticallyLabelled {
  /// The option's value.
  public var label: StaticString {
    switch self {
    case .day: "day"
    case .week: "week"
    case .month: "month"
    }
  }
}
