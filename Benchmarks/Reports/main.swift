import AnalyticsContract
import Foundation
import Ingestion
import PostgreSQL
import Reporting
import ServerFacts
import Storage

// How long reports take on a large database: `Benchmarks/reports` calls it. Arguments: what to do (`generate` or
// `measure`), the database (a path or a postgres:// URL), installations, events of each, rounds.

func say(_ text: String) { FileHandle.standardOutput.write(Data((text + "\n").utf8)) }
let arguments = CommandLine.arguments
guard arguments.count == 6, let installations = Int(arguments[3]), let eventsEach = Int(arguments[4]),
  let rounds = Int(arguments[5])
else {
  say("usage: reports-benchmark generate|measure DATABASE INSTALLATIONS EVENTS-EACH ROUNDS")
  exit(2)
}
let end = CalendarDay(iso8601: "2026-11-28")!
let population = Population(
  installations: installations, days: end.advanced(by: -59)...end, eventsEach: eventsEach)
let now = end.advanced(by: 1).start.advanced(bySeconds: 8 * 3600)
let store: any AnalyticsStore =
  arguments[2].hasPrefix("postgres")
  ? try PostgreSQLStore(url: PostgreSQLURL(arguments[2])!, role: .server, writerCount: 1, clock: .fixed(now))
  : try SQLiteStore(path: arguments[2], role: .server, clock: .fixed(now))

if arguments[1] == "generate" {
  // A group has one batch of an installation: events and summaries go in turn.
  var groups: [[Submission]] = [[], []]
  var items = 0
  func flush() async throws {
    for position in groups.indices where !groups[position].isEmpty {
      _ = try await store.commit(groups[position], counts: DayCounts())
      groups[position].removeAll(keepingCapacity: true)
    }
  }
  for number in 0..<installations {
    for (position, submission) in population.submissions(of: number).enumerated() {
      groups[position].append(submission)
      items += submission.items.count
    }
    if groups[0].count == 500 { try await flush() }
    if number % 100_000 == 99_999 { say("\(number + 1) installations, \(items) items") }
  }
  try await flush()
  for facts in population.facts(accounts: installations / 20, settlementsEach: 5) {
    _ = try await store.state(facts, at: now)
  }
} else {
  for days in [28, 60] {
    for report in Report.allCases {
      let query = ReportQuery(range: end.advanced(by: Int32(1 - days))...end)
      // Warm.
      _ = try await store.answer(report, query, at: now)
      var times: [Double] = []
      for _ in 0..<rounds {
        let start = ContinuousClock.now
        let answer = try await store.answer(report, query, at: now).json()
        let took = ContinuousClock.now - start
        precondition(!answer.isEmpty)
        times.append(Double(took.components.attoseconds) / 1e15 + Double(took.components.seconds) * 1000)
      }
      times.sort()
      let name = report.rawValue.padding(toLength: 13, withPad: " ", startingAt: 0)
      say("\(days) days  \(name) " + String(format: "%8.1f ms", times[times.count / 2]))
    }
  }
  var usage = rusage()
  getrusage(Int32(RUSAGE_SELF.rawValue), &usage)
  say("memory peak \(usage.ru_maxrss / 1024) MiB")
}
await store.close()
