import Foundation
import TestSupport
import Testing

extension PostgreSQLFaultTests {
  /// Nodes that write the same rows at the same time.
  @Suite("Contention between nodes")
  struct Contention {
    @Test("overlapping batches of the same few installations, on three nodes at once, are all taken")
    func overlapping() async throws {
      try await withCluster { cluster in
        var nodes: [ServerProcess] = []
        defer { for node in nodes { node.remove() } }
        for _ in 0..<3 {
          var options = ServerOptions()
          options.database = cluster.serverDatabase()
          nodes.append(try ServerProcess(options))
        }
        // What there is to send: every batch is a part of it, in an order of its own.
        var bodies = WireBodies(seed: "overlapping")
        let installations = try (0..<5).map { _ in
          let installation = bodies.installation()
          let events = [bodies.event("FIRST_OPEN")] + (0..<59).map { _ in bodies.event() }
          return (
            events: WireBatch(.events, installation: installation, items: events),
            summaries: bodies.summaries(30, installation: installation),
            session: try nodes[0].issueSession(account: bodies.uuid())
          )
        }
        let ports = nodes.map(\.port)
        let rounds = FaultRig.isSoak ? 1_000 : 40
        let sent = try await onThreads(12) { thread in
          var generator = SeededGenerator(seed: "overlapping \(thread)")
          let connection = try HTTPConnection(port: ports[thread % 3], timeoutSeconds: 60)
          var (wrong, events, summaries) = ([String](), Set<String>(), Set<String>())
          for round in 0..<rounds {
            let installation = installations.randomElement(using: &generator)!
            var batch = round % 4 == 3 ? installation.summaries : installation.events
            let count = Int.random(in: 1...50, using: &generator)
            batch.items = Array(batch.items.shuffled(using: &generator).prefix(count))
            let headers = jsonHeaders + (round % 3 == 0 ? [bearer(installation.session)] : [])
            var reply = try connection.request("POST", batch.path, headers: headers, body: batch.body())
            // A disk that is busy with something else may take its time; then the client comes back.
            let isAnswered = try waitUntil(seconds: 30) {
              if reply.status != 503 { return true }
              reply = try connection.request("POST", batch.path, headers: headers, body: batch.body())
              return false
            }
            let outcome = Outcome(reply)
            if !isAnswered || outcome.map({ $0.accepted + $0.replayed }) != batch.items.count {
              wrong.append("\(reply.status) \(reply.text.prefix(200))")
            }
            for item in batch.items {
              if let id = item["clientEventId"] { events.insert(id) }
              if let id = item["clientSummaryId"] { summaries.insert(id) }
            }
          }
          return (wrong, events, summaries)
        }
        let wrong = sent.flatMap(\.0)
        #expect(wrong.isEmpty, "\(wrong.count): \(wrong.prefix(5))")
        let events = sent.reduce(into: Set<String>()) { $0.formUnion($1.1) }.count
        let summaries = sent.reduce(into: Set<String>()) { $0.formUnion($1.2) }.count
        let database = try cluster.connect()
        #expect(try database.integer("SELECT count(*) FROM events") == events)
        #expect(try database.integer("SELECT sum(event_count) FROM event_day_totals") == events)
        #expect(try database.integer("SELECT count(*) FROM keyboard_summaries") == summaries)
        #expect(try database.integer("SELECT sum(summary_count) FROM usage_day_totals") == summaries)
        #expect(try database.integer("SELECT count(*) FROM installations") == installations.count)
        #expect(try database.integer("SELECT sum(installation_count) FROM link_day_totals") == installations.count)
        #expect(try database.integer("SELECT sum(deadlocks) FROM pg_stat_database") == 0)
        #expect(!cluster.log.contains("deadlock detected"))
      }
    }
  }
}
