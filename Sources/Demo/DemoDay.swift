import AnalyticsContract

/// What one person does on one day, as events and facts.
struct DemoDay: Sendable {
  /// A fact as the account server would state it, its members in JSON.
  struct Fact: Sendable {
    let at: Instant
    let members: String
  }

  /// A purchase, which the App Store is to sign.
  struct Purchase: Sendable {
    let at: Instant
    let product: (id: String, type: String, price: Int64)
    let currency: (code: String, storefront: String)
    let refundAfterDays: Int?
  }

  private(set) var events: [Event] = []
  private(set) var summary: KeyboardUsageSummary?
  private(set) var facts: [Fact] = []
  private(set) var purchase: Purchase?
  /// How often pages of invitations that it shared are viewed.
  private(set) var invitationViews = 0

  private let person: DemoPerson
  private let day: Int
  private let start: Instant
  private let appVersion: ReleaseVersion

  private static let products: [(value: (id: String, type: String, price: Int64), weight: Double)] = [
    (("com.example.keyboard.credits_100", "Consumable", 1_990), 0.5),
    (("com.example.keyboard.credits_500", "Consumable", 7_990), 0.2),
    (("com.example.keyboard.pro_monthly", "Auto-Renewable Subscription", 4_990), 0.3),
  ]
  /// With how many of them a dollar is worth.
  private static let currencies: [(value: (code: String, storefront: String, factor: Int64), weight: Double)] = [
    (("CNY", "CHN", 7), 0.55), (("USD", "USA", 1), 0.2), (("EUR", "DEU", 1), 0.12), (("JPY", "JPN", 100), 0.08),
    (("HKD", "HKG", 8), 0.05),
  ]

  init(_ person: DemoPerson, _ day: Int, _ plan: DemoPlan, _ random: inout DemoRandom) {
    self.person = person
    self.day = day
    start = plan.day(day).start
    appVersion = ReleaseVersion(plan.release(on: day, afterDays: person.updateLag))!
    if day == person.arrival { arrive(&random) }
    if let account = person.account, day == person.arrival + account.afterDays { signUp(account, &random) }
    useApp(&random)
    type(&random)
    for _ in 0..<random.count(mean: person.aiMean) { useAI(&random) }
    buy(&random)
    if person.loyalty != .tries, random.happens(0.02) { share(&random) }
    events.sort { ($0.occurredAt, $0.clientEventID.high) < ($1.occurredAt, $1.clientEventID.high) }
  }

  // MARK: - What happens

  private mutating func arrive(_ random: inout DemoRandom) {
    let at = moment(&random)
    if person.channel == .referral { add(.inviteOpened, at.advanced(bySeconds: -30), &random) }
    add(.firstOpen(acquisitionChannel: person.channel), at, &random)
  }

