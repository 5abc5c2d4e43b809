import Foundation
import TestSupport
import Testing

extension PostgreSQLFaultTests {
  /// A database without room on its disk or for connections.
  @Suite("Database without room")
  struct Room {
    @Test(
      "a database whose disk is full, until it is emptied",
      .enabled(if: Mounting.isPermitted, "mounting a small file system is not permitted here"),
      arguments: [PostgreSQLCluster.SmallDisk.tables, .log])
    func fullDisk(_ small: PostgreSQLCluster.SmallDisk) async throws {
      let settings = ["min_wal_size": "2MB", "max_wal_size": "4MB"]
      try await withCluster(settings: settings, small: small) { cluster in
        let database = cluster.serverDatabase()
        try await withRig("full disk \(small)", databases: [database, database, database]) { rig in
          for _ in 0..<(FaultRig.isSoak ? 10 : 1) {
            #expect(rig.load.waitForProgress(60))
            cluster.fillDisk()
            if small == .log { fillLog(of: cluster) }
            let refused = rig.load.statuses[503] ?? 0
            let isFull = waitUntil(seconds: 30) { (rig.load.statuses[503] ?? 0) >= refused + 20 }
            #expect(isFull, "the disk is full at last")
            try await rig.expectUnready()
            cluster.freeDisk()
            // Without room for its log the database stops, or crashes until there is some; what it began before may still
            // fail after.
            let accepts = waitUntil(seconds: 30) {
              if !cluster.isRunning { try? cluster.start() }
              return cluster.isAccepting
            }
            #expect(accepts)
            try await rig.expectService()
          }
          try await rig.finish(on: cluster)
        }
      }
    }

    /// The log has segments that it uses again. They last for a while, unless someone writes a lot.
    private func fillLog(of cluster: PostgreSQLCluster) {
      guard let session = try? cluster.connect() else { return }
      let write = "SELECT pg_logical_emit_message(true, 'test', repeat('x', 100000))"
      for _ in 0..<1_000 where (try? session.execute(write)) == nil { return }
    }

    @Test("a database without a connection left, until others give theirs back")
    func exhaustedConnections() async throws {
      try await withCluster(settings: ["max_connections": "30", "superuser_reserved_connections": "3"]) { cluster in
        let database = cluster.serverDatabase()
        try await withRig("exhausted connections", databases: [database, database, database]) { rig in
          #expect(rig.load.waitForProgress(60))
          let administrator = try cluster.connect()
          var held: [PostgreSQLSession] = []
          // Every connection that a node loses is one that the test may get before the node makes a new one.
          let isExhausted = try waitUntil(seconds: 30) {
            while let session = try? cluster.connectAsRole() { held.append(session) }
            let nodes =
              "FROM pg_stat_activity WHERE usename = '\(PostgreSQLCluster.role)' AND application_name <> 'test'"
            try administrator.execute("SELECT pg_terminate_backend(pid) \(nodes)")
            while let session = try? cluster.connectAsRole() { held.append(session) }
            return try administrator.integer("SELECT count(*) \(nodes)") == 0
          }
          #expect(isExhausted)
          try await rig.expectUnready()
          for session in held { session.close() }
          try await rig.expectService()
          try await rig.finish(on: cluster)
        }
      }
    }
  }
}
