import AnalyticsContract

/// Distinct installations and accounts over any days: from what was sealed where there is something, else from sets by
/// day, as long as the days are retained.
struct DistinctCounts {
  /// The first day of which all identity is there.
  private let retainedFrom: CalendarDay
  private let bounds: DataBounds
  private var sealed: [CalendarDay: SealedDay] = [:]
  private var sets: [DistinctCount: [CalendarDay: InstallationSet]] = [:]
  /// Rates and other figures are made of the same counts.
  private let memory = Memory()

  private final class Memory {
    var counts: [DistinctCount: [ClosedRange<CalendarDay>: Int64?]] = [:]
  }

  /// Reads what is needed for counts over any days of a range.
  init<Source: ReportSource>(
    _ counts: Set<DistinctCount>, over days: ClosedRange<CalendarDay>, retainedFrom: CalendarDay, bounds: DataBounds,
    from source: Source
  ) throws(Source.Failure) {
    self.retainedFrom = retainedFrom
    self.bounds = bounds
    if counts.isEmpty { return }
    try source.sealedDays(days) { sealed[$0.day] = $0 }
    guard days.upperBound >= retainedFrom else { return }
    let retained = max(days.lowerBound, retainedFrom)...days.upperBound
    for count in counts { sets[count] = [:] }
    let kinds = counts.reduce(into: Set<SetKind>()) { $0.formUnion($1.sets) }
    if !kinds.isEmpty {
      try source.sets(kinds, retained) { key, set in
        for count in counts where count.sets.contains(key.kind) {
          if let union = sets[count]![key.day] {
            // A set of one kind alone may be shared by several counts.
            sets[count]![key.day] = InstallationSet.union([union, set])
          } else {
            sets[count]![key.day] = set
          }
        }
      }
    }
    for (count, accounts) in [
      (DistinctCount.spendingAccounts, AccountSource.settlements), (.purchasingAccounts, .purchases),
    ]
    where counts.contains(count) {
      var numbers: [CalendarDay: [UInt32]] = [:]
      try source.accounts(accounts, retained) { day, account in numbers[day, default: []].append(account) }
      for (day, numbers) in numbers {
        let set = InstallationSet()
        set.insert(numbers)
        sets[count]![day] = set
      }
    }
  }

  /// The distinct count over some days.
  /// - Returns: `nil` where the identity that it would need has gone.
  func count(_ count: DistinctCount, _ days: ClosedRange<CalendarDay>) -> Int64? {
    if let known = memory.counts[count]?[days] { return known }
    let result = calculate(count, days)
    memory.counts[count, default: [:]][days] = .some(result)
    return result
  }

  private func calculate(_ count: DistinctCount, _ days: ClosedRange<CalendarDay>) -> Int64? {
    // Before the first day there was nobody.
    guard let first = firstDay(of: count), days.upperBound >= first else { return 0 }
    let known = max(days.lowerBound, first)...days.upperBound
    if let last = sealed[days.upperBound] {
      for days in [days, known] {
        if days.dayCount == 1 { return last.counts[count] }
        if days.dayCount == 7, count == .active { return last.weeklyActive }
        if days.dayCount == 28, count == .active { return last.monthlyActive }
      }
    }
    guard known.lowerBound >= retainedFrom else { return nil }
    let members = known.days.compactMap { sets[count]?[$0] }
    return members.count == 1 ? members[0].count : InstallationSet.union(members).count
  }

  private func firstDay(of count: DistinctCount) -> CalendarDay? {
    switch count {
    case .spendingAccounts: [bounds.firstDay, bounds.firstSettlement].compactMap(\.self).min()
    case .purchasingAccounts: [bounds.firstDay, bounds.firstPurchase].compactMap(\.self).min()
    default: bounds.firstDay
    }
  }
}
