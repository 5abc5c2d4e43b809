import Foundation
import TestSupport
import Testing

/// Every figure of every report against a plain recount of what was sent.
@Suite("Report figures", .ownThread)
struct ReportPopulationTests {
  private func withPopulation(
    _ seed: String, clock: String, _ body: (inout ReportPopulation, ReportClient) async throws -> Void
  ) async throws {
    try await withFactServer(clock: "fixed:" + clock, arguments: ["--storekit-sandbox"]) { facts in
      var population = ReportPopulation(facts, seed: seed, clock: clock)
      let today = population.history.today
      try population.openAccounts(8, (today - 30)...today)
      try await body(&population, try ReportClient(facts.server))
      let checked = try facts.server.run(["check"])
      #expect(checked.status == .code(0), "\(checked.output)\(checked.error)")
    }
  }

  /// Random ranges, those that cut a week at each weekday, and the ends of months.
  private func expectEverywhere(_ population: inout ReportPopulation, _ client: ReportClient) throws {
    let (history, today) = (population.history, population.history.today)
    try client.awaitRejections(history)
    try client.expectAll(history, today - 35, today)
    for shift in 0..<7 {
      try client.expectAll(history, today - 21 - shift, today - 1, [.week])
      try client.expectAll(history, today - 30, today - 2 - shift, [.week])
    }
    let month = ReportCalendar.days[today].monthStart
    for (from, to) in [(month - 1, month), (month - 1, month - 1), (month, month), (month - 40, month - 1)] {
      try client.expectAll(history, from, to, [.day, .month])
    }
    for _ in 0..<4 {
      let from = today - population.random(0...60)
      let to = population.random(from...today)
      try client.expectAll(history, from, to, [population.pick(ReportGranularity.allCases)])
    }
  }

  @Test(
    "a random population's reports are what is recounted from what it sent",
    arguments: ["2026-11-29T12:00:00Z", "2027-03-01T23:58:00Z"])
  func figures(_ clock: String) async throws {
    try await withPopulation("figures \(clock)", clock: clock) { population, client in
      let today = population.history.today
      try population.useApp(newcomers: 45)
      try population.misuse()
      try population.visitInvitations(3)
      try population.transact(60, (today - 34)...today)
      try expectEverywhere(&population, client)

      try population.erase(account: 1)
      for person in [0, 7, 9] { try population.erase(person: person) }
      try population.useApp(newcomers: 5, rounds: 1)
      try population.transact(15, (today - 20)...today)
      try expectEverywhere(&population, client)

      // A week later the first days are still open.
      try population.live(until: ReportCalendar.text(instant: population.history.now + 5 * 86_400_000_000 + 1_234_567))
      try population.openAccounts(3, today...(today + 5))
      try population.useApp(newcomers: 20, rounds: 1)
      try population.misuse()
      try population.visitInvitations(2)
      try population.transact(20, (today - 10)...(today + 5))
      try population.erase(account: 4)
      try population.erase(person: 20)
      try expectEverywhere(&population, client)
    }
  }

  @Test("history outlives identity: sealed days, unsealed days, what was erased after, and what can't be known")
  func sealing() async throws {
    let clock = "2026-11-29T12:00:00Z"
    try await withPopulation("sealing", clock: clock) { population, client in
      let start = population.history.today
      // The first day of all is the oldest that is possible.
      let first = WireBatch(
        .events, installation: population.source.bodies.installation(),
        items: [population.event("SESSION_STARTED", at: population.history.now - 35 * ReportCalendar.microseconds)])
      try population.send(first)
      for (step, later) in [0, 4, 11, 30, 44, 70, 93, 104, 140].enumerated() {
        if later > 0 {
          let now = ReportCalendar.instant(clock) + later * ReportCalendar.microseconds
          // Just before and just after what is sealed changes.
          let shift = step % 2 == 0 ? -11 * 3_600_000_000 : 3_600_000_000
          try population.live(until: ReportCalendar.text(instant: now + shift))
        }
        let today = population.history.today
        if later != 104 {
          try population.useApp(newcomers: later > 90 ? 4 : 12, rounds: 1)
          try population.transact(12, max(start - 35, today - 60)...today)
          try population.visitInvitations(1)
        }
        let all = population.people.indices.filter {
          population.history.account(of: population.people[$0].installation) == nil
        }
        for person in all.shuffled(using: &population.source.bodies.generator).prefix(3) {
          try population.erase(person: person)
        }
        if step < 6 { try population.erase(account: step) }
        try expectThen(&population, client, start)
      }
    }
  }

  /// Ranges over sealed days, days that are open, and both.
  private func expectThen(_ population: inout ReportPopulation, _ client: ReportClient, _ start: Int) throws {
    let (history, today) = (population.history, population.history.today)
    try client.awaitRejections(history)
    try client.expectAll(history, start - 40, today)
    let sealedThrough = history.sealed.keys.max() ?? today - 36
    let kept = today - ReportHistory.keptDays
    for (from, to) in [
      (kept, today), (kept - 1, today), (kept, kept), (kept - 1, kept - 1), (kept - 6, kept), (kept - 7, kept - 1),
      (kept - 27, kept), (kept - 28, kept), (sealedThrough - 6, sealedThrough), (sealedThrough - 5, sealedThrough + 1),
      (sealedThrough - 27, sealedThrough), (sealedThrough - 26, sealedThrough + 1), (sealedThrough, sealedThrough),
      (sealedThrough - 7, sealedThrough), (sealedThrough - 28, sealedThrough - 28), (start - 60, start - 36),
      (start - 38, start - 33), (start - 36, start - 30),
    ] {
      try client.expectAll(history, from, to, [population.pick(ReportGranularity.allCases)])
    }
    for _ in 0..<6 {
      let from = population.random((start - 37)...today)
      try client.expectAll(
        history, from, population.random(from...today), [population.pick(ReportGranularity.allCases)])
    }
  }
}
