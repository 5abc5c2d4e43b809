import AnalyticsContract
import Ingestion
import TestSupport
import Testing

@testable import Storage

@Suite struct BatchSemanticsTests {
  private let fixture = try! StoreFixture()
  private let first = UUIDValue.random()

  @Test func anEventIsAcceptedOnceAndThenReplayed() async throws {
    let store = try await fixture.open()
    let batch = submission(.events([event(), event()]))
    #expect(try await store.commit(batch) == .stored(accepted: 2, replayed: 0))
    #expect(try await store.commit(batch) == .stored(accepted: 0, replayed: 2))
    #expect(try fixture.count("events") == 2)
  }

  @Test func theSameEventTwiceInOneBatchIsOneAndOne() async throws {
    let store = try await fixture.open()
    let twice = event()
    #expect(try await store.commit(submission(.events([twice, event(), twice]))) == .stored(accepted: 2, replayed: 1))
  }

  @Test func aConflictStoresNothingOfItsBatchAndLeavesTheOthersOfItsGroup() async throws {
    let store = try await fixture.open()
    _ = try await store.commit(submission(.events([event(id: first)])))
    let conflicting = submission(.events([event(), event(), event(.purchaseViewed, id: first), event()]))
    let outcomes = try await store.commit(
      [submission(.events([event()]), of: "b"), conflicting, submission(.events([event()]), of: "c")],
      counts: DayCounts())
    #expect(outcomes == [.stored(accepted: 1, replayed: 0), .conflict, .stored(accepted: 1, replayed: 0)])
    #expect(try fixture.count("events") == 3)
    #expect(try fixture.rows("SELECT sum(event_count) FROM event_day_totals") == [[3]])
  }

  @Test func aNewInstallationWhoseBatchConflictsWithItselfIsNotStored() async throws {
    let store = try await fixture.open()
    let batch = submission(.events([event(id: first), event(.purchaseViewed, id: first)]))
    #expect(try await store.commit(batch) == .conflict)
    for table in ["installations", "events", "activity", "event_day_totals", "receipt_day_totals"] {
      #expect(try fixture.count(table) == 0, "\(table)")
    }
  }

  @Test(arguments: [
    event(.purchaseStarted, id: UUIDValue(high: 1, low: 1)),
    event(id: UUIDValue(high: 1, low: 1), at: Instant(microseconds: noon.microseconds + 1)),
    event(id: UUIDValue(high: 1, low: 1), version: "2.0.0"),
    event(.sessionStarted(on: .keyboard), id: UUIDValue(high: 1, low: 1)),
  ])
  func anyOtherValueUnderTheSameIDIsAConflict(_ other: Event) async throws {
    let store = try await fixture.open()
    _ = try await store.commit(submission(.events([event(id: UUIDValue(high: 1, low: 1))])))
    #expect(try await store.commit(submission(.events([other]))) == .conflict)
  }

  @Test func idsBelongToTheirInstallation() async throws {
    let store = try await fixture.open()
    _ = try await store.commit(submission(.events([event(id: first)])))
    let other = submission(.events([event(.purchaseViewed, id: first)]), of: "b")
    #expect(try await store.commit(other) == .stored(accepted: 1, replayed: 0))
  }

