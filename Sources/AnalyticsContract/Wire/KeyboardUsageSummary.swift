/// What was typed with the keyboard on one UTC day, as counts.
public struct KeyboardUsageSummary: Sendable, Hashable, Redacted {
  /// The client's id of the summary, the same on every retry.
  public let clientSummaryID: UUIDValue
  /// The day that was counted; a day that is over.
  public let date: CalendarDay
  /// The counters.
  public let counts: UsageCounts
  /// The app's version.
  public let appVersion: ReleaseVersion?
  /// The operating system's version.
  public let osVersion: ReleaseVersion?

  /// - Parameters:
  ///   - clientSummaryID: the client's id of the summary; not the nil UUID.
  ///   - date: the day that was counted.
  ///   - counts: the counters.
  ///   - appVersion: the app's version.
  ///   - osVersion: the operating system's version.
  public init(
    clientSummaryID: UUIDValue, date: CalendarDay, counts: UsageCounts, appVersion: ReleaseVersion? = nil,
    osVersion: ReleaseVersion? = nil
  ) {
    self.clientSummaryID = clientSummaryID
    self.date = date
    self.counts = counts
    self.appVersion = appVersion
    self.osVersion = osVersion
  }
}
