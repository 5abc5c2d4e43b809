import TestSupport
import Testing

/// Requests that arrive at the same instant.
@Suite("Parallel batches", .serialized, .ownThread)
struct ParallelBatchTests {
  /// Sends bodies at the same instant, each over a connection of its own that already stands.
  private func sendTogether(_ batches: [WireBatch], port: UInt16, headers: [[(String, String)]] = []) async throws
    -> [HTTPReply]
  {
    let gate = StartingGate(count: batches.count)
    return try await onThreads(batches.count) { index in
      let connection = Result { try HTTPConnection(port: port, timeoutSeconds: 60) }
      gate.arrive()
      let own = headers.isEmpty ? [] : headers[index]
      return try connection.get().request(
        "POST", batches[index].path, headers: jsonHeaders + own, body: batches[index].body())
    }
  }

  @Test("of two hundred copies one is accepted and the others are replayed", arguments: [1, 50])
  func copies(_ size: Int) async throws {
    try await withServer { server in
      var bodies = WireBodies(seed: "copies \(size)")
      for batch in [bodies.events(size), bodies.summaries(min(size, 35)), bodies.batch(of: bodies.event("FIRST_OPEN"))]
      {
        let count = batch.items.count
        let replies = try await sendTogether(Array(repeating: batch, count: 200), port: server.port)
        let outcomes = replies.map { Outcome($0) }
        #expect(replies.allSatisfy { $0.status == 200 })
        #expect(outcomes.filter { $0 == Outcome(accepted: count, replayed: 0) }.count == 1)
        #expect(outcomes.filter { $0 == Outcome(accepted: 0, replayed: count) }.count == 199)
      }
      #expect(try server.openDatabase().eventCount() == size + 1)
    }
  }

  @Test("of conflicting batches exactly one wins, and of the others nothing is stored")
  func conflicting() async throws {
    try await withServer { server in
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
        let replies = try await sendTogether(batches, port: server.port)
        let winners = replies.indices.filter { replies[$0].status == 200 }
        #expect(winners.count == 1)
        #expect(replies.filter { $0.status == 409 }.count == batches.count - 1)
        for (index, batch) in batches.enumerated() where batch.kind == .events {
          var own = batch
          own.items.removeFirst()
          let isWinner = winners.contains(index)
          expectTaken(try post(own, to: server.port), accepted: isWinner ? 0 : 5, replayed: isWinner ? 5 : 0)
        }
      }
    }
  }

  @Test("of two first opens of one installation exactly one wins")
  func firstOpens() async throws {
    try await withServer { server in
      var bodies = WireBodies(seed: "firstOpens")
      var batches: [WireBatch] = []
      for _ in 0..<30 {
        let installation = bodies.installation()
        for _ in 0..<2 {
          batches.append(WireBatch(.events, installation: installation, items: [bodies.event("FIRST_OPEN")]))
        }
      }
      let replies = try await sendTogether(batches, port: server.port)
      for pair in stride(from: 0, to: batches.count, by: 2) {
        #expect([replies[pair].status, replies[pair + 1].status].sorted() == [200, 409])
      }
      #expect(try server.openDatabase().eventCount() == 30)
    }
  }

  @Test("of two summaries for one date exactly one wins")
  func summaryDates() async throws {
    try await withServer { server in
      var bodies = WireBodies(seed: "summaryDates")
      var batches: [WireBatch] = []
      for _ in 0..<30 {
        let installation = bodies.installation()
        for _ in 0..<2 {
          batches.append(WireBatch(.summaries, installation: installation, items: [bodies.summary()]))
        }
      }
      let replies = try await sendTogether(batches, port: server.port)
      for pair in stride(from: 0, to: batches.count, by: 2) {
        #expect([replies[pair].status, replies[pair + 1].status].sorted() == [200, 409])
      }
    }
  }

  @Test("many different batches at once are all taken, and a refused one harms none of them")
  func different() async throws {
    try await withServer { server in
      let port = server.port
      let accepted = try await onThreads(24) { thread in
        var bodies = WireBodies(seed: "different \(thread)")
        let connection = try HTTPConnection(port: port, timeoutSeconds: 60)
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
      #expect(try server.openDatabase().eventCount() == sent * 24)
    }
  }

  @Test("one installation may send many batches at once")
  func oneInstallation() async throws {
    try await withServer { server in
      var bodies = WireBodies(seed: "oneInstallation")
      let installation = bodies.installation()
      let batches = (0..<60).map { _ in bodies.events(10, installation: installation) }
      let replies = try await sendTogether(batches, port: server.port)
      for reply in replies { expectTaken(reply, accepted: 10) }
      #expect(try server.openDatabase().eventCount() == 600)
    }
  }

  @Test("of two accounts that race to link one installation one gets 200 and the other 409")
  func linking() async throws {
    try await withServer { server in
      var bodies = WireBodies(seed: "linking")
      let sessions = [try server.issueSession(account: bodies.uuid()), try server.issueSession(account: bodies.uuid())]
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
      let replies = try await sendTogether(batches, port: server.port, headers: headers)
      for pair in stride(from: 0, to: batches.count, by: 2) {
        #expect([replies[pair].status, replies[pair + 1].status].sorted() == [200, 409])
        let loser = replies[pair].status == 409 ? pair : pair + 1
        // The loser stored nothing: without a session its items are new, unless the winner sent the same.
        let isCopy = batches[pair].json() == batches[pair + 1].json()
        let count = batches[loser].items.count
        let again = try post(batches[loser], to: server.port)
        expectTaken(again, accepted: isCopy ? 0 : count, replayed: isCopy ? count : 0)
      }
    }
  }
}
