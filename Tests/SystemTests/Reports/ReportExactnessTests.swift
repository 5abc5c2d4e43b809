import Foundation
import TestSupport
import Testing

/// Reports beside what goes on: writers, kills.
@Suite("Report exactness", .ownThread)
struct ReportExactnessTests {
  /// What each report's totals are the sums of.
  private static let additive: [String: [String]] = [
    "overview": ["firstOpens", "aiSucceeded", "committedCharacters", "inputSessions"],
    "acquisition": ["firstOpens", "activatedInstallations", "inviteOpens"],
    "engagement": ["sessions", "keyboardActivations"],
    "ai": [
      "started", "succeeded", "failed", "cancelled", "localSucceeded", "byokSucceeded", "managedSucceededReported",
    ],
    "keyboard": ["chineseCharacters", "otherCharacters", "inputSessions", "mixedLanguageSessions"],
    "quality": ["accepted", "replayed"],
  ]

  private static func today(_ report: String, _ client: ReportClient) throws -> OrderedJSON {
    let reply = try client.get(report, "from=2026-10-20&to=2026-11-29")
    return try #require(OrderedJSON(reply.text), "\(report): \(reply.status)")
  }

  @Test("while others write, a report is of one moment, and has all that was answered before", arguments: nodeCounts)
  func concurrent(_ nodeCount: Int) async throws {
    try await withNodes(nodeCount) { nodes in
      let clients = try nodes.enumerated().map { try ReportClient($1, name: "reports-\($0)") }
      let loads = nodes.map { ($0.port, BatchLoad(seed: "reports under load \($0.port)")) }
      @Sendable func taken() -> Int {
        loads.flatMap { $0.1.sent }.filter(\.isAcknowledged).map(\.batch.items.count).reduce(0, +)
      }
      try await withThrowingTaskGroup(of: Void.self) { group in
        for (port, load) in loads { group.addTask { try await load.run(clients: 2, port: port, limit: 150) } }
        let rounds = try await onThread {
          var (rounds, last) = (0, -1)
          while loads.contains(where: { $0.1.sent.count < 300 }), !loads.contains(where: \.1.isBroken) {
            let client = clients[rounds % clients.count]
            let before = taken()
            let accepted = try Self.today("quality", client)["totals"]?["accepted"]?.integer ?? -1
            #expect(accepted >= before, "accepted: at least \(before) were answered, actual \(accepted)")
            if accepted > last { rounds += 1 }
            last = accepted
            try expectConsistent(client)
          }
          return rounds
        }
        #expect(rounds > 0)
        try await group.waitForAll()
      }
      let sent = loads.flatMap { $0.1.sent }
      #expect(sent.allSatisfy { $0.isAcknowledged }, "\(Set(sent.map(\.status)))")
      for client in clients {
        let answer = try Self.today("quality", client)
        #expect(answer["totals"]?["accepted"]?.integer == taken())
      }
    }
  }

  private func expectConsistent(_ client: ReportClient) throws {
    for (report, names) in Self.additive {
      let answer = try Self.today(report, client)
      for name in names {
        let parts = (answer["series"]?.elements ?? []).map { $0[name]?.integer ?? -1 }
        let total = answer["totals"]?[name]?.integer
        #expect(
          total == parts.reduce(0, +), "\(report).\(name): total \(total ?? -1), series \(parts.filter { $0 != 0 })")
      }
      for (breakdown, member, total) in [
        ("channel", "firstOpens", "firstOpens"), ("feature", "succeeded", "succeeded"), ("surface", "failed", "failed"),
        ("durationBucket", "count", "succeeded"), ("executionMode", "started", "started"),
      ] {
        guard let rows = answer["breakdowns"]?[breakdown]?.elements, let total = answer["totals"]?[total] else {
          continue
        }
        let sum = rows.map { $0[member]?.integer ?? -1 }.reduce(0, +)
        #expect(sum == total.integer, "\(report).\(breakdown).\(member): total \(total.brief), sum \(sum)")
      }
      if report == "ai", let failed = answer["totals"]?["failed"]?.integer,
        let cancelled = answer["totals"]?["cancelled"]?.integer
      {
        let rows = answer["breakdowns"]?["failureCategory"]?.elements ?? []
        #expect(rows.map { $0["count"]?.integer ?? -1 }.reduce(0, +) == failed + cancelled, "ai.failureCategory")
      }
    }
  }

  @Test("what was answered is in the next report, batch by batch and fact by fact")
  func immediately() async throws {
    try await withFactServer(arguments: ["--storekit-sandbox"]) { facts in
      var population = ReportPopulation(facts, seed: "immediately", clock: "2026-11-29T12:00:00Z")
      let (today, client) = (population.history.today, try ReportClient(facts.server))
      try population.openAccounts(3, (today - 20)...today)
      for round in 0..<12 {
        switch round % 4 {
        case 0: try population.useApp(newcomers: 2, rounds: 1)
        case 1: try population.transact(3, (today - 20)...today)
        case 2: try population.visitInvitations(2)
        default: try population.erase(person: round / 4)
        }
        // Refusals may be late.
        try client.expectAll(population.history, today - 34, today, [.month], except: ["quality"])
      }
    }
  }

  @Test("after a kill everything that was answered is in the reports, and they are what was sent")
  func killed() async throws {
    try await withServer { server in
      let client = try ReportClient(server)
      var history = ReportHistory(clock: "2026-11-29T12:00:00Z")
      let today = history.today
      for round in 0..<3 {
        let load = BatchLoad(seed: "reports after a kill \(round)")
        let victim = server.process
        try await load.run(clients: 4, port: server.port, limit: 60) { count in
          if count == 60 + round * 37 { victim.send(SIGKILL) }
        }
        #expect(victim.wait(seconds: 30) == .signal(SIGKILL))
        try server.restart()
        let sent = load.sent
        for one in sent where one.isAcknowledged { try #require(history.take(one.batch, account: nil) != nil) }
        let least = history.receipts.map(\.accepted).reduce(0, +)
        let most = least + sent.filter { !$0.isAcknowledged }.map(\.batch.items.count).reduce(0, +)
        let accepted = try Self.today("quality", client)["totals"]?["accepted"]?.integer ?? -1
        #expect((least...most).contains(accepted), "accepted: expected \(least) to \(most), actual \(accepted)")
        // What wasn't answered may be there or not: sent again, it is.
        for one in sent where !one.isAcknowledged {
          expectOK(try post(one.batch, to: server.port))
          try #require(history.take(one.batch, account: nil) != nil)
        }
        try client.expectAll(history, today - 36, today, [.week], except: ["quality"])
      }
      let checked = try server.run(["check"])
      #expect(checked.status == .code(0), "\(checked.output)\(checked.error)")
    }
  }

  private func expectOK(_ reply: HTTPReply) { #expect(reply.status == 200, "\(reply.text)") }
}
