import Foundation
import TestSupport
import Testing

/// Day totals are counted beside what they count; here they are counted a second time from what is stored.
@Suite("Day totals", .serialized, .ownThread)
struct DayTotalTests {
  /// For each total that can be worked out from what is stored: how many of its rows are wrong, missing or too many.
  private static let differences = [
    "events": difference(
      "SELECT * FROM event_day_totals",
      """
      SELECT occurred_at / 86400000000, event_type, surface, coalesce(acquisition_channel, 0), coalesce(feature, 0),
        coalesce(execution_mode, 0), coalesce(failure_category, 0), coalesce(duration_bucket, 0),
        coalesce(app_version, ''), count(*)
      FROM events GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9
      """),
    "summaries": difference(
      "SELECT * FROM usage_day_totals",
      """
      SELECT summary_day, count(*), sum(chinese_characters), sum(english_characters), sum(other_characters),
        sum(input_sessions), sum(chinese_only_sessions), sum(english_only_sessions), sum(mixed_language_sessions),
        sum(other_only_sessions)
      FROM keyboard_summaries GROUP BY 1
      """),
    "accepted events": difference(
      """
      SELECT day, app_version, sum(item_count) FROM receipt_day_totals WHERE endpoint = 1 AND outcome = 1 GROUP BY 1, 2
      """,
      "SELECT received_at / 86400000000, coalesce(app_version, ''), count(*) FROM events GROUP BY 1, 2"),
    "accepted summaries": difference(
      "SELECT day, sum(item_count) FROM receipt_day_totals WHERE endpoint = 2 AND outcome = 1 GROUP BY 1",
      "SELECT received_at / 86400000000, count(*) FROM keyboard_summaries GROUP BY 1"),
    "links": difference(
      "SELECT day, installation_count FROM link_day_totals",
      "SELECT linked_at / 86400000000, count(*) FROM installations WHERE linked_at IS NOT NULL GROUP BY 1"),
  ]

  /// One statement, and so one moment.
  private static func difference(_ kept: String, _ counted: String) -> String {
    """
    WITH kept AS (\(kept)), counted AS (\(counted))
    SELECT (SELECT count(*) FROM (SELECT * FROM kept EXCEPT SELECT * FROM counted) AS surplus)
      + (SELECT count(*) FROM (SELECT * FROM counted EXCEPT SELECT * FROM kept) AS missing)
    """
  }

  private func expectEqual(
    _ database: any DatabaseConnection, _ comment: Comment, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    for (name, difference) in Self.differences {
      #expect(try database.integer(difference) == 0, "\(name), \(comment)", sourceLocation: sourceLocation)
    }
  }

  /// The counts of what clients were told, by status and outcome.
  private struct Tally: Sendable {
    var accepted: [WireBatch.Kind: Int] = [.events: 0, .summaries: 0]
    var replayed: [WireBatch.Kind: Int] = [.events: 0, .summaries: 0]
    var refused: [Int: Int] = [:]

    mutating func add(_ kind: WireBatch.Kind, _ reply: HTTPReply) {
      if let outcome = Outcome(reply) {
        accepted[kind]! += outcome.accepted
        replayed[kind]! += outcome.replayed
      } else {
        refused[reply.status, default: 0] += 1
      }
    }

    mutating func add(_ other: Tally) {
      accepted.merge(other.accepted, uniquingKeysWith: +)
      replayed.merge(other.replayed, uniquingKeysWith: +)
      refused.merge(other.refused, uniquingKeysWith: +)
    }
  }

  /// Sends batches of every kind and fate, half of them of installations that other clients send for too.
  private static func send(_ client: Int, ports: [UInt16], session: String) throws -> Tally {
    var tally = Tally()
    var (own, common) = (WireBodies(seed: "dayTotals \(client)"), WireBodies(seed: "dayTotals"))
    let connections = try ports.map { try HTTPConnection(port: $0, timeoutSeconds: 60) }
    for round in 0..<60 {
      let isShared = round % 2 == 0
      func fresh(_ bodies: inout WireBodies) -> WireBatch {
        round % 5 == 4 ? bodies.summaries(7) : bodies.events([1, 10, 40][round % 3])
      }
      let batch = isShared ? fresh(&common) : fresh(&own)
      let headers = round % 6 == 1 ? [bearer(session)] : []
      func send(_ batch: WireBatch, _ body: [UInt8], _ more: [(String, String)] = []) throws {
        let connection = connections[(client + round) % ports.count]
        tally.add(batch.kind, try connection.request("POST", batch.path, headers: jsonHeaders + more, body: body))
      }
      try send(batch, batch.body(), headers)
      switch round % 7 {
      case 1: try send(batch, batch.body())
      case 2 where !isShared:
        var conflicting = batch
        conflicting.items[0]["osVersion"] = "1"
        try send(batch, conflicting.body())
      case 3: try send(batch, Array(batch.body().dropLast()))
      case 4:
        var invalid = batch
        invalid.items[0]["osVersion"] = "not valid"
        try send(batch, invalid.body())
      case 5: try send(batch, batch.body(), [bearer("nobody")])
      default: break
      }
    }
    return tally
  }

