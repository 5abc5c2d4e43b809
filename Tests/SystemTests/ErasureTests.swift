import Foundation
import TestSupport
import Testing

/// What is left of an account or an installation that was erased: totals.
@Suite("Erasure", .ownThread)
struct ErasureTests {
  private static let totals = ["event_day_totals", "usage_day_totals", "receipt_day_totals", "link_day_totals"]

  /// An account with everything that an account can have.
  private struct Population {
    let account: String
    let session: String
    let installations: [String]
    let batches: [WireBatch]
    let facts: [WireItem]
    /// What identifies it beside its own identifier: digests of sessions and codes.
    let digests: [String]
  }

  private func populate(_ facts: FactServer, _ source: inout WireFacts, with other: String) throws -> Population {
    let account = source.uuid()
    let session = "session-" + source.digest()
    let (code, revoked) = (source.digest(), source.digest())
    let digest = try sha256(session)
    let token = "\"appAccountToken\"".dropFirst().dropLast()
    var stated = [
      source.fact("ACCOUNT_CREATED", ["accountId": account]),
      source.fact("SESSION_ISSUED", ["accountId": account, "tokenDigest": digest]),
      source.fact("CREDITS_SETTLED", ["accountId": account]),
      source.fact("CREDITS_SETTLED", ["accountId": account, "feature": "AGENT", "credits": "7"]),
      source.fact("REFERRAL_CODE_ISSUED", ["accountId": account, "codeDigest": code]),
      source.fact("REFERRAL_CODE_ISSUED", ["accountId": account, "codeDigest": revoked]),
      source.fact("REFERRAL_CODE_REVOKED", ["codeDigest": revoked]),
      source.fact(
        "STOREKIT_TRANSACTION", ["signedTransaction": source.transaction([String(token): "\"\(account)\""])]),
    ]
    for (inviter, invitee) in [(account, other), (other, account)] {
      let referral = source.uuid()
      stated += [
        source.fact(
          "REFERRAL_BOUND", ["referralId": referral, "inviterAccountId": inviter, "inviteeAccountId": invitee]),
        source.fact("REFERRAL_QUALIFIED", ["referralId": referral]),
        source.fact("REFERRAL_REWARDED", ["referralId": referral]),
      ]
    }
    expectTaken(try facts.state(stated), accepted: stated.count)
    var batches: [WireBatch] = []
    for _ in 0..<2 {
      let events = source.bodies.events(5)
      batches += [events, source.bodies.summaries(3, installation: events.installation)]
    }
    for batch in batches {
      expectTaken(try post(batch, to: facts.port, headers: [bearer(session)]), accepted: batch.items.count)
    }
    return Population(
      account: account, session: session, installations: [batches[0].installation, batches[2].installation],
      batches: batches, facts: stated, digests: [digest, code])
  }

  private func sha256(_ text: String) throws -> String {
    String(try runCommand(["sh", "-c", "printf %s \"$1\" | sha256sum", "sh", text]).output.prefix(64))
  }

  private func expectSound(_ facts: FactServer, sourceLocation: SourceLocation = #_sourceLocation) throws {
    let checked = try facts.server.run(["check"])
    #expect(checked.status == .code(0), "\(checked.output)\(checked.error)", sourceLocation: sourceLocation)
  }

  /// Everything in the database: the bytes of a file, or a copy as text.
  private func bytes(_ server: ServerProcess) throws -> [String: Data] {
    switch server.database {
    case .sqlite(let path):
      var files: [String: Data] = [:]
      for suffix in ["", "-wal", "-shm", "-journal"] {
        files[suffix] = FileManager.default.contents(atPath: path + suffix)
      }
      return files
    case .postgresql(let database):
      let dump = try runCommand(["pg_dump", "--dbname", database.superuser.url])
      try #require(dump.status == .code(0), "\(dump.error)")
      return ["dump": Data(dump.output.utf8)]
    }
  }

  private func spellings(ofHex hex: String) -> [[UInt8]] {
    [Needles.bytes(ofHex: hex), Array(hex.utf8), Array(hex.uppercased().utf8)]
  }

