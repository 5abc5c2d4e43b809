import AnalyticsContract

/// What has expired at an instant, and which days are over. Pure: the dates that everything else follows.
public struct RetentionPolicy: Sendable, Equatable {
  /// Events of never-linked installations that were received before this go.
  public let eventsReceivedBefore: Instant
  /// Keyboard usage summaries up to this date go, and what tells that there was one.
  public let summariesThrough: CalendarDay
  /// Days of activity of never-linked installations go up to this one.
  public let activityThrough: CalendarDay
  /// The first day of which the identity of all installations, events and summaries is there: distinct counts reach back
  /// to it.
  public var retainedFrom: CalendarDay { summariesThrough.advanced(by: 1) }
  /// Never-linked installations that were last seen on this day or before go.
  public let installationsSeenThrough: CalendarDay
  /// Sessions that expired before this go.
  public let sessionsExpiredBefore: Instant
  /// Tombstones, and revocations of what nobody has (it was never issued, or its account is deleted), from before this go.
  public let memoriesBefore: Instant
  /// Fact ids that were received on this day or before go.
  public let factsReceivedThrough: CalendarDay
  /// The last day that can take no more items.
  public let sealableThrough: CalendarDay

  /// How long the events of never-linked installations, summaries and activity are kept, in days.
  public static let days: Int32 = 90
  /// How long a session is kept after it expired, in days.
  public static let sessionDays: Int64 = 7
  /// A day takes items for 35 days. Another hour lets those be stored that were judged in its last moment, also by a
  /// server whose clock is behind.
  public static let sealingMarginSeconds: Int64 = 3600

  /// - Parameter now: the server's clock.
  public init(at now: Instant) {
    let today = now.day
    let lastKept = now.advanced(bySeconds: -Int64(Self.days) * 86_400)
    eventsReceivedBefore = lastKept
    summariesThrough = today.advanced(by: -Self.days)
    activityThrough = today.advanced(by: -Self.days - 1)
    installationsSeenThrough = today.advanced(by: -Self.days - 1)
    sessionsExpiredBefore = now.advanced(bySeconds: -Self.sessionDays * 86_400)
    memoriesBefore = now.advanced(bySeconds: -Int64(FactLimits.memoryDays) * 86_400)
    factsReceivedThrough = today.advanced(by: -FactLimits.memoryDays - 1)
    sealableThrough = now.advanced(bySeconds: -Self.sealingMarginSeconds).day
      .advanced(by: -ContractLimits.maximumAgeDays - 1)
  }

  /// What should have gone already where the retention job runs as it must: a day and two hours more.
  public static func overdue(at now: Instant) -> RetentionPolicy {
    RetentionPolicy(at: now.advanced(bySeconds: -26 * 3600))
  }
}

/// What retention removes, in the order in which it does: what belongs to something goes before it.
public enum RetentionStep: CaseIterable, Sendable {
  case events, summaries, activity, sets, installations, sessions, sessionRevocations, codeRevocations, tombstones,
    factIDs

  /// What it is called in reports.
  public var title: StaticString {
    switch self {
    case .events: "events of never-linked installations"
    case .summaries: "keyboard summaries"
    case .activity: "days of activity, or marks of summaries on them"
    case .sets: "days of sets of installations"
    case .installations: "never-linked installations"
    case .sessions: "expired sessions"
    case .sessionRevocations: "revocations of sessions that nobody has"
    case .codeRevocations: "revocations of referral codes that nobody has"
    case .tombstones: "tombstones of deleted accounts"
    case .factIDs: "fact ids"
    }
  }
}