  @Test("after a concurrent load the totals are what is stored and what was answered", arguments: nodeCounts)
  func load(_ nodeCount: Int) async throws {
    try await withNodes(nodeCount) { nodes in
      let ports = nodes.map(\.port)
      var bodies = WireBodies(seed: "dayTotals load")
      let session = try nodes[0].issueSession(account: bodies.uuid())
      let tallies = try await onThreads(9) { try Self.send($0, ports: ports, session: session) }
      var total = Tally()
      for tally in tallies { total.add(tally) }
      #expect(Set(total.refused.keys) == [400, 401, 409, 422])
      #expect(total.replayed.values.allSatisfy { $0 > 0 })

      // Refusals are counted at the latest when a server stops.
      for node in nodes { #expect(node.terminate() == .code(0)) }
      let database = try nodes[0].openDatabase()
      func expectTotals(_ comment: Comment) throws {
        try expectEqual(database, comment)
        for (endpoint, kind) in [(1, WireBatch.Kind.events), (2, .summaries)] {
          for (outcome, count) in [(1, total.accepted[kind]), (2, total.replayed[kind])] {
            let sum = try database.integer(
              "SELECT sum(item_count) FROM receipt_day_totals WHERE endpoint = \(endpoint) AND outcome = \(outcome)")
            #expect(sum == count, "\(kind), outcome \(outcome), \(comment)")
          }
        }
        let rows = try database.rows("SELECT status, sum(batch_count) FROM rejection_day_totals GROUP BY status")
        let refused = try rows.map {
          (try #require($0[0].flatMap { Int($0) }), try #require($0[1].flatMap { Int($0) }))
        }
        #expect(Dictionary(uniqueKeysWithValues: refused) == total.refused, comment)
      }
      try expectTotals("after the stop")
      #expect(try database.eventCount() == total.accepted[.events])
      #expect(try database.integer("SELECT count(*) FROM keyboard_summaries") == total.accepted[.summaries])

      // The next start changes nothing, whatever it tidies up.
      for node in nodes { try node.restart() }
      try expectTotals("after the next start")
      for node in nodes { #expect(node.terminate() == .code(0)) }
      try expectTotals("after the next stop")
      #expect(try database.integrity() == "ok")
    }
  }

  @Test("at every moment of a load the totals are those of what is stored", arguments: nodeCounts)
  func everyMoment(_ nodeCount: Int) async throws {
    try await withNodes(nodeCount) { nodes in
      let loads = nodes.map { ($0.port, BatchLoad(seed: "everyMoment \($0.port)")) }
      try await withThrowingTaskGroup(of: Void.self) { group in
        for (port, load) in loads { group.addTask { try await load.run(clients: 3, port: port, limit: 120) } }
        let sizes = try await onThread {
          let database = try nodes[0].openDatabase()
          var sizes: Set<Int> = []
          while loads.contains(where: { $0.1.sent.count < 360 }), !loads.contains(where: \.1.isBroken) {
            try expectEqual(database, "during the load")
            sizes.insert(try database.eventCount())
          }
          return sizes
        }
        #expect(sizes.count > 3, "the load went on meanwhile")
        try await group.waitForAll()
        try expectEqual(nodes[0].openDatabase(), "after the load")
      }
      let sent = loads.flatMap { $0.1.sent }
      #expect(sent.allSatisfy { $0.isAcknowledged }, "\(Set(sent.map(\.status)))")
      let events = sent.filter { $0.batch.kind == .events }.map(\.batch.items.count).reduce(0, +)
      #expect(try nodes[0].openDatabase().eventCount() == events)
    }
  }

  @Test("when a node is killed under load the totals are still those of what is stored", arguments: nodeCounts)
  func killed(_ nodeCount: Int) async throws {
    try await withNodes(nodeCount) { nodes in
      let loads = nodes.map { ($0.port, BatchLoad(seed: "killed node \($0.port)")) }
      let victim = nodes[0].process
      try await withThrowingTaskGroup(of: Void.self) { group in
        for (index, (port, load)) in loads.enumerated() {
          group.addTask {
            try await load.run(clients: 4, port: port, limit: 100) { count in
              if index == 0, count == 150 { victim.send(SIGKILL) }
            }
          }
        }
        try await group.waitForAll()
      }
      #expect(victim.wait(seconds: 30) == .signal(SIGKILL))
      for (_, load) in loads.dropFirst() {
        #expect(load.sent.count == 400, "the other nodes serve on")
        #expect(load.sent.allSatisfy { $0.isAcknowledged }, "\(Set(load.sent.map(\.status)))")
      }
      try nodes[0].restart()
      try expectEqual(nodes[0].openDatabase(), "after the kill")
      // Every batch is whole at whichever node it is sent again.
      let sent = loads.flatMap { $0.1.sent }
      for (index, before) in sent.enumerated() {
        let node = nodes[index % nodes.count]
        let count = before.batch.items.count
        let outcome = Outcome(try post(before.batch, to: node.port))
        let isReplay = outcome == Outcome(accepted: 0, replayed: count)
        #expect(isReplay || (!before.isAcknowledged && outcome == Outcome(accepted: count, replayed: 0)))
      }
      let database = try nodes[0].openDatabase()
      try expectEqual(database, "after everything was sent again")
      let events = sent.filter { $0.batch.kind == .events }.map(\.batch.items.count).reduce(0, +)
      #expect(try database.eventCount() == events)
      #expect(try database.integrity() == "ok")
    }
  }
}
