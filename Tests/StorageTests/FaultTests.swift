import AnalyticsContract
import Foundation
import Ingestion
import TestSupport
import Testing

@testable import Storage

@Suite struct FaultTests {
  private let fixture = try! StoreFixture()

  @Test func aDatabaseThatSomeoneHoldsIsUnavailableUntilTheyLetGo() async throws {
    let store = try await fixture.open()
    _ = try await store.commit(submission(.events([event()])))
    let batch = submission(.events([event()]))
    try await store.probe()
    let other = try fixture.connect()
    try other.holdDatabase()
    await #expect(throws: StoreFailure.unavailable(.busy)) { try await store.commit(batch) }
    await #expect(throws: StoreFailure.unavailable(.busy)) { try await store.probe() }
    try other.execute("ROLLBACK")
    try await store.probe()
    #expect(try await store.commit(batch) == .stored(accepted: 1, replayed: 0))
  }

  @Test func aGroupThatFailsInTheMiddleStoresNothing() async throws {
    let store = try await fixture.open()
    try fixture.execute(
      DatabaseUnderTest.isSQLite
        ? """
        CREATE TRIGGER broken BEFORE INSERT ON events WHEN NEW.app_version = 'broken'
        BEGIN SELECT raise(ABORT, 'broken'); END
        """
        : """
        CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'broken'; END $$;
        CREATE TRIGGER broken BEFORE INSERT ON events FOR EACH ROW WHEN (NEW.app_version = 'broken')
        EXECUTE FUNCTION refuse()
        """)
    let good = submission(.events([event(), event()]), of: "good")
    let bad = submission(.events([event(), event(version: "broken")]), of: "bad")
    await #expect(throws: StoreFailure.defect) { try await store.commit([good, bad], counts: DayCounts()) }
    for table in ["installations", "events", "activity", "event_day_totals", "receipt_day_totals"] {
      #expect(try fixture.count(table) == 0, "\(table)")
    }
    #expect(try await store.commit(good) == .stored(accepted: 2, replayed: 0))
  }
}

@Suite(.enabled(if: DatabaseUnderTest.isSQLite, "it is about files")) struct FileFaultTests {
  private let fixture = try! FileFixture()

  @Test func theWriteAheadLogStartsAfreshUnderSteadyLoad() async throws {
    let store = try fixture.open()
    var largest = 0
    for round in 0..<300 {
      let group = (0..<64).map { submission(.events([event()]), of: "\(round).\($0)") }
      _ = try await store.commit(group, counts: DayCounts())
      largest = max(largest, contents(ofFile: fixture.path + "-wal").count)
    }
    // Written in all: more than three times the size at which it is copied. Left to grow, it would hold all of that.
    #expect(largest < 40 << 20)
    #expect(contents(ofFile: fixture.path).count > 1 << 20)
    #expect(try fixture.count("events") == 300 * 64)
    await store.close()
    #expect(contents(ofFile: fixture.path + "-wal").isEmpty)
  }

  @Test func aFileThatWasDeletedOrReplacedTakesNothingMore() async throws {
    let store = try fixture.open()
    #expect(try await store.commit(submission(.events([event()]))) == .stored(accepted: 1, replayed: 0))
    let moved = fixture.path + ".moved"
    #expect(rename(fixture.path, moved) == 0)
    await #expect(throws: StoreFailure.unavailable(.inaccessible)) {
      try await store.commit(submission(.events([event()])))
    }
    await #expect(throws: StoreFailure.unavailable(.inaccessible)) { try await store.probe() }
    #expect(FileManager.default.createFile(atPath: fixture.path, contents: nil))
    await #expect(throws: StoreFailure.unavailable(.inaccessible)) { try await store.probe() }
    #expect(rename(moved, fixture.path) == 0)
    try await store.probe()
    #expect(try await store.commit(submission(.events([event()]))) == .stored(accepted: 1, replayed: 0))
  }
}
