import AnalyticsContract
import Ingestion
import TestSupport
import Testing

@testable import Storage

/// What the store should do, in the plainest form: dictionaries, and sums over everything.
private struct Model {
  struct Installation {
    var account: UUIDValue?
    var events: [UUIDValue: Event] = [:]
    var summaries: [CalendarDay: KeyboardUsageSummary] = [:]
  }

  var installations: [Digest: Installation] = [:]
  var accounts: [Digest: UUIDValue] = [:]
  var replayed = 0
  var links = 0

  mutating func apply(_ submission: Submission) -> CommitOutcome {
    var account: UUIDValue?
    if let session = submission.session {
      guard let owner = accounts[session.digest] else { return .unauthorized }
      account = owner
    }
    var next = installations[submission.installation] ?? Installation()
    if let account, let linked = next.account, account != linked { return .conflict }
    var accepted = 0
    switch submission.items {
    case .events(let events):
      for event in events {
        if let stored = next.events[event.clientEventID] {
          if stored != event { return .conflict }
        } else {
          let isSecondFirstOpen =
            event.kind.type == .firstOpen && next.events.values.contains { $0.kind.type == .firstOpen }
          if isSecondFirstOpen { return .conflict }
          next.events[event.clientEventID] = event
          accepted += 1
        }
      }
    case .summaries(let summaries):
      for summary in summaries {
        if let stored = next.summaries[summary.date] {
          if stored != summary { return .conflict }
        } else if next.summaries.values.contains(where: { $0.clientSummaryID == summary.clientSummaryID }) {
          return .conflict
        } else {
          next.summaries[summary.date] = summary
          accepted += 1
        }
      }
    }
    if let account, next.account == nil {
      next.account = account
      links += 1
    }
    installations[submission.installation] = next
    replayed += submission.items.count - accepted
    return .stored(accepted: accepted, replayed: submission.items.count - accepted)
  }
}

/// Random batches over so few installations, ids, days and values that replays and conflicts of every kind happen.
private struct Generator {
  var random: SeededGenerator

  private mutating func submission() -> Submission {
    let count = Int.random(in: 1...4, using: &random)
    let items: BatchItems =
      Bool.random(using: &random)
      ? .events((0..<count).map { _ in event() }) : .summaries((0..<count).map { _ in summary() })
    let sessions: [String?] = [nil, nil, nil, nil, "one", "two", "unknown"]
    return StorageTests.submission(
      items, of: "\(Int.random(in: 0..<40, using: &random))", session: sessions.randomElement(using: &random)!)
  }

  /// Batches of different installations, in any order.
  mutating func group() -> [Submission] {
    var group: [Submission] = []
    for _ in 0..<Int.random(in: 1...12, using: &random) {
      let next = submission()
      if !group.contains(where: { $0.installation == next.installation }) { group.append(next) }
    }
    return group
  }

  private mutating func event() -> Event {
    let kinds: [EventKind] = [
      .firstOpen(acquisitionChannel: .referral), .sessionStarted(on: .app), .keyboardActivated, .purchaseViewed,
      .aiFeatureSucceeded(.polish, mode: .managed, on: .keyboard, duration: .under1s), .inviteOpened,
    ]
    let id = UInt64.random(in: 0..<60, using: &random)
    // Mostly a function of the id, so that a repeated id is mostly a replay.
    let variant = Int(id) + (Int.random(in: 0..<12, using: &random) == 0 ? 1 : 0)
    return StorageTests.event(
      kinds[variant % kinds.count], id: UUIDValue(high: 7, low: id),
      at: noon.advanced(bySeconds: -Int64(variant) * 40_000), version: ["2.0.0", "2.1.0", nil][variant % 3])
  }

  private mutating func summary() -> KeyboardUsageSummary {
    let day = Int32.random(in: 1...12, using: &random)
    let isOdd = Int.random(in: 0..<10, using: &random) == 0
    return StorageTests.summary(
      id: UUIDValue(high: 8, low: UInt64(isOdd ? day + 1 : day)), daysAgo: day, chinese: 10 + day)
  }
}

@Suite struct ModelTests {
  private let fixture = try! StoreFixture()

  @Test(arguments: ["one", "two", "three"])
  func theStoreDoesWhatAPlainModelDoes(_ seed: String) async throws {
    let stores = try await openStores()
    var model = try await modelWithAccounts(stores[0])
    var generator = Generator(random: SeededGenerator(seed: seed))
    for round in 0..<400 {
      let group = generator.group()
      let outcomes = try await stores[round % stores.count].commit(group, counts: DayCounts())
      #expect(outcomes == group.map { model.apply($0) })
    }
    try compare(fixture, model)
  }

  /// Nothing that is stored changes or goes away. So whatever the order was in which the groups came through: the batches
  /// that were stored agree with each other, and a batch that was refused contradicts what is stored in the end.
  @Test(arguments: ["one", "two", "three"])
  func whateverIsCommittedAtOnceAgreesInTheEnd(_ seed: String) async throws {
    let stores = try await openStores()
    var model = try await modelWithAccounts(stores[0])
    let results = try await withThrowingTaskGroup(of: [(Submission, CommitOutcome)].self) { tasks in
      for task in 0..<6 {
        tasks.addTask {
          var generator = Generator(random: SeededGenerator(seed: "\(seed) \(task)"))
          var results: [(Submission, CommitOutcome)] = []
          for _ in 0..<70 {
            let group = generator.group()
            let outcomes = try await stores[task % stores.count].commit(group, counts: DayCounts())
            results += zip(group, outcomes)
          }
          return results
        }
      }
      return try await tasks.reduce(into: []) { $0 += $1 }
    }
    for case (let submission, .stored(let accepted, let replayed)) in results {
      guard case .stored = model.apply(submission) else {
        Issue.record("two batches were stored that contradict each other")
        continue
      }
      #expect(accepted + replayed == submission.items.count)
    }
    for (submission, outcome) in results {
      if case .stored = outcome { continue }
      // A copy: the comparison below is with what was stored, and nothing else.
      var final = model
      #expect(final.apply(submission) == outcome)
    }
    try compare(fixture, model)
  }

