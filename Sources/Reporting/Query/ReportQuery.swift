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
  /// - Throws: ``QueryError`` that names all parameters that are wrong.
  public init(_ parameters: [(name: String, value: String)], today: CalendarDay) throws(QueryError) {
    var problems: [QueryError.Problem] = []
    var values: [Parameter: String] = [:]
    for (name, value) in parameters {
      guard let parameter = Parameter(rawValue: name) else {
        problems.append(.init(nil, .unknownParameter))
        continue
      }
      if values.updateValue(value, forKey: parameter) != nil { problems.append(.init(parameter, .duplicateParameter)) }
    }
    func value<Value>(_ parameter: Parameter, _ rule: ViolationRule, _ read: (String) -> Value?) -> Value? {
      guard let text = values[parameter] else { return nil }
      if let value = read(text) { return value }
      problems.append(.init(parameter, rule))
      return nil
    }
    let from = value(.from, .date) { CalendarDay(iso8601: $0) }
    let to = value(.to, .date) { CalendarDay(iso8601: $0) } ?? today.advanced(by: -1)
    let granularity = value(.granularity, .unknownValue) { Granularity(rawValue: $0) } ?? .day
    let format = value(.format, .unknownValue) { ReportFormat(rawValue: $0) } ?? .json
    let first = from ?? to.advanced(by: 1 - Self.defaultDays)
    // Dates that can't be read are not compared.
    if problems.isEmpty {
      if to > today {
        problems.append(.init(.to, .inFuture))
      } else if to < first {
        problems.append(.init(.to, .outOfRange))
      } else if (first...to).dayCount > Self.maximumDays {
        problems.append(.init(.from, .outOfRange))
      }
    }
    guard problems.isEmpty else { throw QueryError(problems: problems) }
    let range = first...to
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

/// Parameters that make no sense.
public struct QueryError: Error, Equatable, Sendable {
  /// What is wrong with one.
  public struct Problem: Equatable, Sendable {
    /// The parameter; `nil` for one that no report knows, whose name is nobody's.
    public let parameter: ReportQuery.Parameter?
    /// What it breaks.
    public let rule: ViolationRule

    init(_ parameter: ReportQuery.Parameter?, _ rule: ViolationRule) {
      self.parameter = parameter
      self.rule = rule
    }
  }

  /// Everything that is wrong, at least one.
  public let problems: [Problem]
}
