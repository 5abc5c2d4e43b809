import AnalyticsContract

extension BatchDecodingPass {
  private static let everySummaryHas: [WireMember] =
    [.clientSummaryId, .summaryDate] + UsageCounter.allCases.map(\.member)

  private static let summaryMembers = WireMemberSet(everySummaryHas + [.appVersion, .osVersion, .installationId])

  private static let counters: [WireMember: UsageCounter] = Dictionary(
    uniqueKeysWithValues: UsageCounter.allCases.map { ($0.member, $0) })

  /// Decodes the item at `index` as a keyboard usage summary and keeps it if nothing has been reported so far.
  mutating func decodeSummary() throws(JSONSyntaxError) {
    guard try beginObject() else { return }
    var seen = WireMemberSet()
    unreadable = WireMemberSet()
    var id: UUIDValue?
    var date: CalendarDay?
    var counts = UsageCounts()
    var countersRead = 0
    var appVersion: ReleaseVersion?
    var osVersion: ReleaseVersion?
    var more = !reader.take(UInt8(ascii: "}"))
    while more {
      let member = try memberName(of: Self.summaryMembers, ifNew: &seen)
      switch member {
      case .clientSummaryId: id = try uuid(.clientSummaryId)
      case .summaryDate: date = try summaryDate()
      case .appVersion: appVersion = try version(.appVersion)
      case .osVersion: osVersion = try version(.osVersion)
      case .installationId: if let uuid = try identity() { resolution.item(uuid, at: index ?? 0) }
      default:
        if let member, let counter = Self.counters[member] {
          if let value = try count(counter) {
            counts[counter] = value
            countersRead += 1
          }
        } else {
          try skipUnknown()
        }
      }
      more = try continues()
    }
    for member in Self.everySummaryHas where !seen.contains(member) { report(.missingMember, member) }
    // The sums are judged only where all counters could be read.
    if countersRead == UsageCounter.allCases.count {
      for (member, rule) in counts.violations { report(rule, member) }
    }
    guard violations.isEmpty, let id, let date else { return }
    summaries.append(
      KeyboardUsageSummary(
        clientSummaryID: id, date: date, counts: counts, appVersion: appVersion, osVersion: osVersion))
  }

  private mutating func summaryDate() throws(JSONSyntaxError) -> CalendarDay? {
    guard let text = try text(.summaryDate, isOptional: false) else { return nil }
    guard let day = CalendarDay(iso8601: text) else {
      report(.date, .summaryDate)
      return nil
    }
    if window.days.contains(day) { return day }
    report(day < window.days.lowerBound ? .tooOld : .inFuture, .summaryDate)
    return nil
  }

  /// Takes a counter. A value that 32 bits can't hold is as far out of range as the largest that they can.
  private mutating func count(_ counter: UsageCounter) throws(JSONSyntaxError) -> Int32? {
    try integer(counter.member).map { Int32(clamping: $0) }
  }
}
