import TestSupport
import Testing

/// Asks a server for reports, and compares.
struct ReportClient {
  static let prefix = "/v1/admin/analytics/"

  let server: ServerProcess
  let token: String

  init(_ server: ServerProcess, name: String = "reports") throws {
    self.server = server
    token = try server.createToken(scope: "admin", name: name)
  }

  func get(_ report: String, _ query: String = "", method: String = "GET") throws -> HTTPReply {
    try exchange(
      method, path: Self.prefix + report + (query.isEmpty ? "" : "?" + query), port: server.port,
      headers: [bearer(token)])
  }

  static func query(_ from: Int, _ to: Int, _ granularity: ReportGranularity) -> String {
    "from=\(ReportCalendar.text(from))&to=\(ReportCalendar.text(to))&granularity=\(granularity.rawValue)"
  }

  /// Expects a report to be what a history makes it.
  func expect(
    _ history: ReportHistory, _ report: String, _ from: Int, _ to: Int, _ granularity: ReportGranularity = .day,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let expected = history.report(report, from, to, granularity)
    expectAnswer(try get(report, Self.query(from, to, granularity)), expected, sourceLocation: sourceLocation)
  }

  /// Expects all reports of a range to be what a history makes them.
  func expectAll(
    _ history: ReportHistory, _ from: Int, _ to: Int,
    _ granularities: [ReportGranularity] = ReportGranularity.allCases, except: Set<String> = [],
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    for report in ReportHistory.reports where !except.contains(report) {
      for granularity in granularities {
        try expect(history, report, from, to, granularity, sourceLocation: sourceLocation)
      }
    }
  }

  /// Refusals may be counted up to a second late.
  func awaitRejections(_ history: ReportHistory, sourceLocation: SourceLocation = #_sourceLocation) throws {
    let days = history.rejections.map(\.day)
    guard let first = days.min(), let last = days.max() else { return }
    let query = Self.query(max(first, last - 700), last, .month)
    var seen: Int?
    let isThere = try waitUntil(seconds: 10) {
      seen = OrderedJSON(try get("quality", query).text)?["totals"]?["rejectedBatches"]?.integer
      return seen == history.rejections.count
    }
    #expect(
      isThere, "rejectedBatches: expected \(history.rejections.count), actual \(seen ?? -1)",
      sourceLocation: sourceLocation)
  }
}

/// Expects an answer to be a report, and reports the first differences in one issue.
func expectAnswer(
  _ reply: HTTPReply, _ expected: ExpectedReport, sourceLocation: SourceLocation = #_sourceLocation
) {
  guard reply.status == 200, let answer = OrderedJSON(reply.text) else {
    Issue.record(
      "\(expected.title): status \(reply.status), \(reply.text.prefix(300))", sourceLocation: sourceLocation)
    return
  }
  expectCommonHeaders(reply, "\(expected.title)", sourceLocation: sourceLocation)
  expectAnswer(answer, expected, sourceLocation: sourceLocation)
}

/// Likewise, of an answer that has been read.
func expectAnswer(
  _ answer: OrderedJSON, _ expected: ExpectedReport, sourceLocation: SourceLocation = #_sourceLocation
) {
  var comparison = ReportComparison(expected)
  comparison.compare(answer)
  let differences = comparison.differences
  if differences.isEmpty { return }
  let more = differences.count > 12 ? "\n  and \(differences.count - 12) more" : ""
  Issue.record(
    "\(expected.title):\n  \(differences.prefix(12).joined(separator: "\n  "))\(more)", sourceLocation: sourceLocation)
}

/// What differs between an answer and what it must be.
private struct ReportComparison {
  let expected: ExpectedReport
  var differences: [String] = []

  init(_ expected: ExpectedReport) { self.expected = expected }

  mutating func differ(_ place: String, _ expected: String, _ actual: OrderedJSON?) {
    differences.append("\(place): expected \(expected), actual \(actual?.brief.prefix(160) ?? "nothing")")
  }