  private mutating func signUp(_ account: (id: UUIDValue, afterDays: Int, token: String), _ random: inout DemoRandom) {
    let at = moment(&random)
    let id = "\"accountId\":\"\(account.id.text())\""
    let token = Digest(hashing: account.token).withUnsafeBytes { bytes in
      bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
    facts.append(Fact(at: at, members: "\"type\":\"ACCOUNT_CREATED\",\(id)"))
    facts.append(
      Fact(
        at: at,
        members: "\"type\":\"SESSION_ISSUED\",\(id),\"tokenDigest\":\"\(token)\",\"expiresAt\":"
          + "\"\(at.advanced(bySeconds: 800 * 86_400))\""))
  }

  private mutating func useApp(_ random: inout DemoRandom) {
    for _ in 0..<(random.happens(0.6) ? 1 + random.below(2) : 0) {
      add(.sessionStarted(on: .app), moment(&random), &random)
    }
  }

  private mutating func type(_ random: inout DemoRandom) {
    guard random.happens(0.85) else { return }
    let sessions = 1 + random.count(mean: person.loyalty == .stays ? 9 : 4)
    for _ in 0..<min(sessions, 6) { add(.keyboardActivated, moment(&random), &random) }
    add(.sessionStarted(on: .keyboard), moment(&random), &random)
    var counts = UsageCounts()
    for _ in 0..<sessions {
      let length = Int32(2 + random.below(40))
      let (chinese, english): (Int32, Int32) =
        switch person.language {
        case .chinese: (length, random.happens(0.15) ? length / 4 : 0)
        case .english: (0, length * 3)
        case .mixed: random.happens(0.3) ? (length / 2, length) : random.happens(0.6) ? (length, 0) : (0, length * 2)
        }
      let isOther = random.happens(0.04)
      counts[.chineseCharacters] += isOther ? 0 : chinese
      counts[.englishCharacters] += isOther ? 0 : english
      counts[.otherCharacters] += 1 + Int32(random.below(6))
      counts[.inputSessions] += 1
      let kind: UsageCounter =
        isOther || (chinese == 0 && english == 0)
        ? .otherOnlySessions
        : chinese == 0 ? .englishOnlySessions : english == 0 ? .chineseOnlySessions : .mixedLanguageSessions
      counts[kind] += 1
    }
    summary = KeyboardUsageSummary(
      clientSummaryID: random.id(), date: start.day, counts: counts, appVersion: appVersion,
      osVersion: person.osVersion)
  }

  private mutating func useAI(_ random: inout DemoRandom) {
    let at = moment(&random)
    let feature = random.pick([
      (Feature.transcription, 0.44), (.polish, 0.28), (.aiAssistant, 0.14), (.agent, 0.05), (.hotword, 0.07),
      (.other, 0.02),
    ])
    let account = person.account(on: day)
    let mode: ExecutionMode =
      account == nil
      ? random.pick([(.local, 0.85), (.byok, 0.15)]) : random.pick([(.managed, 0.7), (.local, 0.2), (.byok, 0.1)])
    let surface: Surface = feature == .hotword ? .app : random.happens(0.75) ? .keyboard : .app
    let seconds = (0.4 + random.unit() * random.unit() * 40) * (mode == .local ? 0.5 : 1)
    let duration: DurationBucket =
      seconds < 1
      ? .under1s
      : seconds < 3
        ? .from1To3s
        : seconds < 10
          ? .from3To10s
          : seconds < 30 ? .from10To30s : .atLeast30s
    let end = at.advanced(bySeconds: Int64(seconds) + 1)
    add(.aiFeatureStarted(feature, mode: mode, on: surface), at, &random)
    guard random.happens(mode == .byok ? 0.86 : 0.93) else {
      let failure = random.pick([
        (FailureCategory.network, 0.3), (.provider, 0.16), (.timeout, 0.14), (.cancelled, 0.28),
        (.insufficientCredits, mode == .managed ? 0.06 : 0), (.validation, 0.03), (.unknown, 0.03),
      ])
      add(
        .aiFeatureFailed(
          feature, mode: mode, on: surface, failure: failure, duration: random.happens(0.8) ? duration : nil),
        end, &random)
      return
    }
    add(.aiFeatureSucceeded(feature, mode: mode, on: surface, duration: duration), end, &random)
    guard mode == .managed, let account else { return }
    let credits = 1 + Int(seconds / 4) + (feature == .agent ? 5 : 0)
    facts.append(
      Fact(
        at: end,
        members: "\"type\":\"CREDITS_SETTLED\",\"accountId\":\"\(account.id.text())\",\"settlementId\":"
          + "\"\(random.id().text())\",\"feature\":\"\(feature.name)\",\"credits\":\(credits)"))
  }

  private mutating func buy(_ random: inout DemoRandom) {
    guard person.loyalty != .tries, random.happens(0.05) else { return }
    let at = moment(&random)
    add(.purchaseViewed, at, &random)
    guard person.account(on: day) != nil, random.happens(0.3) else { return }
    add(.purchaseStarted, at.advanced(bySeconds: 20), &random)
    if random.happens(0.4) {
      add(.purchaseCancelled, at.advanced(bySeconds: 40), &random)
      return
    }
    let product = random.pick(Self.products.map { ($0.value, $0.weight) })
    let currency = random.pick(Self.currencies.map { ($0.value, $0.weight) })
    purchase = Purchase(
      at: at.advanced(bySeconds: 45), product: (product.id, product.type, product.price * currency.factor),
      currency: (currency.code, currency.storefront), refundAfterDays: random.happens(0.05) ? 1 + random.below(14) : nil
    )
  }

  private mutating func share(_ random: inout DemoRandom) {
    add(.referralShared, moment(&random), &random)
    invitationViews = random.count(mean: 3)
  }

  // MARK: - Parts

  private mutating func add(_ kind: EventKind, _ at: Instant, _ random: inout DemoRandom) {
    events.append(
      Event(
        clientEventID: random.id(), occurredAt: at, kind: kind, appVersion: appVersion, osVersion: person.osVersion))
  }

  /// Some time of the day, mostly around the person's hour; late enough for what happens a little before, early enough
  /// for what follows.
  private func moment(_ random: inout DemoRandom) -> Instant {
    let hour = random.happens(0.7) ? person.hour + random.below(2) : 7 + random.below(16)
    return start.advanced(bySeconds: Int64(hour * 3600 + 60 + random.below(3400)))
  }
}
