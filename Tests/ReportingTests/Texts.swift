import AnalyticsContract
import Testing

@testable import Reporting

@Suite struct Texts {
  @Test(arguments: [
    (0, "0.000"), (5, "0.005"), (-5, "-0.005"), (12_990, "12.990"), (-1_000, "-1.000"),
    (Int64.min, "-9223372036854775.808"),
  ])
  func moneyHasThreeDecimals(_ amount: Int64, _ text: String) { #expect(decimal(thousandths: amount) == text) }

  @Test func figuresAreWrittenForPeople() {
    #expect(MetricValue.integer(1_234_567).text(.events) == "1,234,567")
    #expect(MetricValue.integer(-1_234).text(.events) == "-1,234")
    #expect(MetricValue.integer(123).text(.events) == "123")
    #expect(MetricValue.ratio(0.12345).text(.ratio) == "12.3 %")
    #expect(MetricValue.ratio(1).text(.ratio) == "100.0 %")
    #expect(MetricValue.ratio(12.26).text(.charactersPerSession) == "12.3")
    #expect(MetricValue.null.text(.ratio) == "–")
    #expect(MetricValue.integer(150).change(from: .integer(100)) == "+50.0 %")
    #expect(MetricValue.integer(50).change(from: .integer(100)) == "-50.0 %")
    #expect(MetricValue.integer(50).change(from: .integer(0)) == "")
  }

  @Test func sparklinesGoFromNothingToTheLargestValue() {
    #expect(Sparkline.render([0, 1, 4, 8, nil]) == "▁▂▅█ ")
    #expect(Sparkline.render([0, 0]) == "▁▁")
    #expect(Sparkline.render([]) == "")
  }

  @Test func columnsAreAligned() {
    let table = AlignedTable(header: ["name", "count"], rows: [["a", "1,000"], ["longer", "2"]])
    #expect(table.text == "  name    count\n  a       1,000\n  longer      2\n")
  }

  @Test func theTwentyMostFrequentVersionsHaveRowsOfTheirOwn() {
    let counts = (1...25).map { (version: "v\($0)", count: Int64($0 % 3 + 1)) } + [(version: "", count: 9)]
    let rows = VersionRanking(counts).rows { [.integer(Int64($0.count))] }
    #expect(rows.count == 22)
    let expected = counts.dropLast().sorted { ($1.count, $0.version) < ($0.count, $1.version) }.prefix(20).map(
      \.version)
    #expect(rows.prefix(20).map(\.key) == expected)
    #expect(rows[20].key == "OTHER" && rows[20].values == [.integer(5)])
    #expect(rows[21].key == nil && rows[21].values == [.integer(1)])
    #expect(VersionRanking([]).rows { _ in [] }.isEmpty)
  }

  @Test func csvHasOneHeaderLineAndALineAPeriod() {
    let range = CalendarDay(iso8601: "2026-11-28")!...CalendarDay(iso8601: "2026-11-29")!
    var answer = ReportAnswer(
      report: .credits, query: ReportQuery(range: range), generatedAt: Instant(iso8601: "2026-11-30T08:00:00Z")!)
    answer.series = Period.all(in: range, .day).map {
      ReportAnswer.Row(period: $0, values: [.integer(5), .integer(2), .integer(2), .ratio(2.5)])
    }
    answer.series[1] = ReportAnswer.Row(
      period: answer.series[1].period, values: [.integer(0), .integer(0), .null, .null])
    #expect(
      String(decoding: answer.csv(), as: UTF8.self)
        == "period,creditsConsumed,settlements,spendingAccounts,creditsPerSpendingAccount\r\n"
        + "2026-11-28,5,2,2,2.5\r\n2026-11-29,0,0,,\r\n")
  }

  @Test func keysThatOthersWroteAreEscapedInJSON() {
    let range = CalendarDay(iso8601: "2026-11-28")!...CalendarDay(iso8601: "2026-11-28")!
    var answer = ReportAnswer(
      report: .monetization, query: ReportQuery(range: range), generatedAt: Instant(iso8601: "2026-11-30T08:00:00Z")!)
    answer.breakdowns = [
      [], [ReportAnswer.BreakdownRow(key: "a\"\\\n\u{1F}é", values: [.integer(1), .integer(0)])],
    ]
    #expect(String(decoding: answer.json(), as: UTF8.self).contains(#"{"key":"a\"\\\u000a\u001fé","purchases":1,"#))
  }
}
