import TestSupport
import Testing

/// What the account server states about the population.
extension ReportPopulation {
  /// What a fact changes in the history, once it is taken; nil where that is known elsewhere or it is nothing.
  typealias Effect = (inout ReportHistory) -> Void

  /// States facts, and keeps them where the server took them.
  mutating func state(_ list: [(fact: WireItem, effect: Effect?)]) throws {
    if list.isEmpty { return }
    let replays = chance(40) && !stated.isEmpty ? [pick(stated)] : []
    let reply = try facts.state(list.map(\.fact) + replays)
    try #require(Outcome(reply) == Outcome(accepted: list.count, replayed: replays.count), "\(reply.text)")
    for (fact, effect) in list {
      effect?(&history)
      stated.append(fact)
    }
  }

  /// Makes accounts with a session each, and a referral code.
  mutating func openAccounts(_ count: Int, _ days: ClosedRange<Int>) throws {
    let fresh = (0..<count).map { _ in (id: source.uuid(), token: "session-" + source.digest()) }
    let code = ReferralCodes.valid
    let script = "for text in \"$@\"; do printf %s \"$text\" | sha256sum; done"
    let output = try runCommand(["sh", "-c", script, "sh"] + fresh.map(\.token) + [code]).output
    let digests = output.split(separator: "\n").map { String($0.prefix(64)) }
    try #require(digests.count == count + 1)
    var list: [(fact: WireItem, effect: Effect?)] = []
    for (account, digest) in zip(fresh, digests) {
      let session = source.fact("SESSION_ISSUED", ["accountId": account.id, "tokenDigest": digest])
      list.append((session.with("expiresAt", "2028-01-01T00:00:00Z"), nil))
      if chance(80) {
        let at = instant(days)
        let created = source.fact("ACCOUNT_CREATED", ["accountId": account.id])
        list.append(
          (
            created.with("occurredAt", ReportCalendar.text(instant: at)),
            { history in
              history.registrations.append(at / ReportCalendar.microseconds)
            }
          ))
      }
    }
    if invitationPath.isEmpty {
      let issued = source.fact("REFERRAL_CODE_ISSUED", ["accountId": source.uuid(), "codeDigest": digests[count]])
      list.append((issued, nil))
      invitationPath = "/i/" + code
    }
    try state(list)
    accounts += fresh
  }

  /// A random instant of some days that isn't after now.
  mutating func instant(_ days: ClosedRange<Int>) -> Int {
    let day = ReportCalendar.microseconds
    if chance(10) { return min(random(days) * day, history.now) }
    return random((days.lowerBound * day)...min((days.upperBound + 1) * day - 1, history.now))
  }

  mutating func visitInvitations(_ count: Int) throws {
    for _ in 0..<count {
      let reply = try exchange("GET", path: invitationPath, port: port)
      try #require(reply.status == 200)
      history.views.append(history.today)
    }
  }

  /// Settlements, transactions and referrals of random accounts, deleted ones too, on some days.
  mutating func transact(_ count: Int, _ days: ClosedRange<Int>) throws {
    var list: [(fact: WireItem, effect: Effect?)] = []
    for _ in 0..<count {
      let at = instant(days)
      // Of an account that was deleted long ago nothing is stated: what told that it was is forgotten after 90 days.
      let account = pick(accounts.filter { history.deletedAccounts[$0.id].map { $0 > history.today - 80 } ?? true }).id
      switch random(1...10) {
      case 1...4:
        list.append(settlement(of: account, at: at))
        if chance(20) {
          let (id, again) = (source.uuid(), settlement(of: account, at: at))
          list.append((again.fact.with("factId", id), again.effect))
        }
      case 5...7: list.append(purchase(by: chance(85) ? account : nil, at: at, days))
      default: list += referral(of: account, at: at, days)
      }
    }
    try state(list)
    try refund(days)
  }

  private func day(_ instant: Int) -> Int { instant / ReportCalendar.microseconds }