  private func needles(_ population: Population) throws -> [String: [[UInt8]]] {
    var needles = ["account": Needles.spellings(ofUUID: population.account)]
    for (index, digest) in population.digests.enumerated() { needles["digest \(index)"] = spellings(ofHex: digest) }
    for (index, installation) in population.installations.enumerated() {
      needles["installation \(index)"] = spellings(ofHex: try sha256(installation))
    }
    for (index, batch) in population.batches.enumerated() {
      let id = batch.items[0]["clientEventId"] ?? batch.items[0]["clientSummaryId"]
      needles["item \(index)"] = Needles.spellings(ofUUID: try #require(id))
    }
    return needles
  }

  private func expectNothing(
    of needles: [String: [[UInt8]]], in places: [String: Data], sourceLocation: SourceLocation = #_sourceLocation
  ) {
    for (place, data) in places {
      for (name, spellings) in needles where data.holds(anyOf: spellings) {
        Issue.record("\(name) is in the database\(place)", sourceLocation: sourceLocation)
      }
    }
  }

  @Test("of a deleted account nothing is left but totals, and nothing brings it back", arguments: [false, true])
  func account(byCommand: Bool) async throws {
    try await withFactServer { facts in
      var source = WireFacts(seed: "erased account \(byCommand)")
      let other = try populate(facts, &source, with: source.uuid())
      let gone = try populate(facts, &source, with: other.account)
      let anonymous = source.bodies.events(5)
      expectTaken(try post(anonymous, to: facts.port), accepted: 5)
      let database = try facts.server.openDatabase()
      let before = try FactTables.dump(database, Self.totals)
      let needles = try needles(gone)
      let present = try bytes(facts.server).values.reduce(Data(), +)
      for (name, spellings) in needles { #expect(present.holds(anyOf: spellings), "\(name)") }
      // The database is as it was but for what the account had.
      func count(_ sql: String) throws -> Int? { try database.integer("SELECT count(*) FROM \(sql)") }
      let accounts = try count("accounts")

      let deletion = source.fact("ACCOUNT_DELETED", ["accountId": gone.account])
      if byCommand {
        let erased = try facts.server.run(["erase", "--account", gone.account])
        #expect(erased.status == .code(0), "\(erased.error)")
        #expect(erased.output.contains("2"))
        #expect(try facts.server.run(["erase", "--account", gone.account]).status == .code(0))
      } else {
        expectTaken(try facts.state([deletion]), accepted: 1)
        expectTaken(try facts.state([deletion]), accepted: 0, replayed: 1)
      }
      #expect(try count("accounts") == accounts! - 1)
      #expect(try count("installations") == 3)
      #expect(try count("installations WHERE account_id IS NOT NULL") == 2)
      #expect(try count("events") == 15)
      #expect(try count("keyboard_summaries") == 6)
      #expect(try count("sessions") == 1)
      #expect(try count("referral_codes WHERE account_id IS NOT NULL") == 2)
      #expect(try count("settlements") == 4)
      #expect(try count("settlements WHERE account_id IS NULL") == 2)
      #expect(try count("storekit_transactions") == 2)
      #expect(try count("storekit_transactions WHERE account_id IS NULL") == 1)
      #expect(try count("referrals") == 4)
      #expect(try count("referrals WHERE credits = 250") == 4)
      #expect(try count("referrals WHERE inviter_account_id IS NULL") == 1)
      #expect(try count("referrals WHERE invitee_account_id IS NULL") == 1)
      #expect(try database.integer("SELECT sum(account_count) FROM deleted_registration_day_totals") == 1)
      #expect(try FactTables.dump(database, Self.totals) == before)
      try expectSound(facts)
      let late = source.bodies.events(2)
      expectError(try post(late, to: facts.port, headers: [bearer(gone.session)]), 401)
      expectTaken(try post(source.bodies.events(2), to: facts.port, headers: [bearer(other.session)]), accepted: 2)

      // What was stated before is a replay still, also under other fact ids.
      for fact in gone.facts { #expect(try facts.state([fact]).status == 200, "\(fact.json)") }
      for fact in gone.facts {
        let reply = try facts.state([fact.with("factId", source.uuid())])
        #expect(reply.status == 200, "\(fact.json): \(reply.text)")
      }
      expectTaken(try facts.state([source.fact("CREDITS_SETTLED", ["accountId": gone.account])]), accepted: 1)
      #expect(try count("settlements WHERE account_id IS NULL") == 3)
      let session = "late-" + source.digest()
      let issued = source.fact("SESSION_ISSUED", ["accountId": gone.account, "tokenDigest": try sha256(session)])
      expectTaken(try facts.state([issued]), accepted: 1, "without effect")
      expectError(try post(late, to: facts.port, headers: [bearer(session)]), 401)
      let token = "\"\(gone.account)\""
      for fact in [
        source.fact("REFERRAL_CODE_ISSUED", ["accountId": gone.account]),
        source.fact("REFERRAL_BOUND", ["inviterAccountId": gone.account]),
        source.fact("REFERRAL_BOUND", ["inviteeAccountId": gone.account]),
        source.fact("STOREKIT_TRANSACTION", ["signedTransaction": source.transaction(["appAccountToken": token])]),
      ] { expectTaken(try facts.state([fact]), accepted: 1, "\(fact.json)") }
      if byCommand { #expect(try facts.state([deletion]).status == 200) }
      try expectSound(facts)
      #expect(try database.integer("SELECT sum(account_count) FROM deleted_registration_day_totals") == 1)
      database.close()
      #expect(facts.server.terminate() == .code(0))
      try expectNothing(of: needles, in: bytes(facts.server))

      // The keyboard still sends: for a new installation that belongs to nobody.
      try facts.server.restart()
      let again = source.bodies.events(3, installation: gone.installations[0])
      expectTaken(try post(again, to: facts.port), accepted: 3)
      expectTaken(try post(again, to: facts.port, headers: [bearer(other.session)]), accepted: 0, replayed: 3)
      try expectSound(facts)
    }
  }

  @Test("one installation is erased, and no other")
  func installation() async throws {
    try await withFactServer { facts in
      var source = WireFacts(seed: "erased installation")
      let population = try populate(facts, &source, with: source.uuid())
      let kept = population.installations[1]
      let anonymous = source.bodies.events(4)
      expectTaken(try post(anonymous, to: facts.port), accepted: 4)
      let database = try facts.server.openDatabase()
      let before = try FactTables.dump(database, Self.totals + FactTables.all)
      func count(_ sql: String) throws -> Int? { try database.integer("SELECT count(*) FROM \(sql)") }

      let unknown = try facts.server.run(["erase", "--installation", source.uuid()])
      #expect(unknown.output.lowercased().contains("nothing"), "\(unknown)")
      for invalid in [["--installation", "qzxw"], [], ["--account", "qzxw"]] {
        let result = try facts.server.run(["erase"] + invalid)
        #expect(result.status == .code(2), "\(invalid): \(result)")
      }
      #expect(try count("installations") == 3)

      // The app's spelling is either case.
      let erased = try facts.server.run(["erase", "--installation", population.installations[0].uppercased()])
      #expect(erased.status == .code(0), "\(erased.error)")
      let numbers = erased.output.split { !$0.isNumber }.compactMap { Int($0) }
      #expect(numbers.contains(1) && numbers.contains(5) && numbers.contains(3), "\(erased.output)")
      #expect(!erased.output.lowercased().contains(population.installations[0].prefix(8)))
      #expect(try count("installations") == 2)
      #expect(try count("events") == 9)
      #expect(try count("keyboard_summaries") == 3)
      #expect(try count("activity WHERE installation_key NOT IN (SELECT installation_key FROM installations)") == 0)
      #expect(try FactTables.dump(database, Self.totals + FactTables.all) == before)
      try expectSound(facts)
      let again = try facts.server.run(["erase", "--installation", population.installations[0]])
      #expect(again.output.lowercased().contains("nothing"), "\(again)")
      let fresh = source.bodies.events(2, installation: kept)
      expectTaken(try post(fresh, to: facts.port, headers: [bearer(population.session)]), accepted: 2)
      // The same batch is new again.
      expectTaken(try post(population.batches[0], to: facts.port), accepted: 5)
      try expectSound(facts)
      database.close()
      let anonymousErased = try facts.server.run(["erase", "--installation", anonymous.installation])
      #expect(anonymousErased.status == .code(0))
      #expect(facts.server.terminate() == .code(0))
      let digest = try sha256(anonymous.installation)
      try expectNothing(
        of: [
          "installation": spellings(ofHex: digest),
          "event": Needles.spellings(ofUUID: anonymous.items[0]["clientEventId"]!),
        ], in: bytes(facts.server))
    }
  }
}
