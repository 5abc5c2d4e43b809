import AnalyticsContract

/// What a report is asked about.
public struct ReportQuery: Sendable, Equatable {
  /// The days, both ends included.
  public let range: ClosedRange<CalendarDay>
  /// How long the periods of the series are.
  public let granularity: Granularity
  /// In which form the answer is to come.
  public let format: ReportFormat

  /// How many days a report spans at most: two years, one of them a leap year.
  public static let maximumDays = 731
  /// How many days it spans where it isn't told.
  public static let defaultDays: Int32 = 28

  /// - Parameters:
  ///   - range: the days, both ends included.
  ///   - granularity: how long the periods of the series are.
  ///   - format: in which form the answer is to come.
  public init(range: ClosedRange<CalendarDay>, granularity: Granularity = .day, format: ReportFormat = .json) {
    self.range = range
    self.granularity = granularity
    self.format = format
  }

  /// Reads parameters as a URL's query or a command line has them. Dates are `YYYY-MM-DD`; without them the range is the
  /// last 28 complete days, with one of them what that leaves: up to yesterday, or the 28 days up to `to`.
  /// - Parameters:
  ///   - parameters: names and values, in order.
  ///   - today: the UTC day of the server's clock.
  /// - Throws: ``QueryError`` that names the first parameter that is wrong.
  public init(_ parameters: [(name: String, value: String)], today: CalendarDay) throws(QueryError) {
    var values: [Parameter: String] = [:]
    for (name, value) in parameters {
      guard let parameter = Parameter(rawValue: name) else { throw QueryError(nil, .unknownParameter) }
      guard values.updateValue(value, forKey: parameter) == nil else {
        throw QueryError(parameter, .duplicateParameter)
      }
    }
    func day(_ parameter: Parameter) throws(QueryError) -> CalendarDay? {
      guard let text = values[parameter] else { return nil }
      guard let day = CalendarDay(iso8601: text) else { throw QueryError(parameter, .date) }
      return day
    }
    let from = try day(.from)
    let to = try day(.to) ?? today.advanced(by: -1)
    if to > today { throw QueryError(.to, .inFuture) }
    let first = from ?? to.advanced(by: 1 - Self.defaultDays)
    if to < first { throw QueryError(.to, .outOfRange) }
    let range = first...to
    if range.dayCount > Self.maximumDays { throw QueryError(.from, .outOfRange) }
    var granularity = Granularity.day
    if let text = values[.granularity] {
      guard let value = Granularity(rawValue: text) else { throw QueryError(.granularity, .unknownValue) }
      granularity = value
    }
    var format = ReportFormat.json
    if let text = values[.format] {
      guard let value = ReportFormat(rawValue: text) else { throw QueryError(.format, .unknownValue) }
      format = value
    }
    self.init(range: range, granularity: granularity, format: format)
  }

  /// The names of parameters.
  public enum Parameter: String, CaseIterable, Sendable {
    case from, to, granularity, format
  }
}

/// The form of an answer over HTTP.
public enum ReportFormat: String, CaseIterable, Sendable {
  /// Everything, as JSON.
  case json
  /// The series, as RFC 4180 has it.
  case csv
}

/// A parameter that makes no sense.
public struct QueryError: Error, Equatable, Sendable {
  /// The parameter; `nil` for one that no report knows, whose name is nobody's.
  public let parameter: ReportQuery.Parameter?
  /// What it breaks.
  public let rule: ViolationRule

  init(_ parameter: ReportQuery.Parameter?, _ rule: ViolationRule) {
    self.parameter = parameter
    self.rule = rule
  }
}
