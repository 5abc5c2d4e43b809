import TestSupport
import Testing

/// Requests that arrive at the same instant, at one node and, where the database may have several, at three.
@Suite("Parallel batches", .serialized, .ownThread)
struct ParallelBatchTests {
  @Test("of two hundred copies one is accepted and the others are replayed", arguments: [1, 50], nodeCounts)
  func copies(_ size: Int, _ nodeCount: Int) async throws {
    try await withNodes(nodeCount) { nodes in
      var bodies = WireBodies(seed: "copies \(size)")
      for batch in [bodies.events(size), bodies.summaries(min(size, 35)), bodies.batch(of: bodies.event("FIRST_OPEN"))]
      {
        let count = batch.items.count
        let replies = try await sendTogether(Array(repeating: batch, count: 200), ports: nodes.map(\.port))
        let outcomes = replies.map { Outcome($0) }
        #expect(replies.allSatisfy { $0.status == 200 })
        #expect(outcomes.filter { $0 == Outcome(accepted: count, replayed: 0) }.count == 1)
        #expect(outcomes.filter { $0 == Outcome(accepted: 0, replayed: count) }.count == 199)
      }
      #expect(try nodes[0].openDatabase().eventCount() == size + 1)
    }
  }

  @Test("of conflicting batches exactly one wins, and of the others nothing is stored", arguments: nodeCounts)
  func conflicting(_ nodeCount: Int) async throws {
    try await withNodes(nodeCount) { nodes in
      var bodies = WireBodies(seed: "conflicting")
      for round in 0..<5 {
        let shared = round % 2 == 0 ? bodies.events(1) : bodies.summaries(1)
        // All name one item, each with another value, between items of their own.
        var batches: [WireBatch] = []
        for index in 0..<32 {
          var batch = shared
          batch.items[0]["appVersion"] = "2.0.\(index)"
          if batch.kind == .events {
            batch.items += bodies.events(5, installation: shared.installation).items
          }
          batches.append(batch)
        }
        let replies = try await sendTogether(batches, ports: nodes.map(\.port))
        let winners = replies.indices.filter { replies[$0].status == 200 }
        #expect(winners.count == 1)
        #expect(replies.filter { $0.status == 409 }.count == batches.count - 1)
        for (index, batch) in batches.enumerated() where batch.kind == .events {
          var own = batch
          own.items.removeFirst()
          let isWinner = winners.contains(index)
          expectTaken(try post(own, to: nodes[0].port), accepted: isWinner ? 0 : 5, replayed: isWinner ? 5 : 0)
        }
      }
    }
  }

  @Test("of two first opens of one installation exactly one wins", arguments: nodeCounts)
  func firstOpens(_ nodeCount: Int) async throws {
    try await withNodes(nodeCount) { nodes in
      var bodies = WireBodies(seed: "firstOpens")
      var batches: [WireBatch] = []
      for _ in 0..<30 {
        let installation = bodies.installation()
        for _ in 0..<2 {
          batches.append(WireBatch(.events, installation: installation, items: [bodies.event("FIRST_OPEN")]))
        }
      }
      let replies = try await sendTogether(batches, ports: nodes.map(\.port))
      for pair in stride(from: 0, to: batches.count, by: 2) {
        #expect([replies[pair].status, replies[pair + 1].status].sorted() == [200, 409])
      }
      #expect(try nodes[0].openDatabase().eventCount() == 30)
    }
  }

  @Test("of two summaries for one date exactly one wins", arguments: nodeCounts)
  func summaryDates(_ nodeCount: Int) async throws {
    try await withNodes(nodeCount) { nodes in
      var bodies = WireBodies(seed: "summaryDates")
      var batches: [WireBatch] = []
      for _ in 0..<30 {
        let installation = bodies.installation()
        for _ in 0..<2 {
          batches.append(WireBatch(.summaries, installation: installation, items: [bodies.summary()]))
        }
      }
      let replies = try await sendTogether(batches, ports: nodes.map(\.port))
      for pair in stride(from: 0, to: batches.count, by: 2) {
        #expect([replies[pair].status, replies[pair + 1].status].sorted() == [200, 409])
      }
    }
  }

  @Test("many different batches at once are all taken, and a refused one harms none of them", arguments: nodeCounts)
  func different(_ nodeCount: Int) async throws {
    try await withNodes(nodeCount) { nodes in
      let ports = nodes.map(\.port)
      let accepted = try await onThreads(24) { thread in
        var bodies = WireBodies(seed: "different \(thread)")
        let connection = try HTTPConnection(port: ports[thread % ports.count], timeoutSeconds: 60)
        var count = 0
        for round in 0..<40 {
          var batch = bodies.events([1, 5, 20][round % 3])
          let items = batch.items.count
          // Every fourth batch conflicts with what the same group may be storing.
          let first = try connection.request("POST", batch.path, headers: jsonHeaders, body: batch.body())
          if Outcome(first) == Outcome(accepted: items, replayed: 0) { count += items }
          if round % 4 == 3 {
            batch.items[0]["osVersion"] = "1"
            let second = try connection.request("POST", batch.path, headers: jsonHeaders, body: batch.body())
            if second.status != 409 { count = .min }
          }
        }
        return count
      }
      let sent = (0..<40).map { [1, 5, 20][$0 % 3] }.reduce(0, +)
      #expect(accepted == Array(repeating: sent, count: 24))
      #expect(try nodes[0].openDatabase().eventCount() == sent * 24)
    }
  }

