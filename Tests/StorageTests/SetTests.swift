import AnalyticsContract
import Ingestion
import Reporting
import ServerFacts
import TestSupport
import Testing

@testable import Storage

/// The sets that distinct counts come from, against what `check` makes of events, summaries and first opens.
@Suite struct SetTests {
  private static let rule = "sets of installations are those of the events"

  @Test(arguments: ["one", "two", "three"])
  func setsAreThoseOfTheEventsMergedOrNot(_ seed: String) async throws {
    let fixture = try StoreFixture()
    let store = try await fixture.open()
    var random = SeededGenerator(seed: seed)
    for round in 0..<40 {
      _ = try await store.commit(randomGroup(&random), counts: DayCounts())
      if round % 7 == 0 {
        let before = try await figures(store)
        await merge(store)
        #expect(try await figures(store) == before)
      }
      if round % 10 == 5 {
        _ = try await store.erase(installation: Digest(hashing: "\(Int.random(in: 0..<30, using: &random))"))
      }
      if round % 5 == 0 { #expect(try await differences(store) == 0) }
    }
    #expect(try await differences(store) == 0)
    let before = try await figures(store)
    #expect(try await store.rebuildSets(at: noon) > 0)
    #expect(try await figures(store) == before)
    #expect(try await differences(store) == 0)
    await store.close()
  }

  @Test func anErasedInstallationIsInNoSetAfterTheyAreMerged() async throws {
    let fixture = try StoreFixture()
    let store = try await fixture.open()
    let events = [
      event(.firstOpen(acquisitionChannel: .referral), version: "2.0.0"),
      event(.aiFeatureSucceeded(.polish, mode: .local, on: .keyboard, duration: .under1s)), event(.purchaseViewed),
    ]
    _ = try await store.commit(submission(.events(events), of: "erased"))
    _ = try await store.commit(submission(.summaries([summary()]), of: "erased"))
    await merge(store)
    #expect(try fixture.count("installation_sets") > 5 && fixture.count("installation_set_deltas") == 0)
    _ = try await store.erase(installation: Digest(hashing: "erased"))
    #expect(try await figures(store).allSatisfy { $0 == 0 })
    await merge(store)
    #expect(try fixture.count("installation_set_deltas") == 0)
    // Eight bytes are the empty set.
    #expect(try fixture.rows("SELECT max(length(members)) FROM installation_sets") == [[8]])
    await store.close()
  }

  @Test func damagedSetsAreFoundAndMadeAnew() async throws {
    let fixture = try StoreFixture()
    let store = try await fixture.open()
    _ = try await store.commit(submission(.events([event(version: "2.0.0")])))
    _ = try await store.commit(submission(.events([event(.keyboardActivated)]), of: "b"))
    await merge(store)
    let before = try await figures(store)
    try fixture.execute("DELETE FROM installation_sets WHERE kind = \(SetKind.activeInApp.rawValue)")
    try fixture.execute("UPDATE installation_sets SET label = '9.9' WHERE label = '2.0.0'")
    #expect(try await differences(store) == 3)
    #expect(try await figures(store) != before)
    _ = try await store.rebuildSets(at: noon)
    #expect(try await differences(store) == 0)
    #expect(try await figures(store) == before)
    await store.close()
  }

  @Test(
    arguments: [
      (0, true), (-1, false), (7 * 86_400_000_000, true), (7 * 86_400_000_000 + 1, false), (3_600_000_000, true),
    ] as [(Int64, Bool)])
  func anInstallationIsActivatedFromItsFirstOpenToSevenDaysLater(_ microseconds: Int64, _ isActivated: Bool)
    async throws
  {
    let opened = noon.advanced(bySeconds: -10 * 86_400)
    let firstOpen = event(.firstOpen(acquisitionChannel: .socialContent), at: opened)
    let success = event(
      .aiFeatureSucceeded(.agent, mode: .byok, on: .inviteWeb, duration: .under1s),
      at: Instant(microseconds: opened.microseconds + microseconds))
    // Whichever arrives first, or both at once.
    for order in [[[firstOpen], [success]], [[success], [firstOpen]], [[success, firstOpen]]] {
      let fixture = try StoreFixture()
      let store = try await fixture.open()
      for events in order { _ = try await store.commit(submission(.events(events))) }
      let query = ReportQuery(range: opened.day...opened.day)
      let answer = try await store.answer(.acquisition, query, at: noon)
      #expect(answer.totals[1] == .integer(isActivated ? 1 : 0))
      #expect(try await differences(store) == 0)
      await store.close()
    }
  }

  @Test func aDatabaseFromBeforeSetsGetsThemWhenItIsOpened() async throws {
    let fixture = try StoreFixture()
    let before = try await fill(fixture)
    let downgrade = """
      DROP TABLE installation_sets; DROP TABLE installation_set_deltas; DROP INDEX referrals_by_binding;
      DROP INDEX referrals_by_qualification; DROP INDEX referrals_by_reward;
      DELETE FROM schema_migrations WHERE version >= 3
      """
    for statement in downgrade.split(separator: ";") { try fixture.execute(String(statement)) }
    if fixture.isFile { try fixture.execute("PRAGMA user_version = 2") }
    let opened = try await fixture.open()
    #expect(opened.appliedMigrations == [3, 4])
    #expect(try await figures(opened) == before)
    #expect(try await differences(opened) == 0)
    await opened.close()
  }

  @Test func aReportThatNobodyWaitsForAnyMoreEnds() async throws {
    let fixture = try StoreFixture()
    let store = try await fixture.open()
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await store.answer(.ai, ReportQuery(range: noon.day...noon.day), at: noon)
    }
    await #expect(throws: StoreFailure.unavailable(.busy)) { try await task.value }
    // The connection is as good as new.
    _ = try await store.answer(.ai, ReportQuery(range: noon.day...noon.day), at: noon)
    await store.close()
  }

