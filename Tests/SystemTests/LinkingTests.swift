import TestSupport
import Testing

/// Sessions that link installations to accounts.
@Suite("Linking", .ownThread)
struct LinkingTests {
  @Test("a valid session links, and the installation stays linked", arguments: [WireBatch.Kind.events, .summaries])
  func links(_ kind: WireBatch.Kind) async throws {
    try await withServer { server in
      var bodies = WireBodies(seed: "links \(kind)")
      let account = bodies.uuid()
      let own = [bearer(try server.issueSession(account: account))]
      let again = [bearer(try server.issueSession(account: account))]
      let foreign = [bearer(try server.issueSession(account: bodies.uuid()))]
      let batch = kind == .events ? bodies.events(3) : bodies.summaries(3)
      func fresh() -> WireBatch { bodies.events(2, installation: batch.installation) }

      expectTaken(try post(batch, to: server.port, headers: own), accepted: 3)
      // The keyboard extension uploads without a session.
      expectTaken(try post(fresh(), to: server.port), accepted: 2)
      // Another session of the same account, and the other account.
      expectTaken(try post(fresh(), to: server.port, headers: again), accepted: 2)
      let refused = fresh()
      expectError(try post(refused, to: server.port, headers: foreign), 409, sent: refused.body())
      expectError(try post(batch, to: server.port, headers: foreign), 409, sent: batch.body(), "a replay too")
      let usage = bodies.summaries(1, installation: batch.installation)
      if kind == .events { expectError(try post(usage, to: server.port, headers: foreign), 409, sent: usage.body()) }
      expectTaken(try post(refused, to: server.port), accepted: 2, "nothing of it was stored")
      // It is still the first account's, also after a restart.
      try server.restart()
      expectTaken(try post(refused, to: server.port, headers: own), accepted: 0, replayed: 2)
      expectError(try post(refused, to: server.port, headers: foreign), 409, sent: refused.body())
      // An account may have many installations.
      expectTaken(try post(bodies.events(1), to: server.port, headers: own), accepted: 1)
    }
  }

  @Test("the letter case of an account's identifier makes no other account of it")
  func accountSpelling() async throws {
    try await withServer { server in
      var bodies = WireBodies(seed: "accountSpelling")
      let account = bodies.uuid()
      let installation = bodies.installation()
      for spelling in [account.uppercased(), account.lowercased()] {
        let session = [bearer(try server.issueSession(account: spelling))]
        let batch = bodies.events(2, installation: installation)
        expectTaken(try post(batch, to: server.port, headers: session), accepted: 2)
      }
    }
  }

  @Test("a session links an installation that was anonymous, also by a replay")
  func anonymousFirst() async throws {
    try await withServer { server in
      var bodies = WireBodies(seed: "anonymousFirst")
      let own = [bearer(try server.issueSession(account: bodies.uuid()))]
      let foreign = [bearer(try server.issueSession(account: bodies.uuid()))]
      for isReplay in [false, true] {
        let batch = bodies.events(2)
        expectTaken(try post(batch, to: server.port), accepted: 2)
        let second = isReplay ? batch : bodies.events(2, installation: batch.installation)
        expectTaken(
          try post(second, to: server.port, headers: own), accepted: isReplay ? 0 : 2, replayed: isReplay ? 2 : 0)
        expectError(try post(batch, to: server.port, headers: foreign), 409, sent: batch.body())
      }
    }
  }

  @Test("a batch that isn't stored doesn't link")
  func refusedBatch() async throws {
    try await withServer { server in
      var bodies = WireBodies(seed: "refusedBatch")
      let own = [bearer(try server.issueSession(account: bodies.uuid()))]
      let foreign = [bearer(try server.issueSession(account: bodies.uuid()))]
      let stored = bodies.events(2)
      expectTaken(try post(stored, to: server.port), accepted: 2)
      var conflicting = stored
      conflicting.items[0]["osVersion"] = "1"
      expectError(try post(conflicting, to: server.port, headers: own), 409, sent: conflicting.body())
      var invalid = bodies.events(2, installation: stored.installation)
      invalid.items[1]["surface"] = "NOWHERE"
      expectError(try post(invalid, to: server.port, headers: own), 422, sent: invalid.body())
      let broken = Array(stored.body().dropLast())
      expectError(try post(broken, to: server.port, headers: jsonHeaders + own), 400, sent: broken)
      expectTaken(try post(stored, to: server.port, headers: foreign), accepted: 0, replayed: 2)
      expectError(try post(stored, to: server.port, headers: own), 409, sent: stored.body())
    }
  }
}