  private mutating func settlement(of account: String, at: Int) -> (fact: WireItem, effect: Effect?) {
    let feature = pick(WireCatalog.dimensions["feature"]!)
    let credits = chance(10) ? 1_000_000_000 : random(1...900)
    let fact = source.fact(
      "CREDITS_SETTLED", ["accountId": account, "feature": feature, "credits": String(credits)])
    let day = day(at)
    return (
      fact.with("occurredAt", ReportCalendar.text(instant: at)),
      { history in
        history.settlements.append(
          TakenSettlement(account: history.reference(account), day: day, feature: feature, credits: credits))
      }
    )
  }

  private mutating func purchase(
    by account: String?, at: Int, _ days: ClosedRange<Int>
  ) -> (fact: WireItem, effect: Effect?) {
    let number = String(3_000_000_000_000_000 + random(0...999_999_999_999_999))
    let product = "com.example.keyboard." + pick(["pro", "Pro", "credits_100", "credits_9"])
    let price = chance(12) ? nil : pick([0, 5, 990, 9_990, 12_990, 1_000_000, random(1...99_999_999)])
    let currency = price == nil && chance(70) ? nil : pick(["USD", "CNY", "EUR", "JPY"])
    let isProduction = chance(80)
    let refund = chance(15) ? instant(days) : nil
    func json(_ text: String?) -> String? { text.map { "\"\($0)\"" } }
    var changes: [String: String?] = [
      "transactionId": json(number), "originalTransactionId": json(number), "appAccountToken": json(account),
      "productId": json(product), "price": price.map(String.init), "currency": json(currency),
      "environment": json(isProduction ? "Production" : "Sandbox"), "quantity": String(random(1...3)),
      "purchaseDate": String(at / 1000),
    ]
    changes["revocationDate"] = refund.map { String($0 / 1000) }
    let (bought, returned) = (day(at), refund.map { $0 / ReportCalendar.microseconds })
    let fact = source.fact("STOREKIT_TRANSACTION", ["signedTransaction": source.transaction(changes)])
    if refund == nil { refundable.append(changes) }
    return (
      fact,
      { history in
        history.transactions.append(
          TakenTransaction(
            id: number, account: history.reference(account), product: product, isProduction: isProduction, price: price,
            currency: currency, purchaseDay: bought, refundDay: returned))
      }
    )
  }

  /// Gives some of what was bought back.
  private mutating func refund(_ days: ClosedRange<Int>) throws {
    var list: [(fact: WireItem, effect: Effect?)] = []
    var left: [[String: String?]] = []
    for purchase in refundable {
      let token = (purchase["appAccountToken"] ?? nil)?.dropFirst().dropLast()
      // Of a deleted account the transaction is another one than the one that is stored.
      guard chance(25), token.map({ history.deletedAccounts[String($0)] == nil }) ?? true else {
        left.append(purchase)
        continue
      }
      let at = instant(days)
      let changes = purchase.merging(["revocationDate": String(at / 1000)]) { $1 }
      let (id, day) = (changes["transactionId"]!!.dropFirst().dropLast(), day(at))
      let fact = source.fact("STOREKIT_TRANSACTION", ["signedTransaction": source.transaction(changes)])
      list.append(
        (
          fact,
          { history in
            let index = history.transactions.firstIndex { $0.id == id }!
            history.transactions[index].refundDay = day
          }
        ))
    }
    refundable = left
    try state(list)
  }

  private mutating func referral(
    of account: String, at: Int, _ days: ClosedRange<Int>
  ) -> [(fact: WireItem, effect: Effect?)] {
    let id = source.uuid()
    var list: [(fact: WireItem, effect: Effect?)] = []
    for (step, percent) in [("BOUND", 90), ("QUALIFIED", 60), ("REWARDED", 50)] where chance(percent) {
      let (when, credits) = (step == "BOUND" ? at : instant(days), random(1...500))
      let fact = source.fact(
        "REFERRAL_" + step,
        ["referralId": id, "inviterAccountId": account, "inviteeAccountId": source.uuid(), "credits": String(credits)]
      ).with("occurredAt", ReportCalendar.text(instant: when))
      let day = day(when)
      list.append(
        (
          fact,
          { history in
            history.referrals.append(TakenReferralStep(type: "REFERRAL_" + step, day: day, credits: credits))
          }
        ))
    }
    return list
  }
}
