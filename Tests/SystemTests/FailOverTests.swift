import Foundation
import TestSupport
import Testing

extension PostgreSQLFaultTests {
  /// A primary with a standby that every commit waits for.
  @Suite("Fail-over")
  struct FailOver {
    @Test("when the primary is killed and the standby promoted, everything acknowledged is there")
    func promotion() async throws {
      try await withCluster { primary in
        let standby = try primary.makeStandby()
        defer { standby.remove() }
        let database = primary.serverDatabase(url: primary.url(ports: [primary.port, standby.port]))
        try await withRig("promotion", databases: [database, database, database]) { rig in
          #expect(rig.load.waitForProgress(100))
          primary.crash()
          // A standby takes reads, which is no database to be ready or to start with.
          try await rig.expectUnready()
          try expectNoStart(standby.url())
          try standby.promote()
          try await rig.expectService()
          try await rig.finish(on: standby)
        }
      }
    }

    /// PostgreSQL ends the wait for a standby when the statement is cancelled or its session ended, and may then report a
    /// commit that only the primary has.
    @Test("a commit that the standby hasn't got isn't acknowledged")
    func unconfirmed() async throws {
      try await withCluster { primary in
        let standby = try primary.makeStandby()
        defer { standby.remove() }
        let database = primary.serverDatabase(url: primary.url(ports: [primary.port, standby.port]))
        try await withRig("unconfirmed", databases: [database, database, database]) { rig in
          #expect(rig.load.waitForProgress(50))
          standby.stop(.immediate)
          let session = try primary.connect()
          let waits = try waitUntil(seconds: 20) {
            try session.integer("SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'") != 0
          }
          #expect(waits)
          // Those that wait are cut off, as an administrator may do.
          for round in 0..<(FaultRig.isSoak ? 40 : 6) {
            let function = round % 2 == 0 ? "pg_cancel_backend" : "pg_terminate_backend"
            try session.execute(
              "SELECT \(function)(pid) FROM pg_stat_activity WHERE usename = '\(PostgreSQLCluster.role)'")
            usleep(300_000)
          }
          session.close()
          primary.crash()
          try standby.start()
          try standby.promote()
          try await rig.expectService()
          try await rig.finish(on: standby)
        }
      }
    }
  }
}
