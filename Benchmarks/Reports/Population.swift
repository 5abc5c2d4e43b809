import AnalyticsContract
import Ingestion
import ServerFacts

/// A large population, written batch by batch through the storage layer: an installation's events of all its days in one
/// batch, so that millions are written in minutes. Its figures are plausible, and the same for the same number.
struct Population {
  let installations: Int
  let days: ClosedRange<CalendarDay>
  /// About how many events an installation has.
  let eventsEach: Int

  private static let appVersions = (0..<12).map { ReleaseVersion("2.\($0 / 4).\($0 % 4)")! }
  private static let osVersions = ["18.5", "18.6", "26.0", "26.0.1", "26.1", "26.2"].map { ReleaseVersion($0)! }

  var dayCount: Int { Int(days.upperBound.daysSince1970 - days.lowerBound.daysSince1970) + 1 }

  /// The batches of one installation.
  func submissions(of number: Int) -> [Submission] {
    var random = Random(state: UInt64(number) &* 0x9E37_79B9_7F4A_7C15 &+ 1)
    let digest = Digest(hashing: "installation \(number)")
    // Half came before the first day.
    let arrival = random.below(2) == 0 ? -1 : random.below(dayCount)
    var events: [Event] = []
    var summaries: [KeyboardUsageSummary] = []
    if arrival >= 0 {
      events.append(
        event(.firstOpen(acquisitionChannel: AcquisitionChannel.allCases[random.below(4)]), arrival, 0, &random))
    }
    let first = max(arrival, 0)
    while events.count < eventsEach {
      let day = first + random.below(dayCount - first)
      addDay(day, &events, &random)
      if summaries.allSatisfy({ $0.date != date(day) }), random.below(2) == 0 {
        summaries.append(summary(day, &random))
      }
    }
    let received = days.upperBound.advanced(by: 1).start
    return [
      Submission(
        installation: digest, items: .events(Array(events.prefix(50))), session: nil, receivedAt: received),
      summaries.isEmpty
        ? nil : Submission(installation: digest, items: .summaries(summaries), session: nil, receivedAt: received),
    ].compactMap(\.self)
  }

  private func addDay(_ day: Int, _ events: inout [Event], _ random: inout Random) {
    events.append(event(.sessionStarted(on: .app), day, random.below(80_000), &random))
    events.append(event(.keyboardActivated, day, random.below(80_000), &random))
    for _ in 0..<(1 + random.below(2)) {
      let second = random.below(80_000)
      let feature = Feature.allCases[random.below(6)]
      let mode = ExecutionMode.allCases[random.below(3)]
      let surface: Surface = random.below(3) == 0 ? .app : .keyboard
      let duration = DurationBucket.allCases[random.below(5)]
      events.append(event(.aiFeatureStarted(feature, mode: mode, on: surface), day, second, &random))
      let end: EventKind =
        random.below(10) == 0
        ? .aiFeatureFailed(
          feature, mode: mode, on: surface, failure: FailureCategory.allCases[random.below(7)], duration: duration)
        : .aiFeatureSucceeded(feature, mode: mode, on: surface, duration: duration)
      events.append(event(end, day, second + 5, &random))
    }
    if random.below(20) == 0 { events.append(event(.purchaseViewed, day, random.below(80_000), &random)) }
    if random.below(60) == 0 { events.append(event(.purchaseStarted, day, random.below(80_000), &random)) }
  }

  private func date(_ day: Int) -> CalendarDay { days.lowerBound.advanced(by: Int32(day)) }

  private func event(_ kind: EventKind, _ day: Int, _ second: Int, _ random: inout Random) -> Event {
    // Versions roll out: those of a day are the last three.
    let version = min(11, day * 12 / dayCount)
    return Event(
      clientEventID: random.id(), occurredAt: date(day).start.advanced(bySeconds: Int64(second)), kind: kind,
      appVersion: Self.appVersions[max(0, version - random.below(3))], osVersion: Self.osVersions[random.below(6)])
  }

  private func summary(_ day: Int, _ random: inout Random) -> KeyboardUsageSummary {
    var counts = UsageCounts()
    counts[.chineseCharacters] = Int32(200 + random.below(400))
    counts[.englishCharacters] = Int32(random.below(200))
    counts[.otherCharacters] = Int32(random.below(100))
    counts[.inputSessions] = 10
    counts[.chineseOnlySessions] = 6
    counts[.mixedLanguageSessions] = 4
    return KeyboardUsageSummary(
      clientSummaryID: random.id(), date: date(day), counts: counts, appVersion: Self.appVersions[0],
      osVersion: Self.osVersions[0])
  }

  /// Facts, so many hundreds at a time: accounts with settlements, transactions and referrals.
  func facts(accounts: Int, settlementsEach: Int) -> [[Fact]] {
    var random = Random(state: 7)
    var facts: [Fact] = []
    for _ in 0..<accounts {
      let account = random.id()
      facts.append(fact(.accountCreated(account: account), &random))
      for _ in 0..<settlementsEach {
        facts.append(
          fact(
            .creditsSettled(
              account: account, settlement: random.id(), feature: Feature.allCases[random.below(6)],
              credits: Int64(1 + random.below(50))), &random))
      }
      if random.below(20) == 0 {
        let transaction = StoreKitTransaction(
          transactionID: "\(random.next())", originalTransactionID: "\(random.next())",
          productID: ["credits.100", "credits.500", "pro.month"][random.below(3)], type: .consumable, quantity: 1,
          purchasedAt: instant(&random), price: 12_990, currency: ["EUR", "USD", "CNY"][random.below(3)],
          refundedAt: random.below(20) == 0 ? instant(&random) : nil, environment: .production, storefront: "DEU",
          account: account)
        facts.append(fact(.storeKitTransaction(transaction), &random))
      }
      if random.below(10) == 0 {
        let referral = random.id()
        facts.append(fact(.referralBound(referral: referral, inviter: account, invitee: random.id()), &random))
        facts.append(fact(.referralQualified(referral: referral), &random))
        facts.append(fact(.referralRewarded(referral: referral, credits: 20), &random))
      }
    }
    return stride(from: 0, to: facts.count, by: 500).map { Array(facts[$0..<min($0 + 500, facts.count)]) }
  }

  private func fact(_ kind: FactKind, _ random: inout Random) -> Fact {
    Fact(id: random.id(), occurredAt: instant(&random), kind: kind)
  }

  private func instant(_ random: inout Random) -> Instant {
    date(random.below(dayCount)).start.advanced(bySeconds: Int64(random.below(86_400)))
  }
}

/// SplitMix64: fast, and the same everywhere.
struct Random {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var value = state
    value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
    return value ^ (value >> 31)
  }

  mutating func below(_ limit: Int) -> Int { Int(next() % UInt64(limit)) }

  mutating func id() -> UUIDValue { UUIDValue(high: next(), low: next() | 1) }
}
