/// What is counted once, however often it occurs.
enum Distinct: CaseIterable {
  case active, inApp, inKeyboard, ai, viewed, started, cancelled, reporting, spending, purchasing
}

extension ReportHistory {
  static let retentionDays = [1, 3, 7, 14, 28]
  /// How many days before today identity is kept for: what is of a day is there for 90 days, today being one.
  static let keptDays = 89

  /// Who there is of a kind on some days, as far as it is stored.
  func who(_ kind: Distinct, _ days: ClosedRange<Int>) -> Set<String> {
    func people(_ isMeant: (TakenEvent) -> Bool) -> Set<String> {
      Set(events(days).filter { !$0.isErased && isMeant($0) }.map { String($0.person) })
    }
    switch kind {
    case .active: return people(\.isActive)
    case .inApp: return people { $0.surface == "APP" }
    case .inKeyboard: return people { $0.surface == "KEYBOARD" }
    case .ai: return people { $0.type.hasPrefix("AI_FEATURE_") }
    case .viewed: return people { $0.type == "PURCHASE_VIEWED" }
    case .started: return people { $0.type == "PURCHASE_STARTED" }
    case .cancelled: return people { $0.type == "PURCHASE_CANCELLED" }
    case .reporting:
      return Set(summaries.filter { !$0.isErased && days.contains($0.day) }.map { String($0.person) })
    case .spending:
      return Set(settlements.filter { days.contains($0.day) }.compactMap(\.account))
    case .purchasing:
      return Set(transactions.filter { $0.isProduction && days.contains($0.purchaseDay) }.compactMap(\.account))
    }
  }

  /// The first day of any data.
  var firstDay: Int? {
    (Array(eventsByDay.keys) + summaries.map(\.day)).min()
  }

  /// How many there are in a period, as far as the server can still know: nil where it can't.
  func distinct(_ kind: Distinct, _ days: ClosedRange<Int>) -> Int? {
    guard let firstDay, days.upperBound >= firstDay else { return 0 }
    let part = max(firstDay, days.lowerBound)...days.upperBound
    for range in [days, part] {
      guard let seal = sealed[range.upperBound] else { break }
      switch (range.count, kind) {
      case (1, _): return seal.counts[kind]
      case (7, .active): return seal.weekly
      case (28, .active): return seal.monthly
      default: break
      }
    }
    return part.lowerBound >= today - Self.keptDays ? who(kind, days).count : nil
  }

  /// First opens of a day whose installations are stored, by channel: with what became of them.
  func cohorts(_ day: Int) -> [String: SealedCohort] {
    if let sealed = sealedCohorts[day] { return sealed }
    var cohorts: [String: SealedCohort] = [:]
    for open in events(day...day) where open.type == "FIRST_OPEN" && !open.isErased {
      let channel = open.item["acquisitionChannel"]!
      var cohort = cohorts[channel] ?? SealedCohort()
      cohort.size += 1
      let own = (day...(day + 29)).flatMap { eventsByDay[$0] ?? [] }.map { events[$0] }
        .filter { $0.person == open.person && !$0.isErased }
      let end = open.occurredAt + 7 * ReportCalendar.microseconds
      let isActivated = own.contains {
        $0.type == "AI_FEATURE_SUCCEEDED" && $0.occurredAt >= open.occurredAt && $0.occurredAt <= end
      }
      if isActivated { cohort.activated += 1 }
      for days in Self.retentionDays where own.contains(where: { $0.isActive && $0.day == day + days }) {
        cohort.retained[days, default: 0] += 1
      }
      cohorts[channel] = cohort
    }
    return cohorts
  }

  /// Keeps what there is of the days that can take no more, as retention does.
  mutating func seal() {
    guard let firstDay else { return }
    let last = (now - 3_600_000_000) / ReportCalendar.microseconds - 36
    let first = sealed.keys.max().map { $0 + 1 } ?? firstDay
    guard first <= last else { return }
    for day in first...last {
      let counts = Distinct.allCases.map { ($0, who($0, day...day).count) }
      let cohorts = cohorts(day - 28)
      sealed[day] = SealedDay(
        counts: Dictionary(uniqueKeysWithValues: counts), weekly: who(.active, (day - 6)...day).count,
        monthly: who(.active, (day - 27)...day).count)
      sealedCohorts[day - 28] = cohorts
    }
  }
}
