import Foundation
import TestSupport
import Testing

/// `demo`, on the database that the tests run on.
@Suite("Demonstration", .ownThread)
struct DemonstrationTests {
  private static let arguments = ["--installations", "150", "--days", "70", "--end", "2026-11-28", "--seed", "7"]
  private static let clock = ["OSG_ANALYTICS_CLOCK": "fixed:2026-11-29T08:00:00Z"]

  private func run(_ arguments: [String], on database: ServerDatabase) throws -> CommandResult {
    try ServerProcess.run(
      arguments + ["--database", database.url, "--insecure-test-hooks"], environment: Self.clock, seconds: 120)
  }

  /// All day totals, sealed days and cohorts of a database.
  private func totals(_ database: ServerDatabase) throws -> [String] {
    let connection = try database.connect()
    return try [
      "event_day_totals", "usage_day_totals", "receipt_day_totals", "link_day_totals", "invitation_day_totals",
      "sealed_cohorts",
    ].flatMap { table in
      try connection.rows("SELECT * FROM \(table)").map { row in ([table] + row.map { $0 ?? "" }).joined(separator: " ")
      }
      .sorted()
    }
  }

  @Test("fills a database in which everything holds, the same for the same seed, and no other database")
  func demo() throws {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    let databases = try ["first", "second"].map { name in
      let folder = folder.file(name)
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      return try ServerDatabase.make(in: folder)
    }
    defer { for database in databases { database.remove() } }
    for database in databases {
      let result = try run(["demo"] + Self.arguments, on: database)
      #expect(result.status == .code(0), "\(result.error)")
      #expect(result.output.hasPrefix("150 installations from 2026-09-20 to 2026-11-28"))
      // No bar where nobody looks.
      #expect(result.error.isEmpty)
    }
    let first = try totals(databases[0])
    #expect(first.count > 500)
    #expect(first.contains { $0.hasPrefix("sealed_cohorts") })
    #expect(try totals(databases[1]) == first)

    let check = try run(["check"], on: databases[0])
    #expect(check.status == .code(0), "\(check.output)")
    let report = try run(["report", "overview", "--format", "json"], on: databases[0])
    let answer = try #require(
      try JSONSerialization.jsonObject(with: Data(report.output.utf8)) as? [String: Any])
    let figures = try #require(answer["totals"] as? [String: Any])
    for name in [
      "activeInstallations", "firstOpens", "registrations", "aiSucceeded", "creditsConsumed", "inputSessions",
    ] {
      #expect(try #require(figures[name] as? Int) > 0, "\(name)")
    }

    let again = try run(["demo"] + Self.arguments, on: databases[0])
    #expect(again.status == .code(1))
    #expect(again.error.contains("holds data already"))
    #expect(try totals(databases[0]) == first)
  }

  @Test(
    "a population that can't be made is a usage error",
    arguments: [
      ["--installations", "0"], ["--installations", "many"], ["--days", "0"], ["--days", "732"], ["--seed", "-1"],
      ["--end", "2026-11-29"], ["--end", "soon"],
    ])
  func usage(_ arguments: [String]) throws {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    let result = try run(["demo"] + arguments, on: .sqlite(path: folder.file("x.sqlite")))
    #expect(result.status == .code(2), "\(result.error)")
    #expect(result.error.contains(arguments[0]))
  }
}
