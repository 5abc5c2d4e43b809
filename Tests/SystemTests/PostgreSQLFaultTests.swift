import Foundation
import TestSupport
import Testing

/// Nodes on a PostgreSQL of their own, of which something breaks under load. Through all of it: what is acknowledged is
/// stored exactly once, clients see only 200, 503 or a broken connection, and service returns by itself.
///
/// They run once, with those on PostgreSQL, but not on the cluster of these.
@Suite("PostgreSQL faults", .serialized, .ownThread, .enabled(if: DatabaseUnderTest.isPostgreSQL))
enum PostgreSQLFaultTests {}

extension PostgreSQLFaultTests {
  /// The database stops and starts again.
  @Suite("Database restarts")
  struct Restarts {
    enum End: CaseIterable {
      case stopped, killed
    }

    @Test("a database that went away and came back", arguments: End.allCases)
    func restart(_ end: End) async throws {
      try await withCluster { cluster in
        let database = cluster.serverDatabase()
        try await withRig("restart \(end)", databases: [database, database, database]) { rig in
          for _ in 0..<(FaultRig.isSoak ? 20 : 1) {
            #expect(rig.load.waitForProgress(60))
            switch end {
            case .stopped: cluster.stop(.fast)
            case .killed: cluster.crash()
            }
            try await rig.expectUnready()
            try cluster.start()
            try await rig.expectService()
          }
          try await rig.finish(on: cluster)
        }
      }
    }

    @Test("a database that restarts at once, again and again")
    func quickRestarts() async throws {
      try await withCluster { cluster in
        let database = cluster.serverDatabase()
        try await withRig("quick restarts", databases: [database, database, database]) { rig in
          for round in 0..<(FaultRig.isSoak ? 40 : 4) {
            #expect(rig.load.waitForProgress(20))
            if round % 2 == 0 { cluster.stop(.immediate) } else { cluster.crash() }
            try cluster.start()
          }
          try await rig.expectService()
          try await rig.finish(on: cluster)
        }
      }
    }
  }
}
