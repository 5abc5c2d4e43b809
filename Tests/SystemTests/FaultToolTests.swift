import Foundation
import TestSupport
import Testing

extension PostgreSQLFaultTests {
  /// What the other suites break things with: the faults must be real, or nothing is proved.
  @Suite("Tools of the fault tests")
  struct Tools {
    @Test("a cluster keeps what it committed through a stop and a crash, and leaves nothing behind")
    func cluster() async throws {
      var leftovers: [String] = []
      try await withCluster { cluster in
        leftovers = [cluster.folder.path]
        let role = try cluster.connectAsRole()
        #expect(try role.text("SHOW fsync") == "on")
        try role.execute("CREATE TABLE numbers (number int)")
        let ends: [() -> Void] = [{ cluster.stop(.fast) }, { cluster.stop(.immediate) }, { cluster.crash() }]
        for (index, end) in ends.enumerated() {
          try cluster.connect().execute("INSERT INTO numbers VALUES (\(index))")
          end()
          #expect(!cluster.isRunning)
          #expect(!cluster.isAccepting)
          try cluster.start()
          #expect(try cluster.connect().integer("SELECT count(*) FROM numbers") == index + 1)
        }
        #expect(throws: PostgreSQLSessionError.self) { try role.execute("SELECT 1") }
        #expect(throws: PostgreSQLSessionError.self) {
          try PostgreSQLSession(PostgreSQLAccess(url: cluster.url(password: "wrong")))
        }
        cluster.crash()
      }
      #expect(!leftovers.contains { FileManager.default.fileExists(atPath: $0) })
    }

    @Test("a primary commits nothing without its standby, which has everything and takes writes once promoted")
    func standby() async throws {
      try await withCluster { primary in
        let standby = try primary.makeStandby()
        defer { standby.remove() }
        #expect(throws: PostgreSQLSessionError.self) { try standby.connect().execute("CREATE TABLE t (a int)") }

        standby.stop(.immediate)
        let committed = LockedList<Bool>()
        Thread { committed.append((try? primary.connect().execute("CREATE TABLE numbers (number int)")) != nil) }
          .start()
        let session = try primary.connect()
        let waits = try waitUntil(seconds: 20) {
          try session.integer("SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'") == 1
        }
        #expect(waits)
        #expect(committed.count == 0)
        try standby.start()
        let hasCommitted = waitUntil(seconds: 30) { committed.all == [true] }
        #expect(hasCommitted)

        primary.crash()
        try standby.promote()
        try standby.connect().execute("INSERT INTO numbers VALUES (2)")
      }
    }

    @Test("the load goes on through a kill, and finds what was acknowledged and lost")
    func load() async throws {
      let folder = try TemporaryFolder()
      defer { folder.remove() }
      var options = ServerOptions(database: .sqlite(path: folder.file("analytics.sqlite")))
      options.port = FreePort.take()
      try await withServer(options) { server in
        let proxy = try HAProxyProcess(nodes: [server.port])
        defer { proxy.remove() }
        let load = PersistentLoad(seed: "load", ports: [proxy.port], clients: 3)
        load.start()
        #expect(load.waitForProgress(30))
        server.kill()
        let isNoticed = waitUntil(seconds: 20) { (load.statuses[503] ?? 0) > 5 }
        #expect(isNoticed, "HAProxy answers for a node that is gone")
        try server.restart()
        #expect(load.waitForProgress(30))
        load.stop()
        #expect(load.faults == [])
        #expect(try await load.resend(to: [server.port]) == [])
        let database = try server.openDatabase()
        #expect(try database.eventCount() == load.items.events)
        try database.execute("DELETE FROM events WHERE installation_key = (SELECT min(installation_key) FROM events)")
        #expect(try await load.resend(to: [server.port]).count == 1)
      }
    }

    /// A server that answers what it is sent, over connections through a proxy.
    private func withEcho(_ body: (TCPProxy, () throws -> HTTPConnection) async throws -> Void) async throws {
      let folder = try TemporaryFolder()
      defer { folder.remove() }
      let options = ServerOptions(database: .sqlite(path: folder.file("analytics.sqlite")))
      try await withServer(options) { server in
        let proxy = try TCPProxy(to: server.port)
        defer { proxy.remove() }
        try await body(proxy) { try HTTPConnection(port: proxy.port, timeoutSeconds: 1) }
      }
    }

    @Test("the network forwards, delays, drops, refuses and swallows")
    func network() async throws {
      try await withEcho { proxy, connect in
        let first = try connect()
        #expect(try first.request("GET", "/healthz").status == 200)

        proxy.delay(milliseconds: 100)
        let start = ContinuousClock.now
        #expect(try first.request("GET", "/healthz").status == 200)
        #expect(ContinuousClock.now - start >= .milliseconds(200))
        proxy.delay(milliseconds: 0)

        proxy.dropAll()
        #expect(throws: HTTPConnectionError.self) { try first.request("GET", "/healthz") }

        let second = try connect()
        #expect(try second.request("GET", "/healthz").status == 200)
        proxy.set(.refusing)
        #expect(throws: HTTPConnectionError.self) { try connect() }
        #expect(try second.request("GET", "/healthz").status == 200)

        proxy.set(.silent)
        let third = try connect()
        for connection in [second, third] {
          do {
            _ = try connection.request("GET", "/healthz")
            Issue.record("an answer out of a dead network")
          } catch HTTPConnectionError.timedOut {}
        }
        proxy.set(.forwarding)
        do {
          _ = try second.request("GET", "/healthz")
          Issue.record("an answer over a dead connection")
        } catch HTTPConnectionError.timedOut {}
        #expect(try connect().request("GET", "/healthz").status == 200)
        #expect(proxy.connectionCount >= 2)

        proxy.redirect(to: FreePort.take())
        #expect(throws: HTTPConnectionError.self) { try connect().request("GET", "/healthz") }
      }
    }

    @Test("a connection is cut at its byte")
    func cuts() async throws {
      try await withEcho { proxy, connect in
        proxy.cut(TCPProxy.Cuts(bytes: 1_000...1_000, seed: "cuts"))
        let connection = try connect()
        var answers = 0
        while (try? connection.request("GET", "/healthz").status) == 200 { answers += 1 }
        #expect((1...9).contains(answers))
        proxy.cut(nil)
        let another = try connect()
        for _ in 0..<20 { #expect(try another.request("GET", "/healthz").status == 200) }
      }
    }
  }
}
