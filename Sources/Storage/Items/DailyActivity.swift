import AnalyticsContract
import Reporting

/// What one batch shows about its installation's days: a handful, so that a search through them beats a dictionary.
struct DailyActivity {
  struct Day {
    let day: CalendarDay
    var kinds: ActivityKinds = []
    /// Of the events that make the installation active.
    var appVersions: [ReleaseVersion?] = []
    var osVersions: [ReleaseVersion?] = []
  }

  private(set) var days: [Day] = []

  mutating func add(_ event: Event) {
    let kinds = event.kind.activity
    let position = position(of: event.occurredAt.day)
    days[position].kinds.formUnion(kinds)
    if kinds.isDisjoint(with: [.app, .keyboard]) { return }
    Self.add(event.appVersion, to: &days[position].appVersions)
    Self.add(event.osVersion, to: &days[position].osVersions)
  }

  mutating func add(_ summary: KeyboardUsageSummary) {
    days[position(of: summary.date)].kinds.insert(.usageReported)
  }

  private mutating func position(of day: CalendarDay) -> Int {
    if let position = days.firstIndex(where: { $0.day == day }) { return position }
    days.append(Day(day: day))
    return days.count - 1
  }

  private static func add(_ version: ReleaseVersion?, to versions: inout [ReleaseVersion?]) {
    if !versions.contains(version) { versions.append(version) }
  }
}

extension SetAdditions {
  /// Adds what a batch shows about its installation's days.
  mutating func add(_ activity: DailyActivity, installation: UInt32) {
    for day in activity.days {
      for kind in day.kinds.sets { add(installation, to: SetKey(kind, day.day)) }
      for version in day.appVersions { add(installation, to: SetKey(.appVersion, day.day, label: version?.text ?? "")) }
      for version in day.osVersions { add(installation, to: SetKey(.osVersion, day.day, label: version?.text ?? "")) }
    }
  }

  /// Adds an installation to the cohort of its first open.
  mutating func add(_ firstOpen: FirstOpen, installation: UInt32) {
    add(installation, to: SetKey(.firstOpen, firstOpen.at.day, label: firstOpen.label))
  }

  /// Notes that an installation was activated.
  mutating func add(activationAfter firstOpen: FirstOpen, installation: UInt32) {
    add(installation, to: SetKey(.activated, firstOpen.at.day, label: firstOpen.label))
  }
}

/// When an installation was first opened, and how it came.
struct FirstOpen {
  let at: Instant
  /// The code of its channel.
  let channel: UInt8

  /// How long after it an AI success activates the installation.
  private static let activationSeconds: Int64 = 7 * 86_400

  init(at instant: Instant, channel: UInt8) {
    at = instant
    self.channel = channel
  }

  /// - Parameter event: FIRST_OPEN.
  init(_ event: Event) { self.init(at: event.occurredAt, channel: event.kind.acquisitionChannel?.code ?? 0) }

  /// The last instant at which an AI success activates the installation.
  var activationEnd: Instant { at.advanced(bySeconds: Self.activationSeconds) }

  var label: String { String(channel) }

  /// Whether an event activates the installation.
  func isActivation(_ event: Event) -> Bool {
    event.kind.type == .aiFeatureSucceeded && event.occurredAt >= at && event.occurredAt <= activationEnd
  }
}