  @Test func firstOpenHappensOnceAnInstallation() async throws {
    let store = try await fixture.open()
    let open = event(.firstOpen(acquisitionChannel: .referral), id: first)
    #expect(try await store.commit(submission(.events([event(), open]))) == .stored(accepted: 2, replayed: 0))
    #expect(try await store.commit(submission(.events([open]))) == .stored(accepted: 0, replayed: 1))
    let second = event(.firstOpen(acquisitionChannel: .referral))
    #expect(try await store.commit(submission(.events([event(), second]))) == .conflict)
    #expect(
      try fixture.rows("SELECT first_open_at, acquisition_channel FROM installations")
        == [[noon.microseconds, Int64(AcquisitionChannel.referral.code)]])
  }

  @Test func firstOpenMayComeLater() async throws {
    let store = try await fixture.open()
    _ = try await store.commit(submission(.events([event()])))
    let open = event(.firstOpen(acquisitionChannel: .unknown), id: first)
    #expect(try await store.commit(submission(.events([open]))) == .stored(accepted: 1, replayed: 0))
    let other = submission(.events([event(.firstOpen(acquisitionChannel: .unknown))]))
    #expect(try await store.commit(other) == .conflict)
  }

  @Test func aSummaryIsOneADateAndImmutable() async throws {
    let store = try await fixture.open()
    let batch = submission(.summaries([summary(id: first), summary(daysAgo: 2)]))
    #expect(try await store.commit(batch) == .stored(accepted: 2, replayed: 0))
    #expect(try await store.commit(batch) == .stored(accepted: 0, replayed: 2))
    let conflicts = [
      summary(), summary(id: first, chinese: 11), summary(id: first, daysAgo: 3), summary(id: first, version: "2.0.0"),
    ]
    for conflict in conflicts {
      let batch = submission(.summaries([summary(daysAgo: 9), conflict]))
      #expect(try await store.commit(batch) == .conflict)
    }
    #expect(try fixture.rows("SELECT summary_count, chinese_characters FROM usage_day_totals") == [[1, 10], [1, 10]])
  }

  @Test func aSessionLinksAndAnotherAccountsConflicts() async throws {
    let store = try await fixture.open()
    try await store.issue("one", account: UUIDValue(high: 0, low: 1))
    try await store.issue("two", account: UUIDValue(high: 0, low: 2))
    _ = try await store.commit(submission(.events([event()])))
    #expect(
      try await store.commit(submission(.events([event()]), session: "one")) == .stored(accepted: 1, replayed: 0))
    #expect(try await store.commit(submission(.events([event()]), session: "two")) == .conflict)
    #expect(try await store.commit(submission(.events([event()]))) == .stored(accepted: 1, replayed: 0))
    #expect(try fixture.rows("SELECT linked_at FROM installations") == [[noon.microseconds]])
    #expect(
      try fixture.rows("SELECT day, installation_count FROM link_day_totals") == [[Int64(noon.day.daysSince1970), 1]])
  }

  @Test func aSessionOfNoOneStoresNothing() async throws {
    let store = try await fixture.open()
    #expect(try await store.commit(submission(.events([event()]), session: "unknown")) == .unauthorized)
    #expect(try fixture.count("installations") == 0)
  }

  @Test func aSessionEndsAtItsExpiryWithItsAccountAndWhenRevoked() async throws {
    let store = try await fixture.open()
    try await store.issue("one", account: first, lasting: 10)
    let digest = AccessToken(digest: Digest(hashing: "one"))
    let last = Instant(microseconds: noon.advanced(bySeconds: 10).microseconds - 1)
    #expect(try await store.isValidSession(digest, at: last))
    #expect(try await !store.isValidSession(digest, at: noon.advanced(bySeconds: 10)))
    try fixture.execute("UPDATE sessions SET revoked_at = 0")
    #expect(try await !store.isValidSession(digest, at: noon))
    try fixture.execute("UPDATE sessions SET revoked_at = NULL")
    #expect(try await store.isValidSession(digest, at: noon))
    try fixture.execute("DELETE FROM accounts")
    #expect(try await !store.isValidSession(digest, at: noon))
  }

  @Test func aTokenThatStatesItsAccountCountsWhileTheAccountExistsAndTheTokenIsNotRevoked() async throws {
    let store = try await fixture.open()
    let (account, other) = (UUIDValue(high: 0, low: 1), UUIDValue(high: 0, low: 2))
    try await store.issue("opaque", account: account)
    func stating(_ account: UUIDValue, of installation: String) -> Submission {
      submission(.events([event()]), of: installation, session: "stating", stating: account)
    }
    let token = AccessToken(digest: Digest(hashing: "stating"), account: account)
    let stranger = AccessToken(digest: Digest(hashing: "stating"), account: other)
    #expect(try await store.isValidSession(token, at: noon))
    #expect(try await !store.isValidSession(stranger, at: noon))
    // Both kinds in one group, with an account that does not exist and another's installation.
    let group = [
      stating(account, of: "a"), stating(other, of: "b"), submission(.events([event()]), of: "c", session: "opaque"),
      submission(.events([event()]), of: "d"), stating(account, of: "e"),
      submission(.events([event()]), of: "f", session: "unknown"),
    ]
    let stored = CommitOutcome.stored(accepted: 1, replayed: 0)
    let outcomes = try await store.commit(group, counts: DayCounts())
    #expect(outcomes == [stored, .unauthorized, stored, stored, stored, .unauthorized])
    #expect(try fixture.count("installations WHERE account_id IS NOT NULL") == 3)
    try await store.issue("another", account: other)
    #expect(try await store.commit(stating(other, of: "a")) == .conflict)
    // What is stated of the token as a session means nothing but its revocation.
    try await store.issue("stating", account: other, lasting: -10)
    #expect(try await store.isValidSession(token, at: noon))
    #expect(try await store.commit(stating(account, of: "a")) == stored)
    try fixture.execute("UPDATE sessions SET revoked_at = 0 WHERE expires_at < \(noon.microseconds)")
    #expect(try await !store.isValidSession(token, at: noon))
    #expect(try await store.commit(stating(account, of: "a")) == .unauthorized)
    try fixture.execute("UPDATE sessions SET revoked_at = NULL")
    try fixture.execute("DELETE FROM accounts")
    #expect(try await !store.isValidSession(token, at: noon))
    #expect(try await store.commit(stating(account, of: "a")) == .unauthorized)
  }

  @Test func aTokenThatStatesItsAccountEndsWithItsOtherSpelling() async throws {
    let store = try await fixture.open()
    try await store.issue("twin", account: first)
    let token = AccessToken(digest: Digest(hashing: "one"), account: first, twin: Digest(hashing: "twin"))
    func batch(_ token: AccessToken) -> Submission {
      Submission(installation: Digest(hashing: "a"), items: .events([event()]), session: token, receivedAt: noon)
    }
    #expect(try await store.isValidSession(token, at: noon))
    #expect(try await store.commit(batch(token)) == .stored(accepted: 1, replayed: 0))
    try fixture.execute("UPDATE sessions SET revoked_at = 0")
    #expect(try await !store.isValidSession(token, at: noon))
    #expect(try await store.commit(batch(token)) == .unauthorized)
  }

  @Test(.enabled(if: DatabaseUnderTest.isPostgreSQL), arguments: [true, false])
  func aBatchAndTheDeletionOfItsAccountWaitForEachOther(_ isStating: Bool) async throws {
    let store = try await fixture.open()
    let account = UUIDValue(high: 0, low: 1)
    try await store.issue("one", account: account)
    let batch = submission(.events([event()]), session: "one", stating: isStating ? account : nil)
    #expect(try await store.commit(batch) == .stored(accepted: 1, replayed: 0))
    // A deletion that has the account and wants the installation, which a batch must not have locked before.
    let deletion = try fixture.connect()
    try deletion.execute("BEGIN; DELETE FROM accounts")
    async let outcome = store.commit(submission(.events([event()]), session: "one", stating: batch.session?.account))
    let waiting = """
      SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'
      """
    let deadline = ContinuousClock.now + .seconds(3)
    while try fixture.rows(waiting) == [[0]], ContinuousClock.now < deadline {
      try await Task.sleep(for: .milliseconds(5))
    }
    try deletion.execute("SET lock_timeout = '1s'; DELETE FROM installations; COMMIT")
    #expect(try await outcome == .unauthorized)
    #expect(try fixture.count("installations") == 0)
  }

  @Test func aRowThatKnowsItsRevocationOrItsAccountAloneIsNoSession() async throws {
    let store = try await fixture.open()
    try await store.issue("one", account: first)
    let opaque = AccessToken(digest: Digest(hashing: "one"))
    for column in ["expires_at", "account_id"] {
      try fixture.execute("UPDATE sessions SET \(column) = NULL")
      #expect(try await !store.isValidSession(opaque, at: noon))
      #expect(try await store.commit(submission(.events([event()]), session: "one")) == .unauthorized)
    }
    // The same rows, revoked, end a token that states its account.
    let stating = AccessToken(digest: opaque.digest, account: first)
    #expect(try await store.isValidSession(stating, at: noon))
    try fixture.execute("UPDATE sessions SET revoked_at = 0")
    #expect(try await !store.isValidSession(stating, at: noon))
    #expect(
      try await store.commit(submission(.events([event()]), session: "one", stating: first)) == .unauthorized)
  }

  @Test func lastSeenIsADayAndNeverGoesBack() async throws {
    let store = try await fixture.open()
    for days in [0, 3, 1] {
      let instant = noon.advanced(bySeconds: Int64(days) * 86_400)
      _ = try await store.commit(submission(.events([event()]), at: instant))
    }
    #expect(
      try fixture.rows("SELECT first_seen_at, last_seen_day FROM installations")
        == [[noon.microseconds, Int64(noon.day.daysSince1970) + 3]])
  }
}
