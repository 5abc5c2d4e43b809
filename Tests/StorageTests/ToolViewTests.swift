import AnalyticsContract
import Ingestion
import ServerFacts
import TestSupport
import Testing

@testable import Storage

/// The views for other tools.
@Suite struct ToolViewTests {
  private let fixture = try! StoreFixture()

  private func migrated() async throws -> any DatabaseConnection {
    let store = try await fixture.open(.migration)
    await store.close()
    return try fixture.connect()
  }

  /// The views that there are, with their columns in order.
  private func columns(_ database: any DatabaseConnection) throws -> [String: [String]] {
    let rows = try database.rows(
      fixture.isFile
        ? """
        SELECT view.name, entry.name FROM sqlite_master AS view, pragma_table_info(view.name) AS entry
        WHERE view.type = 'view' ORDER BY view.name, entry.cid
        """
        : """
        SELECT table_name, column_name FROM information_schema.columns
        WHERE table_schema = 'osg_analytics' AND table_name LIKE 'v\\_%' ORDER BY table_name, ordinal_position
        """)
    return rows.reduce(into: [:]) { $0[$1[0]!, default: []].append($1[1]!) }
  }

  // MARK: - Names

  @Test func theNewestViewsHaveANameForEveryCode() {
    #expect(
      ViewNames.newest == .all,
      "a value was added: add a migration that replaces the views, and let ViewNames.newest be its names")
  }

  @Test func theStatementsAreWhatTheyWere() {
    // Databases remember these. Never change them: see Migration.
    let migration = Migration.all.first { $0.name == "views" }
    #expect(migration.map { hex($0.sqlite) } == "9137a2ddc74f49bd26d7a92544e24e46ef05c7f112a21804d15809cb5791ed18")
    #expect(migration.map { hex($0.postgreSQL) } == "1ec59c85fae876ec8491650d8393fbd47c6e233ea30b4bbceaacc6ac2b1236d3")
  }

  private func hex(_ text: String) -> String {
    Digest(hashing: text).withUnsafeBytes { bytes in
      bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
  }

  /// A name for every code, as the database shows them.
  private func expectNames(
    _ database: any DatabaseConnection, _ view: String, _ column: String, _ expected: [String],
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let shown = try database.rows("SELECT DISTINCT \(column) FROM \(view) WHERE \(column) IS NOT NULL")
    #expect(shown.count == expected.count, "\(view).\(column)", sourceLocation: sourceLocation)
    #expect(Set(shown.map { $0[0] }) == Set(expected), "\(view).\(column)", sourceLocation: sourceLocation)
  }

  @Test func everyCodeIsShownByItsNameAndZeroAsAbsent() async throws {
    let database = try await migrated()
    let totals = fixture.isFile ? "" : "folded_"
    for number in 0...20 {
      let codes = Array(repeating: "\(number)", count: 7).joined(separator: ", ")
      try database.execute(
        """
        INSERT INTO \(totals)event_day_totals VALUES (20000, \(codes), '', 1);
        INSERT INTO \(totals)receipt_day_totals VALUES (20000, \(number), \(number), \(number), '', 1);
        INSERT INTO sealed_cohorts VALUES (20000, \(number), 1, 1, 1, 1, 1, 1, 1)
        """)
      try database.execute(
        """
        INSERT INTO events VALUES (\(number), \(bytes(16, number)), 0, 0, \(codes), NULL, NULL);
        INSERT INTO settlements VALUES (\(bytes(16, number)), NULL, 0, \(number), 1);
        INSERT INTO storekit_transactions
        VALUES ('\(number)', '1', NULL, 'p', \(number), 1, 0, NULL, NULL, NULL, \(number), NULL)
        """)
    }
    for code in ErrorCode.allCases {
      try database.execute("INSERT INTO \(totals)rejection_day_totals VALUES (20000, \(code.status), 1)")
    }
    for view in ["v_events", "v_day_totals"] {
      try expectNames(database, view, "event_type", EventType.allCases.map(\.name))
      try expectNames(database, view, "surface", Surface.allCases.map(\.name))
      try expectNames(database, view, "acquisition_channel", AcquisitionChannel.allCases.map(\.name))
      try expectNames(database, view, "feature", Feature.allCases.map(\.name))
      try expectNames(database, view, "execution_mode", ExecutionMode.allCases.map(\.name))
      try expectNames(database, view, "failure_category", FailureCategory.allCases.map(\.name))
      try expectNames(database, view, "duration_bucket", DurationBucket.allCases.map(\.name))
    }
    try expectNames(database, "v_sealed_cohorts", "acquisition_channel", AcquisitionChannel.allCases.map(\.name))
    try expectNames(database, "v_settlements", "feature", Feature.allCases.map(\.name))
    try expectNames(database, "v_receipt_day_totals", "lateness", Lateness.allCases.map(\.name))
    try expectNames(database, "v_receipt_day_totals", "endpoint", ["events", "keyboard_usage"])
    try expectNames(database, "v_receipt_day_totals", "outcome", ["accepted", "replayed"])
    let errors = ErrorCode.allCases.map(\.wireName.description)
    try expectNames(database, "v_rejection_day_totals", "error_code", errors)
    let types = StoreKitProductType.allCases.map(\.name.description)
    try expectNames(database, "v_storekit_transactions", "product_type", types)
    let environments = StoreKitEnvironment.allCases.map(\.name.description)
    try expectNames(database, "v_storekit_transactions", "environment", environments)
    let pairs = try database.rows("SELECT status, error_code FROM v_rejection_day_totals")
    #expect(Set(pairs) == Set(ErrorCode.allCases.map { ["\($0.status)", $0.wireName.description] }))
  }

  // MARK: - Times

  @Test func timesAreInTheirDayAndWeekToTheLastMicrosecond() async throws {
    let database = try await migrated()
    let instants = [
      // Sunday's last microsecond, Monday's first, the last of a leap day and of a year.
      "2026-11-29T23:59:59.999999Z", "2026-11-30T00:00:00.000000Z", "2028-02-29T23:59:59.999999Z",
      "2026-12-31T23:59:59.999999Z", "1970-01-01T00:00:00.000001Z",
    ]
    for (number, text) in instants.enumerated() {
      let instant = try #require(Instant(iso8601: text))
      try database.execute(
        "INSERT INTO settlements VALUES (\(bytes(16, number)), NULL, \(instant.microseconds), 1, \(number + 1))")
      try database.execute(
        """
        INSERT INTO keyboard_summaries
        VALUES (\(number), \(instant.day.daysSince1970), \(bytes(16, number)), \(instant.microseconds), 1, 0, 0, 1,
          1, 0, 0, 0, NULL, NULL)
        """)
    }
    let expected = [
      ["2026-11-29T23:59:59Z", "2026-11-29", "2026-11-23"], ["2026-11-30T00:00:00Z", "2026-11-30", "2026-11-30"],
      ["2028-02-29T23:59:59Z", "2028-02-29", "2028-02-28"], ["2026-12-31T23:59:59Z", "2026-12-31", "2026-12-28"],
      ["1970-01-01T00:00:00Z", "1970-01-01", "1969-12-29"],
    ]
    let time =
      fixture.isFile ? "settled_at" : "to_char(settled_at AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"')"
    #expect(try database.rows("SELECT \(time), day, week FROM v_settlements ORDER BY credits") == expected)
    let days = try database.rows("SELECT day, week, received_day FROM v_keyboard_usage").map { $0.map { $0! } }
    #expect(Set(days) == Set(expected.map { [$0[1], $0[2], $0[1]] }))
    if fixture.isFile { return }
    let types = try database.rows(
      "SELECT pg_typeof(settled_at), pg_typeof(day), pg_typeof(week) FROM v_settlements LIMIT 1")
    #expect(types == [["timestamp with time zone", "date", "date"]])
  }

  @Test func theTimeOfReceiptTellsNoBatchesApart() async throws {
    let database = try await migrated()
    for (number, text) in ["2026-11-28T10:00:00.000000Z", "2026-11-28T10:59:59.999999Z"].enumerated() {
      let received = try #require(Instant(iso8601: text)).microseconds
      try database.execute(
        """
        INSERT INTO events VALUES (\(number), \(bytes(16, number)), \(received), \(received), 2, 1, NULL, NULL, NULL,
          NULL, NULL, NULL, NULL)
        """)
    }
    let time = fixture.isFile ? "received_at" : "extract(epoch FROM received_at)::bigint"
    let shown = try database.rows("SELECT DISTINCT \(time) FROM v_events")
    #expect(shown == [[fixture.isFile ? "2026-11-28T10:00:00Z" : "1795860000"]])
  }

  // MARK: - Numbers

  @Test func amountsHaveThreeDecimals() async throws {
    let database = try await migrated()
    for (number, price) in ["9990", "1", "0", "NULL", "12345678901"].enumerated() {
      try database.execute(
        """
        INSERT INTO storekit_transactions
        VALUES ('\(number)', '1', NULL, 'p', 1, 1, 0, \(price), NULL, NULL, 1, NULL)
        """)
    }
    let shown = try database.rows("SELECT price FROM v_storekit_transactions ORDER BY price").map { $0[0] }
    #expect(
      fixture.isFile
        ? shown == [nil, "0.0", "0.001", "9.99", "12345678.901"]
        : shown == ["0.000", "0.001", "9.990", "12345678.901", nil])
  }

  @Test func registrationsCountThoseThatWereDeleted() async throws {
    let database = try await migrated()
    let day = noon.day.daysSince1970
    for (number, created) in ["\(noon.microseconds)", "\(noon.microseconds + 1)", "NULL"].enumerated() {
      try database.execute("INSERT INTO accounts VALUES (\(bytes(16, number)), \(created))")
    }
    try database.execute("INSERT INTO deleted_registration_day_totals VALUES (\(day), 3), (\(day - 1), 1)")
    #expect(
      try database.rows("SELECT day, week, account_count FROM v_registrations ORDER BY day")
        == [["2026-11-28", "2026-11-23", "1"], ["2026-11-29", "2026-11-23", "5"]])
  }

  @Test func activityIsThatOfSealedDaysAndOfTheDaysAfterThem() async throws {
    let database = try await migrated()
    let day = noon.day.daysSince1970
    let kinds = (0..<8).map { 1 << $0 }
    for (number, kinds) in (kinds + [255]).enumerated() {
      for day in [day - 1, day] { try database.execute("INSERT INTO activity VALUES (\(number), \(day), \(kinds))") }
    }
    let counted = ["3", "2", "2", "2", "2", "2", "2", "2"]
    let query = "SELECT * FROM v_day_activity ORDER BY day"
    #expect(try database.rows(query) == [["2026-11-28"] + counted, ["2026-11-29"] + counted])
    // What has expired since the sealing is in the sealed numbers nevertheless.
    try database.execute(
      """
      INSERT INTO sealed_days
      VALUES (\(day - 1), 0, 11, 12, 13, 70, 280, 14, 15, 16, 17, 18, 100, 101, \(bytes(32, 1)))
      """)
    let sealed = ["11", "12", "13", "14", "15", "16", "17", "18"]
    #expect(try database.rows(query) == [["2026-11-28"] + sealed, ["2026-11-29"] + counted])
    let all = try database.rows("SELECT * FROM v_sealed_days")[0]
    let rest = ["11", "12", "13", "70", "280", "14", "15", "16", "17", "18", "100", "101"]
    #expect(all[0] == "2026-11-28")
    #expect(all.dropFirst(2).map { $0 } == rest)
  }

  // MARK: - No identity

  /// Parts of the names of columns that tell installations, accounts, people or their items apart.
  private static let identifying = ["digest", "_id", "_key", "token", "account_", "inviter", "invitee", "name"]
  /// Columns that only sound like one.
  private static let harmless = ["product_id", "account_count", "active_in_keyboard"]

  @Test func noColumnTellsInstallationsOrAccountsApart() async throws {
    let database = try await migrated()
    let views = try columns(database)
    #expect(views.count == ToolView.all(.newest).count)
    for (view, columns) in views {
      #expect(view.hasPrefix("v_"))
      for column in columns where !Self.harmless.contains(column) {
        #expect(!Self.identifying.contains { column.contains($0) }, "\(view).\(column)")
      }
    }
    if fixture.isFile { return }
    // Nor is one read under another name.
    let read = try database.rows(
      """
      SELECT DISTINCT column_name FROM information_schema.view_column_usage
      WHERE view_schema = 'osg_analytics' AND view_name LIKE 'v\\_%'
      """
    ).compactMap { $0[0] }
    #expect(read.contains("occurred_at"))
    for column in read where !Self.harmless.contains(column) {
      #expect(!Self.identifying.contains { column.contains($0) }, "\(column)")
    }
  }

  @Test func noViewShowsAValueThatIdentifies() async throws {
    let database = try await migrated()
    let (key, text) = (987_654_321, "Mark987654321")
    let tables = try database.rows(
      fixture.isFile
        ? "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'"
        : """
        SELECT tablename FROM pg_tables WHERE schemaname = 'osg_analytics' AND tablename <> 'day_total_deltas'
        """
    ).compactMap { $0[0] }
    var marked = 0
    for table in tables where table != "schema_migrations" {
      let columns = try database.rows(
        fixture.isFile
          ? "SELECT name, type FROM pragma_table_info('\(table)') ORDER BY cid"
          : """
          SELECT column_name, data_type FROM information_schema.columns
          WHERE table_schema = 'osg_analytics' AND table_name = '\(table)' ORDER BY ordinal_position
          """)
      let values = columns.map { column -> String in
        let (name, type) = (column[0]!, column[1]!.lowercased())
        if name.hasSuffix("_key") {
          marked += 1
          return "\(key)"
        }
        if ["blob", "bytea", "uuid"].contains(type) {
          marked += 1
          return bytes(name.hasSuffix("digest") ? 32 : 16, 0xCAFE)
        }
        if type == "text" {
          guard name.hasSuffix("transaction_id") || name == "name" else { return "'1'" }
          marked += 1
          return "'\(text)'"
        }
        return "1"
      }
      let overriding =
        ["installations", "installation_set_deltas"].contains(table) && !fixture.isFile ? "OVERRIDING SYSTEM VALUE" : ""
      try database.execute("INSERT INTO \(table) \(overriding) VALUES (\(values.joined(separator: ", ")))")
    }
    #expect(marked > 25)
    for (view, columns) in try columns(database) {
      let texts = columns.map { fixture.isFile ? "quote(\($0))" : "\($0)::text" }
      let rows = try database.rows("SELECT \(texts.joined(separator: ", ")) FROM \(view)")
      #expect(!rows.isEmpty, "\(view)")
      for value in rows.joined() {
        let value = (value ?? "").lowercased()
        #expect(!value.contains("cafe") && !value.contains("\(key)"), "\(view)")
      }
    }
  }

  /// Bytes that end in a number, as a literal of the database.
  private func bytes(_ count: Int, _ number: Int) -> String {
    let digits = String(number, radix: 16)
    let hex = String(repeating: "0", count: 2 * count - digits.count) + digits
    if fixture.isFile { return "x'\(hex)'" }
    return count == 16 ? "'\(hex)'" : "'\\x\(hex)'"
  }
}
