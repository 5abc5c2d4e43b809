import Foundation
import TestSupport
import Testing

extension PostgreSQLFaultTests {
  /// A node ends, or hangs, while the others serve.
  @Suite("Nodes")
  struct Nodes {
    @Test("nodes that are killed or asked to stop, one after the other, and started again")
    func ended() async throws {
      try await withCluster { cluster in
        let database = cluster.serverDatabase()
        try await withRig("ended nodes", databases: [database, database, database]) { rig in
          for round in 0..<(FaultRig.isSoak ? 60 : 2) {
            for node in rig.nodes {
              #expect(rig.load.waitForProgress(20))
              if round % 2 == 0 {
                node.kill()
              } else {
                #expect(node.terminate() == .code(0), "\(node.log.suffix(1000))")
              }
              // Nothing stops for those behind the proxy: the other two serve.
              #expect(rig.load.waitForProgress(20, seconds: FaultRig.promise + FaultRig.slack))
              try node.restart()
            }
          }
          try await rig.expectService()
          try await rig.finish(on: cluster)
        }
      }
    }

    @Test("a node that hangs doesn't hold up the others")
    func hanging() async throws {
      try await withCluster { cluster in
        let database = cluster.serverDatabase()
        try await withRig("hanging node", databases: [database, database, database]) { rig in
          for round in 0..<(FaultRig.isSoak ? 30 : 3) {
            let hanging = rig.nodes[round % 3]
            #expect(rig.load.waitForProgress(20 + round * 7))
            hanging.process.send(SIGSTOP)
            try await rig.expectService(rig.nodes.filter { $0 !== hanging })
            hanging.process.send(SIGCONT)
            try await rig.expectService([hanging])
          }
          try await rig.finish(on: cluster)
        }
      }
    }

    @Test(
      "what a broken node makes of a request is a 503 for the client, which keeps its items",
      arguments: BrokenNode.Behaviour.allCases)
    func broken(_ behaviour: BrokenNode.Behaviour) async throws {
      let node = try BrokenNode(behaviour)
      defer { node.remove() }
      let proxy = try HAProxyProcess(nodes: [node.port], patience: 2)
      defer { proxy.remove() }
      var bodies = WireBodies(seed: "broken node")
      for batch in [bodies.events(3), bodies.summaries(3)] {
        let before = node.requestCount
        let reply = try post(batch, to: proxy.port)
        #expect(node.requestCount > before, "the node was asked")
        #expect(reply.status == 503)
        #expect(ErrorBody(reply)?.code == "unavailable", "\(reply.text)")
        #expect(reply.header("retry-after").flatMap { Int($0) } == 5)
        #expect(reply.header("content-type") == "application/json")
        #expect(reply.header("cache-control") == "no-store")
        #expect(reply.header("x-content-type-options") == "nosniff")
      }
    }

    @Test("a batch that a node gave no answer to is repeated, and the view of an invitation page is not")
    func repetition() async throws {
      let nodes = try [BrokenNode(.closes), BrokenNode(.closes)]
      defer { for node in nodes { node.remove() } }
      let proxy = try HAProxyProcess(nodes: nodes.map(\.port))
      defer { proxy.remove() }
      func asked() -> Int { nodes.map(\.requestCount).reduce(0, +) }
      var bodies = WireBodies(seed: "repetition")
      #expect(try post(bodies.events(1), to: proxy.port).status == 503)
      let forBatch = asked()
      #expect(forBatch > 1)
      #expect(try exchange("GET", path: "/i/Kf3vQ9xT2mZ8-pLw_aB4cD", port: proxy.port).status == 503)
      #expect(asked() == forBatch + 1)
    }

    @Test("what a node was about to store when it began to hang can be stored by another one")
    func hangingInTransaction() async throws {
      try await withCluster { cluster in
        var options = ServerOptions()
        options.database = cluster.serverDatabase(url: cluster.url(parameters: "application_name=hanging"))
        let hanging = try ServerProcess(options)
        defer { hanging.remove() }
        options.database = cluster.serverDatabase()
        let other = try ServerProcess(options)
        defer { other.remove() }
        var bodies = WireBodies(seed: "hanging in transaction")
        let installation = bodies.installation()
        let (first, second) = (bodies.events(50, installation: installation), bodies.events(50))
        let port = hanging.port
        // Makes the installation known.
        for node in [hanging, other] {
          expectTaken(try post(bodies.events(1, installation: installation), to: node.port), accepted: 1)
        }

        // Holds up the transaction where it locks the installation.
        let blocker = try cluster.connect()
        try blocker.execute("BEGIN; SELECT FROM installations FOR UPDATE")
        let answer = LockedList<Int?>()
        let answered = DispatchSemaphore(value: 0)
        Thread {
          answer.append((try? post(first, to: port))?.status)
          answered.signal()
        }.start()
        func expectHanging(_ state: String) throws {
          let isSo = try waitUntil(seconds: 10) {
            try blocker.integer(
              "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'hanging' AND \(state)") == 1
          }
          #expect(isSo, "\(state)")
        }
        try expectHanging("wait_event_type = 'Lock'")
        hanging.process.send(SIGSTOP)
        try blocker.execute("ROLLBACK")
        try expectHanging("state = 'idle in transaction'")

        expectTaken(try post(second, to: other.port), accepted: 50)
        var reply: HTTPReply?
        let isTaken = waitUntil(seconds: FaultRig.promise + FaultRig.slack) {
          reply = try? post(first, to: other.port)
          return reply?.status == 200
        }
        #expect(isTaken)
        if let reply { expectTaken(reply, accepted: 50) }

        hanging.process.send(SIGCONT)
        answered.wait()
        #expect([nil, 200, 503].contains(answer.all[0]))
        let isBack = waitUntil(seconds: FaultRig.promise + FaultRig.slack) {
          (try? post(first, to: port))?.text == "{\"accepted\":0,\"replayed\":50}"
        }
        #expect(isBack)
        #expect(try blocker.integer("SELECT count(*) FROM events") == 102)
        #expect(try blocker.integer("SELECT sum(event_count) FROM event_day_totals") == 102)
      }
    }
  }
}