  // MARK: - Parts

  /// Stores something with a server of its own, whose lock ends with it.
  private func fill(_ fixture: StoreFixture) async throws -> [Int64] {
    let store = try await fixture.open()
    var random = SeededGenerator(seed: "migration")
    for _ in 0..<20 { _ = try await store.commit(randomGroup(&random), counts: DayCounts()) }
    let figures = try await figures(store)
    await store.close()
    return figures
  }

  private func differences(_ store: any AnalyticsStore) async throws -> Int64 {
    try #require(try await store.check(at: noon).first { $0.rule == Self.rule }).violations
  }

  private func merge(_ store: any AnalyticsStore) async {
    if let store = store as? SQLiteStore { await store.mergeSets() }
    if let store = store as? PostgreSQLStore { await store.mergeSets() }
  }

  /// Figures that come from sets.
  private func figures(_ store: any AnalyticsStore) async throws -> [Int64] {
    let query = ReportQuery(range: noon.day.advanced(by: -40)...noon.day)
    var figures: [Int64] = []
    func add(_ values: [MetricValue]) {
      figures += values.map { if case .integer(let number) = $0 { number } else { 0 } }
    }
    let engagement = try await store.answer(.engagement, query, at: noon)
    add(engagement.series.flatMap { $0.values[0...2] + $0.values[5...6] } + engagement.totals[0...2])
    add(engagement.breakdowns.flatMap { $0 }.flatMap(\.values))
    add(try await store.answer(.monetization, query, at: noon).series.flatMap { $0.values[0...2] })
    add([try await store.answer(.keyboard, query, at: noon).totals[8]])
    add([try await store.answer(.acquisition, query, at: noon).totals[1]])
    add(try await store.answer(.retention, query, at: noon).cohorts.flatMap { [$0.size] + $0.retained })
    return figures
  }

  /// Batches of different installations, with days, versions and first opens in any order.
  private func randomGroup(_ random: inout SeededGenerator) -> [Submission] {
    let names = (0..<30).shuffled(using: &random).prefix(Int.random(in: 1...8, using: &random))
    return names.map { name in
      if Int.random(in: 0..<4, using: &random) == 0 {
        let day = Int32.random(in: 1...30, using: &random)
        return submission(
          .summaries([summary(id: UUIDValue(high: 9, low: UInt64(day)), daysAgo: day)]), of: "\(name)")
      }
      return submission(
        .events((0..<Int.random(in: 1...4, using: &random)).map { _ in randomEvent(of: name, &random) }), of: "\(name)")
    }
  }

  private func randomEvent(of installation: Int, _ random: inout SeededGenerator) -> Event {
    let kinds: [EventKind] = [
      .sessionStarted(on: .app), .keyboardActivated, .purchaseViewed, .purchaseStarted, .purchaseCancelled,
      .aiFeatureStarted(.polish, mode: .managed, on: .app), .inviteOpened,
      .aiFeatureSucceeded(.polish, mode: .managed, on: .keyboard, duration: .under1s),
      .aiFeatureSucceeded(.agent, mode: .local, on: .inviteWeb, duration: .under1s),
    ]
    let at = noon.advanced(bySeconds: -Int64.random(in: 0..<(30 * 86_400), using: &random))
    if Int.random(in: 0..<6, using: &random) == 0 {
      // Each installation has but one, and it comes whenever it comes.
      return event(
        .firstOpen(acquisitionChannel: AcquisitionChannel.allCases[installation % 4]),
        id: UUIDValue(high: 1, low: UInt64(installation + 1)),
        at: noon.advanced(bySeconds: -Int64(installation) * 80_000))
    }
    return event(
      kinds.randomElement(using: &random)!, at: at, version: ["2.0.0", "2.1.0", nil].randomElement(using: &random)!)
  }
}
