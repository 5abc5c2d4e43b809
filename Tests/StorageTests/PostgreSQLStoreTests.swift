import AnalyticsContract
import Ingestion
import TestSupport
import Testing

@testable import Storage

@Suite(.enabled(if: DatabaseUnderTest.isPostgreSQL, "a file has no sessions and folds nothing"))
struct PostgreSQLStoreTests {
  private let fixture = try! StoreFixture()

  // MARK: - Folding

  private static let totals = ["event", "usage", "receipt", "rejection", "link"].map { "\($0)_day_totals" }

  /// All rows of the tables or views of day totals, by their names.
  private func totals(
    folded: Bool = false, over connection: (any DatabaseConnection)? = nil
  ) throws -> [String: Set<[String?]>] {
    let connection = try connection ?? fixture.connect()
    return try Dictionary(
      uniqueKeysWithValues: Self.totals.map { name in
        let rows = try connection.rows("SELECT * FROM \(folded ? "folded_" : "")\(name)")
        #expect(Set(rows).count == rows.count)
        return (name, Set(rows))
      })
  }

  private var rejections: RejectionCounts {
    var rejections = RejectionCounts()
    rejections.add(.invalidRequest, on: noon.day, count: 3)
    rejections.add(.conflict, on: noon.day.advanced(by: -1), count: 2)
    return rejections
  }

  /// Commits something for every column of every total, to be added to what is there.
  private func commitSomeOfEverything(_ store: any AnalyticsStore, _ round: Int) async throws {
    let kinds: [EventKind] = [
      .firstOpen(acquisitionChannel: .referral), .sessionStarted(on: .app), .sessionStarted(on: .app),
      .aiFeatureFailed(.polish, mode: .managed, on: .keyboard, failure: .provider, duration: .under1s),
    ]
    let events = BatchItems.events(
      kinds.enumerated().map { index, kind in
        event(kind, at: noon.advanced(bySeconds: -Int64(index) * 40_000), version: index % 2 == 0 ? "2.0.0" : nil)
      })
    let summaries = BatchItems.summaries([everyCounter(daysAgo: 1), everyCounter(daysAgo: 2)])
    let batches = [
      submission(events, of: "a\(round)", session: "one"), submission(summaries, of: "b\(round)", session: "one"),
      submission(summaries, of: "c\(round)"),
    ]
    for _ in 0..<2 { _ = try await store.commit(batches, counts: DayCounts(rejections: rejections)) }
  }

  /// A summary in which no two counters are equal, so that none can be taken for another.
  private func everyCounter(daysAgo: Int32) -> KeyboardUsageSummary {
    var counts = UsageCounts()
    for (index, counter) in UsageCounter.allCases.enumerated() { counts[counter] = Int32(1) << index }
    return KeyboardUsageSummary(
      clientSummaryID: .random(), date: noon.day.advanced(by: -daysAgo), counts: counts, appVersion: nil)
  }

  /// Expects that all deltas become part of the folded totals, soon, and that readers see the same all the time.
  private func expectFolding(sourceLocation: SourceLocation = #_sourceLocation) async throws {
    let connection = try fixture.connect()
    let before = try totals(over: connection)
    var isFolded = false
    let deadline = ContinuousClock.now + .seconds(20)
    while !isFolded, ContinuousClock.now < deadline {
      isFolded = try connection.integer("SELECT count(*) FROM day_total_deltas") == 0
      #expect(try totals(over: connection) == before, sourceLocation: sourceLocation)
      try await Task.sleep(for: .milliseconds(10))
    }
    #expect(isFolded, sourceLocation: sourceLocation)
    #expect(try totals(folded: true, over: connection) == before, sourceLocation: sourceLocation)
  }

