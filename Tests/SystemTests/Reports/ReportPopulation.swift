import Foundation
import TestSupport
import Testing

/// People who use the app at random, over a real server, and the history of what it took.
struct ReportPopulation {
  struct Person {
    var installation: String
    /// Which account's session its batches carry, if any.
    var account: Int?
    var firstOpenAt: Int?
    var isFirstOpenSent = false
    var sent: [WireItem] = []
    var sentSummaries: [WireItem] = []
  }

  static let versions =
    (0..<22).map { "2.\($0).0" } + ["a", "A", "2.0.0+1", "2.0.0-b", "2_0", "unknown"]

  let facts: FactServer
  var source: WireFacts
  var history: ReportHistory
  var people: [Person] = []
  /// Accounts, with the access token of each.
  var accounts: [(id: String, token: String)] = []
  var invitationPath = ""
  /// Facts that were taken, for stating them again.
  var stated: [WireItem] = []
  /// What the transactions that can still be refunded are signed with.
  var refundable: [[String: String?]] = []

  var port: UInt16 { facts.port }

  init(_ facts: FactServer, seed: String, clock: String) {
    self.facts = facts
    source = WireFacts(seed: "report population " + seed)
    history = ReportHistory(clock: clock)
  }

  mutating func random(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &source.bodies.generator) }

  mutating func chance(_ percent: Int) -> Bool { random(1...100) <= percent }

  mutating func pick<Element>(_ elements: [Element]) -> Element { elements[random(0...(elements.count - 1))] }

  /// An instant that an event may have, often a special one.
  mutating func instant() -> Int {
    let (now, day) = (history.now, ReportCalendar.microseconds)
    switch random(1...100) {
    case 1...55: return now - random(0...(4 * day))
    case 56...88: return now - random(0...(35 * day))
    case 89...94:
      let ages = [0, 60_000_000, 3_600_000_000, day, 7 * day]
      return now - pick(ages) + pick([-1, 0, 1])
    case 95: return now - 35 * day
    case 96: return now + 300_000_000
    default: return (now / day - random(0...30)) * day - pick([0, 1])
    }
  }

  mutating func event(_ type: String? = nil, at instant: Int? = nil, surface: String? = nil) -> WireItem {
    var event = source.bodies.event(type, surface: surface)
    event["occurredAt"] = ReportCalendar.text(instant: instant ?? self.instant())
    event["appVersion"] = chance(8) ? nil : pick(Self.versions)
    event["osVersion"] = chance(8) ? nil : chance(40) ? "26.0" : "26.\(random(0...24))"
    if event["eventType"] == "AI_FEATURE_FAILED", chance(40) {
      event["durationBucket"] = pick(WireCatalog.dimensions["durationBucket"]!)
    }
    return event
  }

  /// Sends a batch, and expects the answer that the history gives.
  mutating func send(_ batch: WireBatch, account index: Int? = nil) throws {
    let headers = index.map { [bearer(accounts[$0].token)] } ?? []
    let form: TransportForm = chance(25) ? .legacy : .root
    let reply = try post(batch, form, to: port, headers: headers)
    if let index, history.deletedAccounts[accounts[index].id] != nil {
      try require(reply, 401)
      return history.refuse(401)
    }
    guard let outcome = history.take(batch, account: index.map { accounts[$0].id }) else {
      try require(reply, 409)
      return history.refuse(409)
    }
    try #require(Outcome(reply) == outcome, "\(reply.text)")
  }

  private func require(_ reply: HTTPReply, _ status: Int) throws {
    try #require(reply.status == status, "\(reply.text)")
  }

  // MARK: - Batches

  /// Everyone who is there, and some who are new, send what they have.
  mutating func useApp(newcomers: Int, rounds: Int = 2) throws {
    for _ in 0..<newcomers {
      var person = Person(installation: source.bodies.installation())
      if chance(85) { person.firstOpenAt = instant() }
      if chance(45), !accounts.isEmpty { person.account = random(0...(accounts.count - 1)) }
      people.append(person)
    }
    for round in 0..<rounds {
      for index in people.indices where chance(round == 0 ? 90 : 60) { try useApp(person: index) }
    }
  }

  private mutating func useApp(person index: Int) throws {
    var person = people[index]
    defer { people[index] = person }
    let account = person.account.flatMap { chance(60) ? $0 : nil }
    var items = (0..<random(1...9)).map { _ in event() }
    if let opened = person.firstOpenAt, !person.isFirstOpenSent {
      // What shows that it was activated is often there first.
      for edge in [0, 7 * ReportCalendar.microseconds] where chance(50) {
        let at = opened + edge + pick([-1, 0, 0, 1])
        if at <= history.now, at >= history.now - 35 * ReportCalendar.microseconds {
          items.append(event("AI_FEATURE_SUCCEEDED", at: at))
        }
      }
      if opened < history.now - 35 * ReportCalendar.microseconds {
        person.firstOpenAt = nil
      } else if chance(60) {
        items.insert(event("FIRST_OPEN", at: opened), at: random(0...items.count))
        person.isFirstOpenSent = true
      }
    }
    if chance(30), !person.sent.isEmpty { items.append(pick(person.sent)) }
    if chance(10) { items.append(items[0]) }
    try send(WireBatch(.events, installation: person.installation, items: items), account: account)
    person.sent += items.filter { $0["eventType"] != "FIRST_OPEN" || person.isFirstOpenSent }
    if chance(15) { try send(WireBatch(.events, installation: person.installation, items: items), account: account) }
    if chance(10) {
      let conflicting = pick(items).with("osVersion", "another")
      try send(WireBatch(.events, installation: person.installation, items: [event(), conflicting]))
    }
    if chance(4), !accounts.isEmpty {
      let other = random(0...(accounts.count - 1))
      try send(WireBatch(.events, installation: person.installation, items: [event()]), account: other)
    }
    if chance(45) { try reportUsage(&person, account: account) }
  }

  private mutating func reportUsage(_ person: inout Person, account: Int?) throws {
    let dates = Set((0..<random(1...4)).map { _ in history.today - random(1...35) }).sorted()
    var items = dates.map { source.bodies.summary(ReportCalendar.text($0)) }
    if chance(30), !person.sentSummaries.isEmpty { items.append(pick(person.sentSummaries)) }
    let limit = ReportCalendar.text(history.today - 35)
    items.removeAll { $0["summaryDate"]! < limit }
    if items.isEmpty { return }
    try send(WireBatch(.summaries, installation: person.installation, items: items), account: account)
    person.sentSummaries += items
  }

  /// Batches that are refused, one of each code that can be had at once.
  mutating func misuse() throws {
    let good = WireBatch(.events, installation: source.bodies.installation(), items: [event()])
    var invalid = good
    invalid.items[0]["osVersion"] = "not valid"
    let path = good.path
    let replies = [
      try post(Array(good.body().dropLast()), to: port), try post(invalid, to: port),
      try post(good, to: port, headers: [bearer("nobody")]), try exchange("GET", path: path, port: port),
      try exchange(path: path, port: port, headers: [("Content-Type", "text/plain")], body: good.body()),
      try post(good.body() + [UInt8](repeating: 32, count: 140_000), to: port),
      try post("{}", .summaries, to: port),
    ]
    #expect(replies.map(\.status) == [400, 422, 401, 405, 415, 413, 400])
    for reply in replies { history.refuse(reply.status) }
  }

  // MARK: - Erasure and retention

  /// Erases an installation on the command line.
  mutating func erase(person index: Int) throws {
    let erased = try facts.server.run(["erase", "--installation", people[index].installation])
    try #require(erased.status == .code(0), "\(erased.error)")
    history.erase(installation: people[index].installation)
    if chance(50) {
      // It goes on as someone new.
      people[index].isFirstOpenSent = false
    }
  }

  mutating func erase(account index: Int) throws {
    try state([(source.fact("ACCOUNT_DELETED", ["accountId": accounts[index].id]), nil)])
    history.erase(account: accounts[index].id)
  }

  /// The same database at a later instant, after retention.
  mutating func live(until clock: String) throws {
    #expect(facts.server.terminate() == .code(0))
    facts.server.options.clock = "fixed:" + clock
    let purged = try facts.server.run(["purge"])
    try #require(purged.status == .code(0), "\(purged.error)")
    history.now = ReportCalendar.instant(clock)
    history.seal()
    try facts.server.restart()
    // What is too old now would be refused; fact ids are remembered for a while only.
    stated = []
    let oldest = ReportCalendar.text(instant: history.now - 35 * ReportCalendar.microseconds)
    for index in people.indices { people[index].sent.removeAll { $0["occurredAt"]! < oldest } }
  }
}
