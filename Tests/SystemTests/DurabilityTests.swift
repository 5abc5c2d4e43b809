import Foundation
import TestSupport
import Testing

/// What is left of the promise "a 200 is durable" after the server was killed.
@Suite("Durability", .ownThread)
struct DurabilityTests {
  /// `OSG_ANALYTICS_SOAK=1` asks for many more rounds.
  static let rounds = ProcessInfo.processInfo.environment["OSG_ANALYTICS_SOAK"] == "1" ? 200 : 15

  @Test("a killed server keeps every batch that it acknowledged, whole and once, and no batch in part")
  func killed() async throws {
    try await withServer { server in
      var generator = SeededGenerator(seed: "killed")
      // How many batches each client of each round sent; the batches themselves are made once more at the end.
      var counts: [[Int]] = []
      var (distinct, acknowledged, open) = (0, 0, 0)
      for round in 0..<Self.rounds {
        let load = BatchLoad(seed: "killed \(round)")
        // Sometimes at the very beginning, sometimes well into it: by the work done and not by the clock.
        let moment = Int.random(in: 1...1000, using: &generator)
        let process = server.process
        try await load.run(clients: 6, port: server.port) { count in
          if count >= moment { process.send(SIGKILL) }
        }
        #expect(process.wait(seconds: 30) == .signal(SIGKILL))
        try server.restart()
        let sent = load.sent
        #expect(sent.allSatisfy { [nil, 200].contains($0.status) }, "nothing but success or silence")
        try await expectWhole(sent, server, round: round)
        counts.append((0..<6).map { client in sent.filter { $0.client == client }.count })
        acknowledged += sent.filter(\.isAcknowledged).count
        open += sent.filter { !$0.isAcknowledged }.count
        distinct += sent.filter { $0.batch.kind == .events }.map(\.batch.items.count).reduce(0, +)
      }
      #expect(open > 0, "the kills hit something")
      #expect(acknowledged > Self.rounds)

      // By now every batch ever sent is stored, whatever kills followed.
      for (round, clients) in counts.enumerated() {
        let load = BatchLoad(seed: "killed \(round)")
        for (client, count) in clients.enumerated() {
          let stored = load.batches(of: client, count: count).map { SentBatch(batch: $0, status: 200, answer: "") }
          try await expectWhole(stored, server, round: round)
        }
      }
      let database = try server.openDatabase()
      #expect(try database.eventCount() == distinct)
      #expect(try database.integrity() == "ok")
    }
  }

  /// Resends batches: acknowledged ones must be replayed, and the others taken or replayed, but never in part.
  private func expectWhole(_ sent: [SentBatch], _ server: ServerProcess, round: Int) async throws {
    let port = server.port
    let threads = 4
    let faults = try await onThreads(threads) { thread in
      var faults: [String] = []
      let connection = try HTTPConnection(port: port, timeoutSeconds: 60)
      for index in stride(from: thread, to: sent.count, by: threads) {
        let (before, count) = (sent[index], sent[index].batch.items.count)
        let after = BatchLoad.send(before.batch, over: connection)
        let replayed = "{\"accepted\":0,\"replayed\":\(count)}"
        let accepted = "{\"accepted\":\(count),\"replayed\":0}"
        let isRight = after.answer == replayed || (!before.isAcknowledged && after.answer == accepted)
        if after.status != 200 || !isRight {
          faults.append("sent with \(before.status ?? 0), resent \(after.status ?? 0) \(after.answer), \(count) items")
        }
      }
      return faults
    }
    let all = faults.flatMap { $0 }
    #expect(all.isEmpty, "round \(round): \(all.prefix(5))")
  }

  @Test(
    "a server that is asked to stop under load exits with 0 and keeps what it acknowledged",
    arguments: [SIGTERM, SIGINT])
  func stopped(_ signal: Int32) async throws {
    try await withServer { server in
      for round in 0..<3 {
        let load = BatchLoad(seed: "stopped \(signal) \(round)")
        let process = server.process
        try await load.run(clients: 8, port: server.port) { count in
          if count == 100 { process.send(signal) }
        }
        #expect(process.wait(seconds: 20) == .code(0))
        try server.restart()
        let sent = load.sent
        #expect(sent.filter(\.isAcknowledged).count >= 80)
        #expect(sent.allSatisfy { [nil, 200, 503].contains($0.status) }, "\(Set(sent.map(\.status)))")
        try await expectWhole(sent, server, round: round)
      }
      #expect(try server.openDatabase().integrity() == "ok")
    }
  }

  @Test("a server that is asked to stop while clients send what isn't HTTP exits with 0")
  func stoppedAmongNonsense() async throws {
    try await withServer { server in
      let nonsense = [
        "GET /\u{1} HTTP/1.1\r\nHost\r\n\r\n", "\u{16}\u{3}\u{1}\r\n\r\n", "GET  /  HTTP/9\r\n\r\n",
        "POST / HTTP/1.1\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nZZ\r\n", "\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nX: " + String(repeating: "a", count: 70_000) + "\r\n\r\n",
      ]
      for _ in 0..<5 {
        let (port, process) = (server.port, server.process)
        let requests = LockedList<Int>()
        _ = try await onThreads(12) { thread in
          for round in 0..<2000 {
            guard let connection = try? HTTPConnection(port: port, timeoutSeconds: 1) else { return }
            try? connection.send(nonsense[(thread + round) % nonsense.count])
            if round % 3 == 0 { connection.finishSending() }
            if round % 5 == 0 { _ = connection.waitForInput(milliseconds: 50) }
            requests.append(1)
            if requests.count == 200 { process.send(SIGTERM) }
          }
        }
        #expect(process.wait(seconds: 20) == .code(0))
        try server.restart()
      }
    }
  }

  @Test("a server stops within its bound beside idle connections and half requests, and leaves nothing to recover")
  func idle() async throws {
    try await withServer { server in
      var bodies = WireBodies(seed: "idle")
      expectTaken(try post(bodies.events(10), to: server.port), accepted: 10)
      let open = try (0..<10).map { _ in try HTTPConnection(port: server.port) }
      let half = try HTTPConnection(port: server.port)
      try half.send("POST /v1/analytics/events HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n{")
      let start = Date()
      #expect(server.terminate() == .code(0))
      // The documented bound for what was taken is ten seconds.
      #expect(Date().timeIntervalSince(start) < 15)
      for connection in open { connection.close() }
      #expect(throws: HTTPConnectionError.self) { try HTTPConnection(port: server.port) }
      #expect(try server.openDatabase().eventCount() == 10)
      try server.restart()
      expectTaken(try post(bodies.events(1), to: server.port), accepted: 1)
    }
  }
}
