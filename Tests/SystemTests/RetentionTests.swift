import Foundation
import TestSupport
import Testing

/// What expires and when, and what of it stays for ever.
@Suite("Retention", .ownThread)
struct RetentionTests {
  private func count(_ server: ServerProcess, _ sql: String) throws -> Int? {
    let database = try server.openDatabase()
    defer { database.close() }
    return try database.integer("SELECT count(*) FROM \(sql)")
  }

  private func expectSound(_ server: ServerProcess, sourceLocation: SourceLocation = #_sourceLocation) throws {
    let checked = try server.run(["check"])
    #expect(checked.status == .code(0), "\(checked.output)\(checked.error)", sourceLocation: sourceLocation)
  }

  /// The numbers of a run of purge, line by line.
  private func lines(_ result: CommandResult) -> [String] {
    result.output.split(separator: "\n").map(String.init).filter { $0.hasPrefix(" ") }
  }

  /// Everything in the database, as text.
  private func everything(_ server: ServerProcess) throws -> [String: [String]] {
    let database = try server.openDatabase()
    defer { database.close() }
    let names =
      DatabaseUnderTest.isSQLite
      ? "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'"
      : "SELECT tablename FROM pg_tables WHERE schemaname = 'osg_analytics'"
    return try FactTables.dump(database, try database.rows(names).compactMap { $0[0] })
  }

  /// Purges at a moment: a dry run must change nothing and foretell what then happens.
  private func purge(
    _ server: ServerProcess, at time: String, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    server.options.clock = "fixed:" + time
    let before = try everything(server)
    let foretold = try server.run(["purge", "--dry-run"])
    #expect(foretold.status == .code(0), "\(foretold.error)", sourceLocation: sourceLocation)
    #expect(try everything(server) == before, "\(time)", sourceLocation: sourceLocation)
    let done = try server.run(["purge"])
    #expect(done.status == .code(0), "\(done.error)", sourceLocation: sourceLocation)
    #expect(!lines(done).isEmpty, sourceLocation: sourceLocation)
    #expect(lines(done) == lines(foretold), "\(time)", sourceLocation: sourceLocation)
    let again = try server.run(["purge"])
    #expect(lines(again).allSatisfy { $0.contains(" 0 ") }, "\(again.output)", sourceLocation: sourceLocation)
    try expectSound(server, sourceLocation: sourceLocation)
  }

  /// Clocks for one receipt: the last at which everything must be there, the first at which it must be gone.
  struct Moments: Sendable, CustomTestStringConvertible {
    var received: String
    var yesterday: String
    var early: [String]
    var late: String
    var testDescription: String { late }
  }