  @Test func deltasBecomeTotalsAndReadersSeeTheSameBeforeAndAfter() async throws {
    // Folds nothing.
    let command = try await fixture.open(.migration)
    try await command.issue("one", account: UUIDValue(high: 0, low: 1))
    try await commitSomeOfEverything(command, 0)
    #expect(try fixture.count("day_total_deltas") == 2)
    #expect(try totals(folded: true).values.allSatisfy(\.isEmpty))
    let seen = try totals()
    for (name, rows) in seen { #expect(!rows.isEmpty, "\(name)") }
    #expect(seen["link_day_totals"] == [["\(noon.day.daysSince1970)", "2"]])

    // What others have left, and then what comes while it runs.
    let server = try await fixture.open()
    try await expectFolding()
    #expect(try totals() == seen)
    for round in 1...3 {
      try await commitSomeOfEverything(server, round)
      try await expectFolding()
    }
    #expect(try totals()["link_day_totals"] == [["\(noon.day.daysSince1970)", "8"]])
    let sums = UsageCounter.allCases.indices.map { index -> String? in "\(8 << index)" }
    let usage = try #require(try totals()["usage_day_totals"])
    let today = Int64(noon.day.daysSince1970)
    let expected: Set<[String?]> = [["\(today - 1)", "8"] + sums, ["\(today - 2)", "8"] + sums]
    #expect(usage == expected)
    let rejected = try fixture.rows("SELECT day, batch_count FROM folded_rejection_day_totals ORDER BY day")
    #expect(rejected == [[today - 1, 16], [today, 24]])
    await server.close()
  }

  @Test func severalServersFoldManyDeltasOnce() async throws {
    let command = try await fixture.open(.migration)
    try await command.issue("one", account: UUIDValue(high: 0, low: 1))
    try await commitSomeOfEverything(command, 0)
    try fixture.execute(
      """
      INSERT INTO day_total_deltas SELECT deltas.* FROM day_total_deltas AS deltas, generate_series(1, 2300) AS number
      """)
    var servers: [any AnalyticsStore] = []
    for _ in 0..<3 { servers.append(try await fixture.open()) }
    try await expectFolding()
    let count = try fixture.rows("SELECT sum(event_count) FROM folded_event_day_totals")
    #expect(count == [[4 * 2301]])
    for server in servers { await server.close() }
  }

  // MARK: - Attempts

  /// Makes PostgreSQL refuse the first attempts to store an event. Sequences don't go back when a transaction does.
  private func refuse(_ count: Int, with state: String) throws {
    try fixture.execute(
      """
      CREATE SEQUENCE attempts;
      GRANT USAGE ON SEQUENCE attempts TO PUBLIC;
      CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        IF nextval('attempts') <= \(count) THEN RAISE 'refused' USING ERRCODE = '\(state)'; END IF;
        RETURN NEW;
      END $$;
      CREATE TRIGGER refuse BEFORE INSERT ON events FOR EACH ROW EXECUTE FUNCTION refuse()
      """)
  }

  @Test(arguments: ["40001", "40P01"])
  func whatAnotherTransactionIsToBlameForIsTriedAgainUnnoticed(_ state: String) async throws {
    let store = try await fixture.open()
    try refuse(2, with: state)
    let group = [submission(.events([event(), event()]), of: "a"), submission(.events([event()]), of: "b")]
    #expect(
      try await store.commit(group, counts: DayCounts())
        == [.stored(accepted: 2, replayed: 0), .stored(accepted: 1, replayed: 0)])
    // Two that were refused at their first row, and one that wasn't.
    #expect(try fixture.rows("SELECT last_value FROM attempts") == [[5]])
    #expect(try fixture.count("installations") == 2)
    #expect(try fixture.count("events") == 3)
    #expect(try fixture.rows("SELECT sum(event_count) FROM event_day_totals") == [[3]])
  }

  @Test func whatIsRefusedForEverIsGivenUp() async throws {
    let store = try await fixture.open()
    try refuse(.max, with: "40001")
    let batch = submission(.events([event()]))
    await #expect(throws: StoreFailure.unavailable(.busy)) { try await store.commit(batch) }
    for table in ["installations", "events", "event_day_totals"] { #expect(try fixture.count(table) == 0, "\(table)") }
    try fixture.execute("DROP TRIGGER refuse ON events")
    #expect(try await store.commit(batch) == .stored(accepted: 1, replayed: 0))
  }

  // MARK: - Durability

  @Test func aCommitThatComesWithAWarningIsNoSuccess() async throws {
    let store = try await fixture.open()
    // Deferred, they warn where PostgreSQL would say that a standby's answer was not waited for.
    try fixture.execute(
      """
      CREATE FUNCTION warn() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE WARNING 'warned'; RETURN NULL; END $$;
      CREATE CONSTRAINT TRIGGER warn AFTER INSERT ON events DEFERRABLE INITIALLY DEFERRED
        FOR EACH ROW EXECUTE FUNCTION warn();
      CREATE CONSTRAINT TRIGGER warn AFTER INSERT ON keyboard_summaries DEFERRABLE INITIALLY DEFERRED
        FOR EACH ROW EXECUTE FUNCTION warn()
      """)
    for items in [BatchItems.events([event()]), .summaries([summary()])] {
      await #expect(throws: StoreFailure.unavailable(.busy)) { try await store.commit(submission(items)) }
      // It is there nevertheless.
      #expect(try await store.commit(submission(items)) == .stored(accepted: 0, replayed: 1))
    }
  }

  @Test func commitsAreDurableWhateverTheDefaultIsAndMoreWhereItIsMore() async throws {
    let command = try await fixture.open(.migration)
    // Notes what is in force in the very transactions that store something.
    try fixture.execute(
      """
      CREATE TABLE seen (setting text);
      GRANT INSERT ON seen TO PUBLIC;
      CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN INSERT INTO seen VALUES (current_setting('synchronous_commit')); RETURN NULL; END $$;
      CREATE TRIGGER note AFTER INSERT ON events EXECUTE FUNCTION note();
      CREATE TRIGGER note AFTER INSERT ON keyboard_summaries EXECUTE FUNCTION note();
      CREATE TRIGGER note AFTER INSERT ON tokens EXECUTE FUNCTION note()
      """)
    await command.close()
    let settings = [
      ("off", "on"), ("local", "on"), ("on", "on"), ("remote_write", "remote_write"), ("remote_apply", "remote_apply"),
    ]
    for owner in ["DATABASE", "ROLE"] {
      for (asked, used) in settings {
        try fixture.execute("ALTER \(owner) \(fixture.name) SET synchronous_commit = \(asked); DELETE FROM seen")
        let store = try await fixture.open()
        let name = "\(owner) \(asked)"
        _ = try await store.commit(submission(.events([event()]), of: name))
        _ = try await store.commit(submission(.summaries([summary()]), of: name))
        try await store.createToken(Digest(hashing: name), name: name, scope: .admin, at: noon)
        let seen = try fixture.connect().rows("SELECT setting FROM seen")
        #expect(seen == Array(repeating: [used], count: 3), "\(name)")
        await store.close()
      }
    }
  }
}