  /// As many stores as may be open on one database.
  private func openStores() async throws -> [any AnalyticsStore] {
    var stores: [any AnalyticsStore] = []
    for _ in 0..<(DatabaseUnderTest.isSQLite ? 1 : 3) { stores.append(try await fixture.open()) }
    return stores
  }

  private func modelWithAccounts(_ store: any AnalyticsStore) async throws -> Model {
    var model = Model()
    for (number, name) in ["one", "two"].enumerated() {
      let account = UUIDValue(high: 9, low: UInt64(number))
      try await store.issue(name, account: account)
      model.accounts[Digest(hashing: name)] = account
    }
    return model
  }

  private func compare(_ fixture: StoreFixture, _ model: Model) throws {
    let events = model.installations.values.flatMap(\.events.values)
    let summaries = model.installations.values.flatMap(\.summaries.values)
    #expect(try fixture.count("installations") == Int64(model.installations.count))
    #expect(try fixture.count("events") == Int64(events.count))
    #expect(try fixture.count("keyboard_summaries") == Int64(summaries.count))
    #expect(
      try fixture.rows("SELECT count(*) FROM installations WHERE account_id IS NOT NULL")
        == [[Int64(model.installations.values.count { $0.account != nil })]])
    #expect(try fixture.rows("SELECT sum(installation_count) FROM link_day_totals") == [[Int64(model.links)]])
    #expect(
      try fixture.rows("SELECT outcome, sum(item_count) FROM receipt_day_totals GROUP BY outcome ORDER BY outcome")
        == [[1, Int64(events.count + summaries.count)], [2, Int64(model.replayed)]])

    // Totals by day and type, from the events themselves.
    var byDayAndType: [[Int64]: Int64] = [:]
    for event in events {
      byDayAndType[[Int64(event.occurredAt.day.daysSince1970), Int64(event.kind.type.code)], default: 0] += 1
    }
    let totals = try fixture.rows("SELECT day, event_type, sum(event_count) FROM event_day_totals GROUP BY 1, 2")
    #expect(Dictionary(uniqueKeysWithValues: totals.map { (Array($0[..<2]), $0[2]) }) == byDayAndType)

    // And the whole table from the stored events, dimension by dimension.
    let difference = """
      SELECT count(*) FROM (
        SELECT occurred_at / 86400000000 AS day, event_type, surface, coalesce(acquisition_channel, 0),
          coalesce(feature, 0), coalesce(execution_mode, 0), coalesce(failure_category, 0),
          coalesce(duration_bucket, 0), coalesce(app_version, ''), count(*)
        FROM events GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9
        EXCEPT SELECT * FROM event_day_totals) AS difference
      """
    #expect(try fixture.rows(difference) == [[0]])
    #expect(
      try fixture.rows("SELECT sum(event_count) FROM event_day_totals") == [[Int64(events.count)]])

    var activity: [[Int64]: Int64] = [:]
    let keys = try keys(fixture)
    for (digest, installation) in model.installations {
      let key = try #require(keys[digest])
      for event in installation.events.values {
        activity[[key, Int64(event.occurredAt.day.daysSince1970)], default: 0] |= expectedActivity(event.kind)
      }
      for day in installation.summaries.keys { activity[[key, Int64(day.daysSince1970)], default: 0] |= 1 << 7 }
    }
    let stored = try fixture.rows("SELECT installation_key, day, kinds FROM activity")
    #expect(
      Dictionary(uniqueKeysWithValues: stored.map { (Array($0[..<2]), $0[2]) }) == activity.filter { $0.value != 0 })

    let usage = try fixture.rows("SELECT sum(summary_count), sum(chinese_characters) FROM usage_day_totals")
    let characters = summaries.reduce(Int64(0)) { $0 + Int64($1.counts[.chineseCharacters]) }
    #expect(usage == [[Int64(summaries.count), characters]])
  }

  /// The installations' keys by their digests.
  private func keys(_ fixture: StoreFixture) throws -> [Digest: Int64] {
    let hexadecimal = DatabaseUnderTest.isSQLite ? "hex(digest)" : "encode(digest, 'hex')"
    let rows = try fixture.connect().rows("SELECT \(hexadecimal), installation_key FROM installations")
    return try Dictionary(
      uniqueKeysWithValues: rows.map { row in
        let digits = Array(try #require(row[0]))
        let bytes = stride(from: 0, to: digits.count, by: 2).map { UInt8(String(digits[$0...($0 + 1)]), radix: 16)! }
        return try (#require(bytes.withUnsafeBytes { Digest(bytes: $0) }), #require(row[1].flatMap { Int64($0) }))
      })
  }

  private func expectedActivity(_ kind: EventKind) -> Int64 {
    switch kind.type {
    case .firstOpen, .sessionStarted: 1
    case .keyboardActivated: 2
    case .aiFeatureSucceeded: 2 | 4 | 8
    case .purchaseViewed: 1 | 16
    default: 0
    }
  }
}
