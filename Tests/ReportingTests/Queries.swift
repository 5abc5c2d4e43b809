import AnalyticsContract
import Reporting
import Testing

@Suite struct Queries {
  private let today = CalendarDay(iso8601: "2026-11-29")!

  private func query(_ text: String) throws(QueryError) -> ReportQuery {
    let parameters = text.split(separator: "&").map { pair in
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      return (name: parts[0], value: parts.count > 1 ? parts[1] : "")
    }
    return try ReportQuery(parameters, today: today)
  }

  private func range(_ text: String) throws -> String {
    let range = try query(text).range
    return "\(range.lowerBound) \(range.upperBound)"
  }

  @Test func withoutDatesItIsTheLast28CompleteDays() throws {
    #expect(try range("") == "2026-11-01 2026-11-28")
    #expect(try range("to=2026-11-29") == "2026-11-02 2026-11-29")
    #expect(try range("from=2026-11-27") == "2026-11-27 2026-11-28")
    #expect(try query("").granularity == .day && query("").format == .json)
    #expect(try query("granularity=month&format=csv").granularity == .month)
  }

  @Test func aSpanOf731DaysIsTheLongest() throws {
    #expect(try range("from=2024-11-29&to=2026-11-29") == "2024-11-29 2026-11-29")
    #expect(throws: QueryError.self) { try range("from=2024-11-28&to=2026-11-29") }
  }

  @Test(arguments: [
    ("from=2026-11-20&to=2026-11-19", ReportQuery.Parameter.to, ViolationRule.outOfRange),
    ("to=2026-11-30", .to, .inFuture), ("from=2026-11-30", .to, .outOfRange), ("from=yesterday", .from, .date),
    ("from=", .from, .date), ("to=2026-02-29", .to, .date), ("from=0001-01-01", .from, .outOfRange),
    ("granularity=hour", .granularity, .unknownValue), ("granularity=", .granularity, .unknownValue),
    ("format=xml", .format, .unknownValue), ("from=2026-11-01&from=2026-11-01", .from, .duplicateParameter),
  ])
  func aParameterThatMakesNoSenseIsNamed(
    _ text: String, _ parameter: ReportQuery.Parameter, _ rule: ViolationRule
  ) throws {
    let error = try #require(throws: QueryError.self) { try query(text) }
    #expect(error.problems.map(\.parameter) == [parameter] && error.problems.map(\.rule) == [rule])
  }

  @Test func aParameterThatNobodyKnowsIsNotNamed() throws {
    let error = try #require(throws: QueryError.self) { try query("secret=1") }
    #expect(error.problems.map(\.parameter) == [nil] && error.problems.map(\.rule) == [.unknownParameter])
  }
}
