import Foundation
import TestSupport
import Testing

/// The same report as JSON, as CSV and on the command line.
@Suite("Report formats", .ownThread)
struct ReportFormatTests {
  /// A server with one of everything in the days before the fixtures' clock.
  private func withData(_ body: (ReportPopulation, ReportClient) async throws -> Void) async throws {
    let clock = "2026-11-29T12:00:00Z"
    try await withFactServer(arguments: ["--storekit-sandbox"]) { facts in
      var population = ReportPopulation(facts, seed: "formats", clock: clock)
      let today = population.history.today
      try population.openAccounts(4, (today - 30)...today)
      try population.useApp(newcomers: 15, rounds: 1)
      try population.transact(30, (today - 30)...today)
      try await body(population, try ReportClient(facts.server))
    }
  }

  /// The lines of a CSV text; nil where one doesn't end with CRLF or has a field that RFC 4180 wants quoted.
  private func lines(_ text: String) -> [[String]]? {
    let parts = text.components(separatedBy: "\r\n")
    guard parts.last == "", !text.contains("\""), !text.replacing("\r\n", with: "").contains(where: \.isNewline) else {
      return nil
    }
    return parts.dropLast().map { $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init) }
  }

  private func expectTable(_ table: [[String]]?, _ expected: ExpectedReport) throws {
    let rows: [(String, [Figure])]
    let header: [String]
    if let cohorts = expected.cohorts {
      header = ["cohort", "size"] + ReportHistory.retentionDays.map { "retained\($0)" }
      rows = cohorts.map { ($0.cohort, [.count($0.size)] + $0.retained.map(\.count)) }
    } else {
      header = ["period"] + (expected.series.first?.row.names ?? [])
      rows = expected.series.map { ($0.period, $0.row.figures.map(\.value)) }
    }
    let table = try #require(table, "\(expected.title): no CSV")
    try #require(table.first == header, "\(expected.title)")
    try #require(table.count == rows.count + 1, "\(expected.title)")
    for (line, (period, figures)) in zip(table.dropFirst(), rows) {
      try #require(line.count == header.count, "\(expected.title) \(period): \(line)")
      #expect(line[0] == period, "\(expected.title)")
      for (index, figure) in figures.enumerated() where !figure.matches(field: line[index + 1]) {
        Issue.record(
          "\(expected.title) \(period).\(header[index + 1]): expected \(figure.brief), actual \(line[index + 1])")
      }
    }
  }

  @Test("CSV has the series, a line a period, and nothing where there is no value")
  func csv() async throws {
    try await withData { population, client in
      let (history, today) = (population.history, population.history.today)
      for report in ReportHistory.reports {
        for granularity in ReportGranularity.allCases {
          let query = ReportClient.query(today - 37, today, granularity) + "&format=csv"
          let reply = try client.get(report, query)
          #expect(reply.status == 200, "\(report)")
          #expect(reply.header("content-type") == "text/csv; charset=utf-8", "\(report)")
          expectSafetyHeaders(reply, "\(report)")
          try expectTable(lines(reply.text), history.report(report, today - 37, today, granularity))
        }
      }
    }
  }

  @Test("the command line says what HTTP says", arguments: [true, false])
  func commandLine(isServing: Bool) async throws {
    try await withData { population, client in
      let (server, today) = (client.server, population.history.today)
      var answers: [(arguments: [String], text: String)] = []
      for report in ReportHistory.reports {
        for granularity in ReportGranularity.allCases {
          for format in ["json", "csv"] {
            let query = ReportClient.query(today - 36, today, granularity)
            let arguments = [
              "report", report, "--from", ReportCalendar.text(today - 36), "--to", ReportCalendar.text(today),
              "--granularity", granularity.rawValue, "--format", format,
            ]
            answers.append((arguments, try client.get(report, query + "&format=" + format).text))
          }
        }
        answers.append((["report", report, "--format", "json"], try client.get(report).text))
      }
      if !isServing { #expect(server.terminate() == .code(0)) }
      for (arguments, text) in answers {
        let result = try server.run(arguments)
        #expect(result.status == .code(0), "\(arguments): \(result.error)")
        #expect(plain(result.output) == plain(text), "\(arguments)")
      }
      for report in ReportHistory.reports {
        for arguments in [["report", report], ["report", report, "--format", "table"]] {
          let result = try server.run(arguments)
          #expect(result.status == .code(0), "\(arguments): \(result.error)")
          #expect(result.output.contains("2026-11-28"), "\(arguments)")
        }
      }
      for wrong in [
        ["report"], ["report", "qzxw"], ["report", "ai", "--from", "qzxw"], ["report", "ai", "--format", "xml"],
        ["report", "ai", "--granularity", "year"], ["report", "ai", "--from", "2026-11-20", "--to", "2026-11-19"],
        ["report", "ai", "--to", "2026-11-30"], ["report", "ai", "--from", "2024-11-27"], ["report", "ai", "surplus"],
      ] {
        let result = try server.run(wrong)
        #expect(result.status == .code(2), "\(wrong): \(result.output.prefix(100))\(result.error)")
        #expect(result.output.isEmpty && !result.error.isEmpty, "\(wrong)")
      }
    }
  }

  /// An answer but for when it was made and for a line feed at its end.
  private func plain(_ text: String) -> String {
    var text = text.replacing(/"generatedAt":"[^"]*"/, with: "")
    if text.hasSuffix("\n"), !text.hasSuffix("\r\n") { text.removeLast() }
    return text
  }

  @Test("an empty database, and one event in it")
  func little() async throws {
    try await withFactServer { facts in
      var history = ReportHistory(clock: "2026-11-29T12:00:00Z")
      let (client, today) = (try ReportClient(facts.server), history.today)
      func expectEverywhere() throws {
        for (from, to) in [
          (today - 28, today - 1), (today, today), (today - 400, today - 350), (today - 730, today - 200),
          (today - 100, today), (today - 89, today), (today - 90, today - 80),
        ] { try client.expectAll(history, from, to) }
      }
      try expectEverywhere()
      var bodies = WireBodies(seed: "one event")
      let first = bodies.event("FIRST_OPEN").with("occurredAt", "2026-11-29T00:00:00.000Z")
      let batch = bodies.batch(of: first)
      expectTaken(try post(batch, to: facts.port), accepted: 1)
      #expect(history.take(batch, account: nil) == Outcome(accepted: 1, replayed: 0))
      try expectEverywhere()
    }
  }
}
