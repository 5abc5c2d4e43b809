import AnalyticsContract
import Ingestion
import Testing

@testable import Storage

/// Referral codes and the views of their pages.
@Suite struct InvitationTests {
  private let fixture = try! StoreFixture()
  private let account = "0a1b2c3d00004000800000000000abcd"

  /// Stores the row of a code, each value as SQL.
  private func insert(_ code: String, account: String? = nil, issued: String = "1", revoked: String = "NULL") throws {
    let digest = Digest(hashing: code).withUnsafeBytes { bytes in
      bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }
    let isFile = fixture.isFile
    let id = account ?? (isFile ? "X'\(self.account)'" : "'\(self.account)'")
    let key = isFile ? "X'\(digest)'" : "'\\x\(digest)'"
    try fixture.execute("INSERT INTO referral_codes VALUES (\(key), \(id), \(issued), \(revoked))")
  }

  @Test func aCodeIsValidOnceIssuedToAnAccountAndUntilItIsRevoked() async throws {
    let store = try await fixture.open()
    try insert("issued")
    try insert("revoked", revoked: "2")
    try insert("revokedBefore", issued: "NULL", revoked: "2")
    try insert("unissued", issued: "NULL")
    try insert("deleted", account: "NULL")
    try insert("nothing", account: "NULL", issued: "NULL")
    for code in ["issued", "revoked", "revokedBefore", "unissued", "deleted", "nothing", "unknown", "issueD"] {
      #expect(try await store.isValidReferralCode(Digest(hashing: code)) == (code == "issued"), "\(code)")
    }
    try fixture.execute("UPDATE referral_codes SET revoked_at = 3")
    #expect(try await !store.isValidReferralCode(Digest(hashing: "issued")))
    await store.close()
  }

  @Test func viewsAddUpByDay() async throws {
    let store = try await fixture.open()
    let (today, tomorrow) = (noon.day, noon.day.advanced(by: 1))
    _ = try await store.commit([], counts: DayCounts(invitationViews: [today: 1]))
    _ = try await store.commit([], counts: DayCounts(invitationViews: [today: 9_999, tomorrow: 2]))
    var rejections = RejectionCounts()
    rejections.add(.conflict, on: today)
    // Beside batches, one of which adds nothing, and beside refusals.
    let batch = submission(.events([event()]))
    let counts = DayCounts(rejections: rejections, invitationViews: [tomorrow: 1])
    #expect(try await store.commit([batch], counts: counts) == [.stored(accepted: 1, replayed: 0)])
    let unauthorized = submission(.events([event()]), of: "b", session: "none")
    #expect(
      try await store.commit([unauthorized], counts: DayCounts(invitationViews: [tomorrow: 4])) == [.unauthorized])
    let (first, second) = (Int64(today.daysSince1970), Int64(tomorrow.daysSince1970))
    #expect(
      try fixture.rows("SELECT day, view_count FROM invitation_day_totals ORDER BY day")
        == [[first, 10_000], [second, 7]])
    #expect(try fixture.rows("SELECT day, sum(batch_count) FROM rejection_day_totals GROUP BY 1") == [[first, 1]])
    await store.close()
  }

  @Test func viewsOfManyWritersAtOnceAreExactWhileTheyAreFolded() async throws {
    let stores = try await [fixture.open()] + (fixture.isFile ? [] : [fixture.open(), fixture.open()])
    let day = noon.day
    try await withThrowingTaskGroup(of: Void.self) { group in
      for store in stores {
        for _ in 0..<store.groupsInFlight {
          group.addTask {
            for _ in 0..<200 { _ = try await store.commit([], counts: DayCounts(invitationViews: [day: 3])) }
          }
        }
      }
      try await group.waitForAll()
    }
    let expected = Int64(stores.map(\.groupsInFlight).reduce(0, +) * 600)
    #expect(try fixture.rows("SELECT view_count FROM invitation_day_totals") == [[expected]])
    if !fixture.isFile {
      // The folding of the servers comes within seconds, and changes nothing that is read.
      let isFolded = try await isTrue(within: 20) { try fixture.count("day_total_deltas") == 0 }
      #expect(isFolded)
      #expect(try fixture.rows("SELECT view_count FROM folded_invitation_day_totals") == [[expected]])
      #expect(try fixture.rows("SELECT view_count FROM invitation_day_totals") == [[expected]])
    }
    for store in stores { await store.close() }
  }

  @Test func aFailedCommitCountsNothing() async throws {
    let store = try await fixture.open()
    let blocker = try fixture.connect()
    try blocker.execute(
      fixture.isFile
        ? "CREATE TRIGGER broken BEFORE INSERT ON events BEGIN SELECT RAISE(ABORT, 'broken'); END"
        : "ALTER TABLE events ADD CONSTRAINT broken CHECK (installation_key < 0) NOT VALID")
    let batch = submission(.events([event()]))
    await #expect(throws: StoreFailure.self) {
      try await store.commit([batch], counts: DayCounts(invitationViews: [noon.day: 5]))
    }
    #expect(try fixture.count("invitation_day_totals") == 0)
    await store.close()
  }

  private func isTrue(within seconds: Int, _ question: () throws -> Bool) async throws -> Bool {
    let deadline = ContinuousClock.now + .seconds(seconds)
    while try !question() {
      if ContinuousClock.now > deadline { return false }
      try await Task.sleep(for: .milliseconds(50))
    }
    return true
  }
}