  @Test(
    "what was never linked stays ninety days after it was received, and what is linked stays",
    arguments: [
      Moments(
        received: "2026-11-29T12:00:00Z", yesterday: "2026-11-28",
        early: ["2027-02-25T12:00:00Z"], late: "2027-02-28T12:00:01Z"),
      Moments(
        received: "2026-11-29T23:59:59Z", yesterday: "2026-11-28",
        early: ["2027-02-25T23:59:59Z", "2027-02-26T23:59:59Z"], late: "2027-02-28T23:59:59Z"),
      Moments(
        received: "2026-11-30T00:00:00Z", yesterday: "2026-11-29",
        early: ["2027-02-26T23:59:59Z", "2027-02-27T00:00:00Z"], late: "2027-03-01T00:00:00Z"),
      // Ninety days later it is 29 February.
      Moments(
        received: "2027-12-01T12:00:00Z", yesterday: "2027-11-30",
        early: ["2028-02-27T23:59:59Z", "2028-02-29T11:59:59Z"], late: "2028-03-01T12:00:00Z"),
    ])
  func boundaries(_ moments: Moments) async throws {
    try await withFactServer(clock: "fixed:" + moments.received) { facts in
      let server = facts.server
      var bodies = WireBodies(seed: "boundaries \(moments.received)")
      bodies.hour = moments.yesterday + "T11:"
      bodies.yesterday = moments.yesterday
      let session = bearer(try server.issueSession(account: bodies.uuid()))
      let batches = (0..<4).map { _ in bodies.events(5) }
      for (index, batch) in batches.enumerated() {
        let own = index == 0 ? [session] : []
        expectTaken(try post(batch, to: server.port, headers: own), accepted: 5)
        // Of the day before alone: a summary is ninety days old by its date.
        let summaries = WireBatch(.summaries, installation: batch.installation, items: [bodies.summary()])
        expectTaken(try post(summaries, to: server.port, headers: own), accepted: 1)
      }
      #expect(server.terminate() == .code(0))
      let totals = try everything(server).filter { $0.key.hasSuffix("event_day_totals") }
      for time in moments.early {
        try purge(server, at: time)
        #expect(try count(server, "events") == 20, "\(time)")
        // Their date may be a day or two older than their receipt.
        if time == moments.early[0] { #expect(try count(server, "keyboard_summaries") == 4, "\(time)") }
        #expect(try count(server, "installations") == 4, "\(time)")
      }
      try purge(server, at: moments.late)
      #expect(try count(server, "events") == 5)
      #expect(try count(server, "keyboard_summaries") == 0)
      #expect(try count(server, "installations") == 1)
      #expect(try count(server, "installations WHERE account_id IS NOT NULL") == 1)
      #expect(try count(server, "activity") == 1)
      let database = try server.openDatabase()
      #expect(try database.integer("SELECT sum(event_count) FROM event_day_totals") == 20)
      #expect(try database.integer("SELECT sum(summary_count) FROM usage_day_totals") == 4)
      database.close()
      if DatabaseUnderTest.isSQLite {
        #expect(try everything(server).filter { $0.key.hasSuffix("event_day_totals") } == totals)
      }
      // What is linked stays.
      try purge(server, at: moments.late.replacing(/-0[23]-/, with: "-05-"))
      #expect(try count(server, "events") == 5)
    }
  }

  @Test("an installation that goes on sending loses what is old and stays itself; the server purges at its start")
  func returning() async throws {
    try await withServer { server in
      var bodies = WireBodies(seed: "returning")
      let batch = bodies.events(5)
      expectTaken(try post(batch, to: server.port), accepted: 5)
      server.options.clock = "fixed:2027-01-10T12:00:00Z"
      try server.restart()
      bodies.hour = "2027-01-10T11:"
      expectTaken(try post(bodies.events(3, installation: batch.installation), to: server.port), accepted: 3)
      let key = try server.openDatabase().text("SELECT installation_key FROM installations")
      for (clock, events, installations) in [
        ("2027-02-26T12:00:00Z", 8, 1), ("2027-02-28T12:00:01Z", 3, 1), ("2027-04-09T11:00:00Z", 3, 1),
        ("2027-04-12T00:00:00Z", 0, 0),
      ] {
        server.options.clock = "fixed:" + clock
        try server.restart()
        let isDone = try waitUntil(seconds: 20) {
          try count(server, "events") == events && count(server, "installations") == installations
        }
        #expect(isDone, "\(clock)")
        if installations == 1 {
          #expect(try server.openDatabase().text("SELECT installation_key FROM installations") == key)
        }
        try expectSound(server)
      }
    }
  }

  @Test("a session goes seven days after it expired")
  func sessions() async throws {
    try await withFactServer { facts in
      var source = WireFacts(seed: "expired sessions")
      let account = source.uuid()
      for time in ["2026-12-01T00:00:00Z", "2026-12-05T00:00:00Z"] {
        expectTaken(
          try facts.state([source.fact("SESSION_ISSUED", ["accountId": account, "expiresAt": time])]), accepted: 1)
      }
      #expect(facts.server.terminate() == .code(0))
      for (time, left) in [
        ("2026-12-07T23:59:59Z", 2), ("2026-12-09T00:00:01Z", 1), ("2026-12-11T23:59:59Z", 1),
        ("2026-12-13T00:00:01Z", 0),
      ] {
        try purge(facts.server, at: time)
        #expect(try count(facts.server, "sessions") == left, "\(time)")
      }
      #expect(try count(facts.server, "accounts") == 1)
    }
  }

  @Test("history outlives what it is of: totals, distinct counts and cohorts, counted by hand")
  func history() async throws {
    try await withFactServer { facts in
      let server = facts.server
      var source = WireFacts(seed: "history")
      func event(_ type: String, _ time: String, _ surface: String? = nil) -> WireItem {
        source.bodies.event(type, surface: surface).with("occurredAt", "2026-11-" + time + "Z")
      }
      func send(_ items: [WireItem], _ own: [(String, String)] = []) throws -> String {
        let batch = WireBatch(.events, installation: source.bodies.installation(), items: items)
        expectTaken(try post(batch, to: facts.port, headers: own), accepted: items.count)
        return batch.installation
      }
      func report(_ installation: String, _ dates: [String]) throws {
        let items = dates.map { source.bodies.summary("2026-11-" + $0) }
        let batch = WireBatch(.summaries, installation: installation, items: items)
        expectTaken(try post(batch, to: facts.port), accepted: items.count)
      }
      let organic = "APP_STORE_ORGANIC"
      let first = try send([
        event("FIRST_OPEN", "05T08:00:00").with("acquisitionChannel", organic),
        event("AI_FEATURE_SUCCEEDED", "06T09:00:00", "KEYBOARD"), event("SESSION_STARTED", "08T23:59:59.999", "APP"),
      ])
      _ = try send([event("FIRST_OPEN", "05T23:59:59.999").with("acquisitionChannel", organic)])
      let third = try send([
        event("FIRST_OPEN", "05T10:00:00").with("acquisitionChannel", "REFERRAL"),
        event("AI_FEATURE_SUCCEEDED", "05T10:00:00", "APP"), event("SESSION_STARTED", "06T00:00:00.000", "APP"),
        event("KEYBOARD_ACTIVATED", "12T12:00:00"),
      ])
      let session = bearer(try server.issueSession(account: source.uuid()))
      // Too late to be activated, by a second.
      _ = try send(
        [
          event("FIRST_OPEN", "06T07:00:00").with("acquisitionChannel", "SOCIAL_CONTENT"),
          event("PURCHASE_VIEWED", "06T07:01:00"), event("PURCHASE_STARTED", "06T07:02:00"),
          event("PURCHASE_CANCELLED", "06T07:03:00"), event("AI_FEATURE_SUCCEEDED", "13T07:00:01", "APP"),
        ], [session])
      // Not active: an invitation page is neither the app nor the keyboard.
      _ = try send([event("INVITE_OPENED", "05T12:00:00")])
      try report(first, ["05", "06"])
      try report(third, ["05"])
      let (one, two) = (source.uuid(), source.uuid())
      func settle(_ account: String, _ time: String) -> WireItem {
        source.fact("CREDITS_SETTLED", ["accountId": account]).with("occurredAt", "2026-11-" + time + "Z")
      }
      // 5 November, 10:00.
      func buy(_ account: String) -> WireItem {
        source.fact(
          "STOREKIT_TRANSACTION",
          [
            "signedTransaction": source.transaction([
              "purchaseDate": "1793872800000", "appAccountToken": "\"\(account)\"",
            ])
          ])
      }
      let stated = [
        settle(one, "05T01:00:00"), settle(one, "05T02:00:00"), settle(two, "05T03:00:00"), settle(two, "06T00:00:00"),
        buy(one), buy(one),
      ]
      expectTaken(try facts.state(stated), accepted: stated.count)
      #expect(server.terminate() == .code(0))
      let database = try server.openDatabase()
      let day = 20_762  // 5 November 2026
      #expect(try database.integer("SELECT min(day) FROM event_day_totals") == day)
      let totals = try FactTables.dump(database, ["event_day_totals", "usage_day_totals"])

      /// The distinct counts of a day.
      func sealed(_ day: Int) throws -> [Int?] {
        try database.rows(
          """
          SELECT active_installations, active_in_app, active_in_keyboard, weekly_active, monthly_active,
            ai_active_installations, purchase_viewed_installations, purchase_started_installations,
            purchase_cancelled_installations, reporting_installations, spending_accounts, purchasing_accounts
          FROM sealed_days WHERE day = \(day)
          """
        ).first?.map { $0.flatMap { Int($0) } } ?? []
      }
      let expected: [Int: [Int?]] = [
        day: [3, 3, 0, 3, 3, 1, 0, 0, 0, 2, 2, 1], day + 1: [3, 2, 1, 4, 4, 1, 1, 1, 1, 1, 1, 0],
        day + 2: [0, 0, 0, 4, 4, 0, 0, 0, 0, 0, 0, 0], day + 3: [1, 1, 0, 4, 4, 0, 0, 0, 0, 0, 0, 0],
        day + 7: [1, 0, 1, 3, 4, 0, 0, 0, 0, 0, 0, 0], day + 8: [1, 1, 0, 3, 4, 1, 0, 0, 0, 0, 0, 0],
        day + 9: [0, 0, 0, 3, 4, 0, 0, 0, 0, 0, 0, 0], day + 10: [0, 0, 0, 2, 4, 0, 0, 0, 0, 0, 0, 0],
        day + 27: [0, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0], day + 28: [0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0],
        day + 34: [0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0],
      ]
      // The fifth takes events until the end of 10 December.
      try purge(server, at: "2026-12-10T11:59:59Z")
      #expect(try sealed(day).isEmpty, "it can take more")
      try purge(server, at: "2026-12-12T00:00:01Z")
      #expect(try sealed(day) == expected[day])
      #expect(try sealed(day + 2).isEmpty, "it can take more")
      var kept: [String: [String]] = [:]
      for time in ["2027-02-20T00:00:00Z", "2027-03-02T00:00:00Z"] {
        try purge(server, at: time)
        for (day, counts) in expected { #expect(try sealed(day) == counts, "day \(day) at \(time)") }
        let days = try database.rows("SELECT count(*), min(day), max(day) - min(day) + 1 FROM sealed_days").first ?? []
        #expect(days[0] == days[2], "no gap")
        let cohorts = try database.rows(
          """
          SELECT day - \(day), size, activated, retained_1, retained_3, retained_7, retained_14, retained_28
          FROM sealed_cohorts WHERE size > 0 ORDER BY day, size DESC
          """)
        #expect(
          cohorts == [
            ["0", "2", "1", "1", "1", "0", "0", "0"], ["0", "1", "1", "1", "0", "1", "0", "0"],
            ["1", "1", "0", "0", "0", "1", "0", "0"],
          ])
        let range = "WHERE day <= \(day + 40)"
        kept[time] = try database.rows(
          "SELECT day, sealed_at, weekly_active, monthly_active FROM sealed_days \(range) ORDER BY day"
        ).map {
          $0.map { $0 ?? "" }.joined(separator: "|")
        }
      }
      #expect(Set(kept.values).count == 1, "rows never change")
      #expect(try FactTables.dump(database, ["event_day_totals", "usage_day_totals"]) == totals)
      #expect(try database.integer("SELECT count(*) FROM events") == 5, "only those of the linked one")
      // Erasing changes no sealed day.
      let before = try FactTables.dump(database, ["sealed_days", "sealed_cohorts"])
      database.close()
      #expect(try server.run(["erase", "--account", one]).status == .code(0))
      let reopened = try server.openDatabase()
      #expect(try FactTables.dump(reopened, ["sealed_days", "sealed_cohorts"]) == before)
      reopened.close()
      try expectSound(server)
    }
  }

  @Test("a purge that is killed in the middle is completed by the next one")
  func killed() async throws {
    try await withServer { server in
      var bodies = WireBodies(seed: "killed")
      for _ in 0..<160 {
        let batch = bodies.events(50)
        expectTaken(try post(batch, to: server.port), accepted: 50)
        let summaries = bodies.summaries(20, installation: batch.installation)
        expectTaken(try post(summaries, to: server.port), accepted: 20)
      }
      #expect(server.terminate() == .code(0))
      server.options.clock = "fixed:2027-03-15T12:00:00Z"
      var environment = childEnvironment()
      environment["OSG_ANALYTICS_CLOCK"] = server.options.clock
      var seen: Set<Int> = []
      for milliseconds in [15, 30, 45, 60, 80, 100, 120, 150, 200, 250] {
        let child = try ChildProcess(
          [ServerProcess.binary, "purge", "--database", server.database.url, "--insecure-test-hooks"],
          environment: environment, folder: server.folder.path, output: server.folder.file("purge.out"),
          error: server.folder.file("purge.err"))
        usleep(UInt32(milliseconds) * 1000)
        child.end()
        seen.insert(try count(server, "events") ?? -1)
        // What is overdue is no damage of its own; everything else must hold.
        let checked = try server.run(["check"])
        let broken = checked.output.split(separator: "\n").filter {
          !$0.hasPrefix("ok") && !$0.contains("overdue") && !$0.contains("rules")
        }
        #expect(broken.isEmpty, "after \(milliseconds) ms: \(broken)")
      }
      try #require(seen.contains { $0 > 0 }, "none was killed in the middle")
      #expect(try server.run(["purge"]).status == .code(0))
      #expect(try count(server, "events") == 0)
      #expect(try count(server, "keyboard_summaries") == 0)
      #expect(try count(server, "installations") == 0)
      #expect(try count(server, "activity") == 0)
      let database = try server.openDatabase()
      #expect(try database.integer("SELECT sum(event_count) FROM event_day_totals") == 8000)
      #expect(try database.integer("SELECT sum(summary_count) FROM usage_day_totals") == 3200)
      // The fixtures' day, counted before any of it went.
      #expect(try database.integer("SELECT reporting_installations FROM sealed_days WHERE day = 20785") == 160)
      #expect(try (database.integer("SELECT max(active_installations) FROM sealed_days") ?? 0) > 150)
      database.close()
      try expectSound(server)
    }
  }

  @Test("damage is found and counted")
  func damage() async throws {
    try await withServer { server in
      var bodies = WireBodies(seed: "damage")
      let session = bearer(try server.issueSession(account: bodies.uuid()))
      for _ in 0..<3 { expectTaken(try post(bodies.events(5), to: server.port, headers: [session]), accepted: 5) }
      expectTaken(try post(bodies.summaries(5), to: server.port), accepted: 5)
      #expect(server.terminate() == .code(0))
      server.options.clock = "fixed:2027-01-20T00:00:00Z"
      #expect(try server.run(["purge"]).status == .code(0))
      try expectSound(server)
      let database = try server.openDatabase()
      func blob(_ hex: String) -> String { DatabaseUnderTest.isSQLite ? "x'\(hex)'" : "'\\x\(hex)'" }
      // A row too many is as if another one counted too much.
      let columns = """
        day, event_type, surface, acquisition_channel, feature, execution_mode, failure_category, duration_bucket,
        app_version
        """
      let damagedTotal =
        DatabaseUnderTest.isSQLite
        ? "UPDATE event_day_totals SET event_count = event_count + 1"
        : """
        CREATE TABLE public.before AS SELECT * FROM folded_event_day_totals;
        DELETE FROM folded_event_day_totals;
        INSERT INTO folded_event_day_totals (\(columns), event_count)
        SELECT \(columns), sum(event_count) + 1 FROM (
          SELECT \(columns), event_count FROM public.before
          UNION ALL (SELECT \(columns), 0 FROM event_day_totals LIMIT 1)
        ) AS parts GROUP BY \(columns)
        """
      let repairedTotal =
        DatabaseUnderTest.isSQLite
        ? "UPDATE event_day_totals SET event_count = event_count - 1"
        : """
        DELETE FROM folded_event_day_totals;
        INSERT INTO folded_event_day_totals SELECT * FROM public.before;
        DROP TABLE public.before
        """
      let digest = String(repeating: "ab", count: 32)
      let one = "installation_key = (SELECT min(installation_key) FROM installations)"
      let key = try #require(try database.text("SELECT min(installation_key) FROM installations"))
      let day = try #require(try database.text("SELECT max(day) FROM sealed_days"))
      let old = try #require(
        try database.text(
          DatabaseUnderTest.isSQLite
            ? "SELECT hex(totals_digest) FROM sealed_days WHERE day = \(day)"
            : "SELECT encode(totals_digest, 'hex') FROM sealed_days WHERE day = \(day)"))
      for (name, damage, repair) in [
        (
          "orphans", "UPDATE events SET installation_key = 999999 WHERE \(one)",
          "UPDATE events SET installation_key = \(key) WHERE installation_key = 999999"
        ),
        (
          "a sealed day", "UPDATE sealed_days SET totals_digest = \(blob(digest)) WHERE day = \(day)",
          "UPDATE sealed_days SET totals_digest = \(blob(old)) WHERE day = \(day)"
        ),
        ("a total", damagedTotal, repairedTotal),
        (
          "a text", "UPDATE events SET app_version = '2.0 0' WHERE \(one)",
          "UPDATE events SET app_version = '2.0.0' WHERE \(one)"
        ),
        (
          "a link to no account",
          "UPDATE installations SET account_id = \(DatabaseUnderTest.isSQLite ? "zeroblob(16)" : "gen_random_uuid()") "
            + "WHERE \(one)",
          "UPDATE installations SET account_id = (SELECT account_id FROM accounts) WHERE \(one)"
        ),
      ] {
        try database.execute(damage)
        let found = try server.run(["check"])
        #expect(found.status == .code(1), "\(name): \(found.output)")
        let broken = (found.output + found.error).split(separator: "\n").filter { !$0.hasPrefix("ok") }
        #expect(broken.contains { $0.contains(/[1-9]/) }, "\(name): \(broken)")
        try database.execute(repair)
        try expectSound(server)
      }
    }
  }
}
