import AnalyticsContract

/// Who an installation belongs to: what stays the same about it, drawn once.
struct DemoPerson: Sendable {
  enum Loyalty: Sendable { case tries, uses, stays }
  enum Language: Sendable { case chinese, english, mixed }

  let number: Int
  let installation: InstallationID
  /// The index of the day on which it comes.
  let arrival: Int
  let channel: AcquisitionChannel
  let loyalty: Loyalty
  /// How many days after it came it is last seen.
  let lifetime: Int
  let language: Language
  /// The account, and how many days after it came it signs up.
  let account: (id: UUIDValue, afterDays: Int, token: String)?
  /// How many days after a release it updates.
  let updateLag: Int
  let osVersion: ReleaseVersion
  /// AI operations on an active day, on average.
  let aiMean: Double
  /// Whether what it sends often arrives days late.
  let isOftenOffline: Bool
  /// The hour of the day around which it is active.
  let hour: Int

  private static let osVersions: [(String, Double)] = [
    ("18.6", 0.12), ("26.0", 0.1), ("26.0.1", 0.15), ("26.1", 0.43), ("26.2", 0.2),
  ]

  init(_ number: Int, _ plan: DemoPlan) {
    var random = DemoRandom(seed: plan.seed, stream: UInt64(number) * 2)
    self.number = number
    installation = InstallationID(random.id())!
    arrival = Self.arrival(plan, &random)
    channel = random.pick([
      (.appStoreOrganic, 0.55), (.referral, 0.17), (.socialContent, 0.18), (.unknown, 0.1),
    ])
    let loyalty = random.pick([(Loyalty.tries, 0.42), (.uses, 0.36), (.stays, 0.22)])
    self.loyalty = loyalty
    switch loyalty {
    case .tries: lifetime = random.below(3)
    case .uses: lifetime = 3 + random.below(40)
    case .stays: lifetime = 60 + random.below(700)
    }
    language = random.pick([(.chinese, 0.55), (.english, 0.2), (.mixed, 0.25)])
    let signsUp = loyalty == .tries ? 0.08 : loyalty == .uses ? 0.35 : 0.7
    account =
      random.happens(signsUp)
      ? (random.id(), random.below(min(4, lifetime + 1)), "demonstration-\(plan.seed)-\(number)") : nil
    updateLag = random.below(12)
    osVersion = ReleaseVersion(random.pick(Self.osVersions))!
    aiMean = random.unit() * random.unit() * 5 + (loyalty == .tries ? 0.4 : 0.8)
    isOftenOffline = random.happens(0.1)
    hour = [8, 9, 12, 13, 18, 20, 21, 22][random.below(8)]
  }

  /// More come as time goes on, and more at weekends.
  private static func arrival(_ plan: DemoPlan, _ random: inout DemoRandom) -> Int {
    while true {
      let day = random.below(plan.dayCount)
      let growth = 0.5 + 0.5 * Double(day + 1) / Double(plan.dayCount)
      if random.happens(growth * (plan.isWeekend(day) ? 1 : 0.8)) { return day }
    }
  }

  /// Whether it does anything on a day.
  func isActive(on day: Int, _ plan: DemoPlan, _ random: inout DemoRandom) -> Bool {
    guard day >= arrival, day - arrival <= lifetime else { return false }
    if day == arrival || day == arrival + (account?.afterDays ?? 0) { return true }
    let usual = loyalty == .tries ? 0.5 : loyalty == .uses ? 0.42 : 0.72
    return random.happens(usual * (plan.isWeekend(day) ? 0.85 : 1))
  }

  /// Its account, once it has signed up.
  func account(on day: Int) -> (id: UUIDValue, token: String)? {
    guard let account, day >= arrival + account.afterDays else { return nil }
    return (account.id, account.token)
  }
}
