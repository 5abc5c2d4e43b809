import AnalyticsContract
import Foundation
import Ingestion
import PostgreSQL
import ServerFacts
import TestSupport
import Testing

@testable import Storage

/// The instant that these tests happen at.
let noon = Instant(iso8601: "2026-11-29T12:00:00Z")!

/// A store with a database of its own, in the database that the tests run on.
final class StoreFixture: Sendable {
  private let folder: TemporaryFolder
  private let database: ServerDatabase

  init() throws {
    folder = try TemporaryFolder()
    database = try .make(in: folder.path)
  }

  deinit {
    database.remove()
    folder.remove()
  }

  /// Whether the database is a SQLite file.
  var isFile: Bool { DatabaseUnderTest.isSQLite }

  func open(_ role: StoreRole = .server) async throws -> any AnalyticsStore {
    switch database {
    case .sqlite(let path): try SQLiteStore(path: path, role: role, clock: .fixed(noon))
    case .postgresql(let database):
      try PostgreSQLStore(url: #require(PostgreSQLURL(database.access.url)), role: role, clock: .fixed(noon))
    }
  }

  /// The name of the database and of the role that owns it, or the file's.
  var name: String { database.name }

  /// Connects as any other program would.
  func connect() throws -> any DatabaseConnection { try database.connect() }

  /// Reads the database from outside. NULL is 0.
  func rows(_ sql: String) throws -> [[Int64]] {
    try connect().rows(sql).map { row in try row.map { try #require(Int64($0 ?? "0")) } }
  }

  func count(_ table: String) throws -> Int64 { try rows("SELECT count(*) FROM \(table)")[0][0] }

  /// Runs a statement from outside.
  func execute(_ sql: String) throws { try connect().execute(sql) }
}

/// A store on a SQLite file in a folder of its own.
struct FileFixture {
  init() throws { folder = try TemporaryFolder() }

  let folder: TemporaryFolder
  var path: String { folder.file("analytics.sqlite") }

  func open(_ role: StoreRole = .server) throws -> SQLiteStore {
    try SQLiteStore(path: path, role: role, clock: .fixed(noon))
  }

  func count(_ table: String) throws -> Int? { try DatabaseFile(path: path).integer("SELECT count(*) FROM \(table)") }

  /// Runs a statement from outside.
  func execute(_ sql: String) throws { try DatabaseFile(path: path).execute(sql) }
}

func event(
  _ kind: EventKind = .sessionStarted(on: .app), id: UUIDValue = .random(), at instant: Instant = noon,
  version: String? = nil
) -> Event {
  Event(
    clientEventID: id, occurredAt: instant, kind: kind, appVersion: version.flatMap { ReleaseVersion($0) },
    osVersion: nil)
}

func summary(
  id: UUIDValue = .random(), daysAgo: Int32 = 1, chinese: Int32 = 10, version: String? = nil
) -> KeyboardUsageSummary {
  var counts = UsageCounts()
  counts[.chineseCharacters] = chinese
  counts[.inputSessions] = 2
  counts[.chineseOnlySessions] = 2
  return KeyboardUsageSummary(
    clientSummaryID: id, date: noon.day.advanced(by: -daysAgo), counts: counts,
    appVersion: version.flatMap { ReleaseVersion($0) })
}

func submission(
  _ items: BatchItems, of installation: String = "a", session: String? = nil, stating account: UUIDValue? = nil,
  at instant: Instant = noon
) -> Submission {
  Submission(
    installation: Digest(hashing: installation), items: items,
    session: session.map { AccessToken(digest: Digest(hashing: $0), account: account) }, receivedAt: instant)
}

extension BatchStore {
  /// Commits one batch as a group of its own.
  func commit(_ submission: Submission) async throws -> CommitOutcome {
    try await commit([submission], counts: DayCounts())[0]
  }
}

extension FactStore {
  /// States that a session was issued.
  func issue(_ session: String, account: UUIDValue, lasting seconds: Int64 = 3600) async throws {
    let kind = FactKind.sessionIssued(
      account: account, token: Digest(hashing: session), expiresAt: noon.advanced(bySeconds: seconds))
    _ = try await state([Fact(id: .random(), occurredAt: noon, kind: kind)], at: noon)
  }
}

/// The whole contents of a file; empty where there is none.
func contents(ofFile path: String) -> [UInt8] { Array(FileManager.default.contents(atPath: path) ?? Data()) }
