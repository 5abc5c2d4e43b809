import AnalyticsContract

/// Installations by the day of their first open: how many, how many were activated, how many came back.
struct CohortCounts {
  private let bounds: DataBounds
  private let retainedFrom: CalendarDay
  private let today: CalendarDay
  private var sealed: [CalendarDay: [SealedCohort]] = [:]
  private var firstOpens: [CalendarDay: InstallationSet] = [:]
  private var activated: [CalendarDay: [UInt8: InstallationSet]] = [:]
  private var active: [CalendarDay: InstallationSet] = [:]

  /// Reads what is needed for cohorts of some days: who came back, or who was activated.
  init<Source: ReportSource>(
    of days: ClosedRange<CalendarDay>, withRetention: Bool, today: CalendarDay, retainedFrom: CalendarDay,
    bounds: DataBounds, from source: Source
  ) throws(Source.Failure) {
    self.bounds = bounds
    self.retainedFrom = retainedFrom
    self.today = today
    try source.sealedCohorts(days) { sealed[$0.day, default: []].append($0) }
    let first = max(days.lowerBound, retainedFrom)
    guard first <= days.upperBound else { return }
    try source.sets([withRetention ? .firstOpen : .activated], first...days.upperBound) { key, set in
      if key.kind == .activated {
        Self.add(set, to: &activated[key.day, default: [:]], UInt8(key.label) ?? 0)
      } else {
        Self.add(set, to: &firstOpens, key.day)
      }
    }
    guard withRetention else { return }
    let last = min(days.upperBound.advanced(by: ReportDefinition.retentionDays.last!), today)
    guard first <= last else { return }
    try source.sets([.activeInApp, .activeInKeyboard], first...last) { key, set in
      Self.add(set, to: &active, key.day)
    }
  }

  /// A set may come in parts that overlap.
  private static func add<Key>(_ set: InstallationSet, to sets: inout [Key: InstallationSet], _ key: Key) {
    if let union = sets[key] { union.formUnion(set) } else { sets[key] = set }
  }

  /// Whether the identity that a cohort's figures would need has gone.
  private func isGone(_ day: CalendarDay) -> Bool {
    guard let first = bounds.firstDay, day >= first else { return false }
    return !isSealed(day) && day < retainedFrom
  }

  private func isSealed(_ day: CalendarDay) -> Bool { bounds.cohortsSealedThrough.map { day <= $0 } ?? false }

  /// The installations of some days that were activated, of one channel or of all.
  /// - Returns: `nil` where the identity that it would need has gone.
  func activated(_ days: ClosedRange<CalendarDay>, channel: UInt8? = nil) -> Int64? {
    var sum: Int64 = 0
    for day in days.days {
      if isGone(day) { return nil }
      if isSealed(day) {
        for cohort in sealed[day] ?? [] where channel == nil || cohort.channel == channel { sum += cohort.activated }
      } else if let channels = activated[day] {
        sum += channel.map { channels[$0]?.count ?? 0 } ?? channels.values.reduce(0) { $0 + $1.count }
      }
    }
    return sum
  }

  /// How many installations are in the cohort of some days.
  /// - Returns: `nil` where the identity that it would need has gone.
  func size(_ days: ClosedRange<CalendarDay>) -> Int64? {
    sum(days, sealed: \.size) { day in firstOpens[day]?.count ?? 0 }
  }

  /// How many of them were active on one of ``ReportDefinition/retentionDays`` after their own first open; `nil` until
  /// that day is over for all of them, or where the identity that it would need has gone.
  func retained(_ days: ClosedRange<CalendarDay>, _ position: Int) -> Int64? {
    let distance = ReportDefinition.retentionDays[position]
    guard days.upperBound.advanced(by: distance) < today else { return nil }
    return sum(days, sealed: \.retained[position]) { day in
      guard let cohort = firstOpens[day], let active = active[day.advanced(by: distance)] else { return 0 }
      return cohort.intersectionCount(active)
    }
  }

  private func sum(
    _ days: ClosedRange<CalendarDay>, sealed value: (SealedCohort) -> Int64, _ open: (CalendarDay) -> Int64
  ) -> Int64? {
    var sum: Int64 = 0
    for day in days.days {
      if isGone(day) { return nil }
      sum += isSealed(day) ? (sealed[day] ?? []).reduce(0) { $0 + value($1) } : open(day)
    }
    return sum
  }
}