  mutating func compare(_ answer: OrderedJSON) {
    let unavailable = expected.unavailable
    let named = answer["unavailable"]
    var members = ["report", "from", "to", "granularity", "timeZone", "generatedAt"]
    if expected.cohorts != nil {
      members.append("cohorts")
    } else {
      members.append("totals")
      if expected.previousTotals != nil { members.append("previousTotals") }
      members.append("series")
      if !expected.breakdowns.isEmpty { members.append("breakdowns") }
    }
    if named != nil { members.append("unavailable") }
    if answer.names != members { differences.append("members: expected \(members), actual \(answer.names)") }
    for (name, text) in [
      ("report", expected.name), ("from", ReportCalendar.text(expected.from)),
      ("to", ReportCalendar.text(expected.to)), ("granularity", expected.granularity.rawValue), ("timeZone", "UTC"),
      ("generatedAt", ReportCalendar.text(instant: expected.generatedAt, digits: 3)),
    ] where answer[name]?.text != text { differ(name, text, answer[name]) }
    let names = (named?.elements ?? []).compactMap(\.text)
    let isRight =
      unavailable.required.isSubset(of: names) && unavailable.allowed.isSuperset(of: names)
      && names == Set(names).sorted() && (named == nil || !names.isEmpty)
    if !isRight { differ("unavailable", "\(unavailable.required.sorted())", named) }
    if let cohorts = expected.cohorts { return compare(answer["cohorts"], cohorts) }
    if let totals = expected.totals { compare("totals", answer["totals"], totals) }
    if let previous = expected.previousTotals { compare("previousTotals", answer["previousTotals"], previous) }
    compareSeries(answer["series"]?.elements ?? [])
    compareBreakdowns(answer["breakdowns"])
  }

  private mutating func compare(_ place: String, _ row: OrderedJSON?, _ figures: FigureRow, key: String? = nil) {
    let names = (key.map { [$0] } ?? []) + figures.names
    guard let row, row.names == names else {
      differences.append("\(place): expected members \(names), actual \(row?.names ?? [])")
      return
    }
    for (name, figure) in figures.figures where !figure.matches(row[name]) {
      differ("\(place).\(name)", figure.brief, row[name])
    }
  }

  private mutating func compareSeries(_ rows: [OrderedJSON]) {
    let (periods, actual) = (expected.series.map(\.period), rows.map { $0["period"]?.text ?? "?" })
    guard periods == actual else {
      differences.append("periods: expected \(periods), actual \(actual)")
      return
    }
    for (row, (period, figures)) in zip(rows, expected.series) {
      compare("series[\(period)]", row, figures, key: "period")
    }
  }

  private mutating func compareBreakdowns(_ answer: OrderedJSON?) {
    let names = expected.breakdowns.map(\.name)
    guard names == answer?.names ?? [] else {
      differences.append("breakdowns: expected \(names), actual \(answer?.names ?? [])")
      return
    }
    for (name, rows) in expected.breakdowns {
      guard let rows else { continue }
      let actual = answer?[name]?.elements ?? []
      let keys = rows.map { $0.key.map { "\"\($0)\"" } ?? "null" }
      let actualKeys = actual.map { $0["key"]?.brief ?? "?" }
      if keys != actualKeys { differences.append("\(name) keys: expected \(keys), actual \(actualKeys)") }
      for (key, figures) in rows {
        let json = key.map { OrderedJSON.string($0) } ?? .null
        guard let row = actual.first(where: { $0["key"] == json }) else { continue }
        compare("\(name)[\(key ?? "null")]", row, figures, key: "key")
      }
    }
  }

  private mutating func compare(
    _ answer: OrderedJSON?, _ cohorts: [(cohort: String, size: Int, retained: [(days: Int, count: Figure)])]
  ) {
    let rows = answer?.elements ?? []
    let (names, actual) = (cohorts.map(\.cohort), rows.map { $0["cohort"]?.text ?? "?" })
    guard names == actual else {
      differences.append("cohorts: expected \(names), actual \(actual)")
      return
    }
    for (row, cohort) in zip(rows, cohorts) {
      let place = "cohorts[\(cohort.cohort)]"
      if row.names != ["cohort", "size", "retained"] { differences.append("\(place): members \(row.names)") }
      if row["size"]?.integer != cohort.size { differ(place + ".size", "\(cohort.size)", row["size"]) }
      let retained = row["retained"]
      if retained?.names != cohort.retained.map({ "\($0.days)" }) { differ(place + ".retained", "1 to 28", retained) }
      for (days, figure) in cohort.retained where !figure.matches(retained?["\(days)"]) {
        differ("\(place).retained[\(days)]", figure.brief, retained?["\(days)"])
      }
    }
  }
}