  @Test("one installation may send many batches at once", arguments: nodeCounts)
  func oneInstallation(_ nodeCount: Int) async throws {
    try await withNodes(nodeCount) { nodes in
      var bodies = WireBodies(seed: "oneInstallation")
      let installation = bodies.installation()
      let batches = (0..<60).map { _ in bodies.events(10, installation: installation) }
      let replies = try await sendTogether(batches, ports: nodes.map(\.port))
      for reply in replies { expectTaken(reply, accepted: 10) }
      #expect(try nodes[0].openDatabase().eventCount() == 600)
    }
  }

  @Test("of two accounts that race to link one installation one gets 200 and the other 409", arguments: nodeCounts)
  func linking(_ nodeCount: Int) async throws {
    try await withNodes(nodeCount) { nodes in
      var bodies = WireBodies(seed: "linking")
      let sessions = [
        try nodes[0].issueSession(account: bodies.uuid()), try nodes[0].issueSession(account: bodies.uuid()),
      ]
      var batches: [WireBatch] = []
      for index in 0..<40 {
        let batch = index % 2 == 0 ? bodies.events(3) : bodies.summaries(3)
        // Half of the pairs send the very same items, the other half each its own.
        batches.append(batch)
        if index % 4 < 2 {
          batches.append(batch)
        } else if batch.kind == .events {
          batches.append(bodies.events(3, installation: batch.installation))
        } else {
          batches.append(WireBatch(.events, installation: batch.installation, items: [bodies.event()]))
        }
      }
      let headers = batches.indices.map { [bearer(sessions[$0 % 2])] }
      let replies = try await sendTogether(batches, ports: nodes.map(\.port), headers: headers)
      for pair in stride(from: 0, to: batches.count, by: 2) {
        #expect([replies[pair].status, replies[pair + 1].status].sorted() == [200, 409])
        let loser = replies[pair].status == 409 ? pair : pair + 1
        // The loser stored nothing: without a session its items are new, unless the winner sent the same.
        let isCopy = batches[pair].json() == batches[pair + 1].json()
        let count = batches[loser].items.count
        let again = try post(batches[loser], to: nodes[0].port)
        expectTaken(again, accepted: isCopy ? 0 : count, replayed: isCopy ? count : 0)
      }
      let database = try nodes[0].openDatabase()
      #expect(try database.integer("SELECT count(*) FROM installations WHERE account_id IS NOT NULL") == 40)
      #expect(try database.integer("SELECT sum(installation_count) FROM link_day_totals") == 40)
    }
  }

  @Test("of batches that share items each item is accepted once, and none is refused", arguments: nodeCounts)
  func overlapping(_ nodeCount: Int) async throws {
    try await withNodes(nodeCount) { nodes in
      var bodies = WireBodies(seed: "overlapping")
      for round in 0..<5 {
        let whole = round % 2 == 0 ? bodies.events(30) : bodies.summaries(30)
        // Each item is in three batches, in another order in each: whoever waits for another, waits the other way round too.
        var batches: [WireBatch] = []
        for index in 0..<30 {
          var batch = whole
          batch.items = (0..<3).map { whole.items[(index + $0 * 7) % 30] }
          if index % 2 == 0 { batch.items.reverse() }
          batches.append(batch)
        }
        let replies = try await sendTogether(batches, ports: nodes.map(\.port))
        let outcomes = replies.compactMap { Outcome($0) }
        #expect(outcomes.count == 30, "\(Set(replies.map(\.status)))")
        #expect(outcomes.allSatisfy { $0.accepted + $0.replayed == 3 })
        #expect(outcomes.map(\.accepted).reduce(0, +) == 30)
      }
      #expect(try nodes[0].openDatabase().eventCount() == 90)
    }
  }

  @Test("many installations at once, each at every node and in any order, are all taken", arguments: nodeCounts)
  func manyInstallations(_ nodeCount: Int) async throws {
    try await withNodes(nodeCount) { nodes in
      let ports = nodes.map(\.port)
      var bodies = WireBodies(seed: "manyInstallations")
      let installations = (0..<40).map { _ in bodies.installation() }
      // What all clients send is one item for each installation; beside it each has one of its own.
      let common = installations.map { bodies.events(1, installation: $0) }
      let gate = StartingGate(count: 12)
      let outcomes = try await onThreads(12) { thread in
        var bodies = WireBodies(seed: "manyInstallations \(thread)")
        let connection = Result { try HTTPConnection(port: ports[thread % ports.count], timeoutSeconds: 60) }
        gate.arrive()
        return try common.shuffled(using: &bodies.generator).map { shared in
          var batch = bodies.events(1, installation: shared.installation)
          batch.items += shared.items
          let headers = jsonHeaders
          return Outcome(try connection.get().request("POST", batch.path, headers: headers, body: batch.body()))
        }
      }
      let all = outcomes.flatMap { $0 }
      #expect(all.filter { $0 == Outcome(accepted: 2, replayed: 0) }.count == 40)
      #expect(all.filter { $0 == Outcome(accepted: 1, replayed: 1) }.count == 440)
      let database = try nodes[0].openDatabase()
      #expect(try database.eventCount() == 40 + 480)
      #expect(try database.integer("SELECT count(*) FROM installations") == 40)
    }
  }
}
