import AnalyticsContract

/// What one client sends at a time: requests of one installation, in order.
struct DemoUpload: Sendable {
  let person: DemoPerson
  let events: [Event]
  let summaries: [KeyboardUsageSummary]
  /// The access token, where the app sends as a signed-in user.
  let token: String?
  /// Whether the first answer is lost, so that everything comes again.
  let isRepeated: Bool
  /// Whether something is wrong with one more request.
  let hasDefect: Bool
}

/// What arrives until an instant.
struct DemoSlot: Sendable {
  let end: Instant
  var uploads: [DemoUpload] = []
  var facts: [DemoDay.Fact] = []
  var purchases: [(purchase: DemoDay.Purchase, transaction: UInt64, account: UUIDValue, refundedAt: Instant?)] = []
  var invitationViews = 0
}

/// All persons, and what is on its way.
struct DemoPopulation {
  private let plan: DemoPlan
  private let people: [DemoPerson]
  /// By day of delivery.
  private var delayed: [Int: [DemoUpload]] = [:]
  private var delayedFacts: [Int: [DemoDay.Fact]] = [:]
  private var refunds: [Int: [(purchase: DemoDay.Purchase, transaction: UInt64, account: UUIDValue)]] = [:]
  /// Summaries of days that are over, until the app sends the next time.
  private var unsent: [Int: [KeyboardUsageSummary]] = [:]
  /// The accounts that may have invited somebody, in the order of their sign-up.
  private var accounts: [UUIDValue] = []

  init(_ plan: DemoPlan) {
    self.plan = plan
    people = (0..<plan.installations).map { DemoPerson($0, plan) }
  }

  /// What arrives on a day, slot by slot.
  mutating func live(_ day: Int, slots count: Int) -> [DemoSlot] {
    let start = plan.day(day).start
    let length = 86_400 / Int64(count)
    // A little before the slot's end, so that the last one lies on the day.
    var slots = (1...count).map { DemoSlot(end: start.advanced(bySeconds: Int64($0) * length - 1)) }
    for upload in delayed.removeValue(forKey: day) ?? [] { slots[0].uploads.append(upload) }
    for fact in delayedFacts.removeValue(forKey: day) ?? [] { slots[count - 1].facts.append(fact) }
    for refund in refunds.removeValue(forKey: day) ?? [] {
      slots[count - 1].purchases.append(
        (refund.purchase, refund.transaction, refund.account, start.advanced(bySeconds: 40_000)))
    }
    for person in people where person.arrival <= day && day - person.arrival <= person.lifetime {
      var random = DemoRandom(seed: plan.seed, stream: UInt64(person.number) * 4096 + UInt64(day) * 2 + 1)
      guard person.isActive(on: day, plan, &random) else { continue }
      live(person, day, length, &slots, &random)
    }
    return slots
  }

  private mutating func live(
    _ person: DemoPerson, _ day: Int, _ length: Int64, _ slots: inout [DemoSlot], _ random: inout DemoRandom
  ) {
    let done = DemoDay(person, day, plan, &random)
    let start = plan.day(day).start
    func slot(of at: Instant) -> Int {
      min(slots.count - 1, Int((at.microseconds - start.microseconds) / 1_000_000 / length))
    }
    for fact in done.facts { slots[slot(of: fact.at)].facts.append(fact) }
    if let account = person.account, day == person.arrival + account.afterDays {
      if person.channel == .referral { refer(account.id, day, &slots, &random) }
      accounts.append(account.id)
    }
    if let purchase = done.purchase, let account = person.account(on: day) {
      let transaction = 2_000_000_000_000_000 + random.next() % 1_000_000_000_000_000
      slots[slot(of: purchase.at)].purchases.append((purchase, transaction, account.id, nil))
      if let days = purchase.refundAfterDays {
        refunds[day + days, default: []].append((purchase, transaction, account.id))
      }
    }
    slots[slots.count - 1].invitationViews += done.invitationViews

    // What may arrive too late is not sent any more, as clients do.
    let oldest = plan.day(day).advanced(by: 15 - ContractLimits.maximumAgeDays)
    let summaries = (unsent.removeValue(forKey: person.number) ?? []).filter { $0.date >= oldest }
    let upload = DemoUpload(
      person: person, events: done.events, summaries: summaries,
      // On the day of the sign-up the session may come later than what is sent.
      token: random.happens(0.8) ? person.account(on: day - 1)?.token : nil, isRepeated: random.happens(0.03),
      hasDefect: random.happens(0.002))
    if let summary = done.summary { unsent[person.number, default: []].append(summary) }
    if upload.events.isEmpty, upload.summaries.isEmpty { return }
    if person.isOftenOffline, random.happens(0.5) {
      delayed[day + 1 + random.below(9), default: []].append(upload)
    } else if let last = done.events.last {
      let slot = slot(of: last.occurredAt)
      slots[slot].uploads.append(upload)
    } else {
      slots[slots.count - 1].uploads.append(upload)
    }
  }

  /// One account invited another: bound now, later qualified and rewarded, or not.
  private mutating func refer(
    _ invitee: UUIDValue, _ day: Int, _ slots: inout [DemoSlot], _ random: inout DemoRandom
  ) {
    guard !accounts.isEmpty else { return }
    let inviter = accounts[random.below(accounts.count)]
    let referral = "\"referralId\":\"\(random.id().text())\""
    func fact(_ day: Int, _ members: String) -> DemoDay.Fact {
      DemoDay.Fact(at: plan.day(day).start.advanced(bySeconds: 70_000), members: members)
    }
    slots[slots.count - 1].facts.append(
      fact(
        day,
        "\"type\":\"REFERRAL_BOUND\",\(referral),\"inviterAccountId\":\"\(inviter.text())\","
          + "\"inviteeAccountId\":\"\(invitee.text())\""))
    guard random.happens(0.6) else { return }
    let qualified = day + 1 + random.below(6)
    delayedFacts[qualified, default: []].append(fact(qualified, "\"type\":\"REFERRAL_QUALIFIED\",\(referral)"))
    guard random.happens(0.9) else { return }
    let rewarded = qualified + random.below(2)
    delayedFacts[rewarded, default: []].append(
      fact(rewarded, "\"type\":\"REFERRAL_REWARDED\",\(referral),\"credits\":20"))
  }
}
