import AnalyticsContract

extension DayTable {
  /// Reads what the series and the breakdowns by some dimensions need, each source once.
  mutating func load<Source: ReportSource>(
    from source: Source, _ dimensions: Set<BreakdownDimension>
  ) throws(Source.Failure) {
    try loadEvents(from: source, dimensions)
    try loadUsage(from: source)
    try loadReceipts(from: source, dimensions)
    try loadFacts(from: source, dimensions)
  }

  private mutating func loadEvents<Source: ReportSource>(
    from source: Source, _ dimensions: Set<BreakdownDimension>
  ) throws(Source.Failure) {
    let selections = eventSelections
    if selections.isEmpty { return }
    let types = Set(selections.map(\.selection.type)).sorted { $0.code < $1.code }
    var query = EventTotalsQuery(days: days, types: types)
    if selections.contains(where: { $0.selection.isCancelled != nil }) { query.dimensions.insert(.failureCategory) }
    if selections.contains(where: { $0.selection.mode != nil }) { query.dimensions.insert(.executionMode) }
    let closed = dimensions.compactMap { dimension in dimension.eventDimension.map { (dimension, $0) } }
    query.dimensions.formUnion(closed.map(\.1))
    query.bySurface = dimensions.contains(.surface)
    query.byAppVersion = dimensions.contains(.appVersion)
    // Rows are many: what they are added to is gathered in arrays, by code.
    var broken = closed.map { _ in [[Int64]](repeating: [Int64](repeating: 0, count: 256), count: selections.count) }
    var surfaces = [[Int64]](repeating: [Int64](repeating: 0, count: 256), count: selections.count)
    var versions = CountsByText(width: selections.count)
    var counted = [[Int64]](repeating: [Int64](repeating: 0, count: days.dayCount), count: selections.count)
    let matching = MatchingSelections(selections.map(\.selection))
    let (bySurface, byAppVersion) = (query.bySurface, query.byAppVersion)
    let (days, range) = (days, range)
    try source.eventTotals(query) { total in
      let isInRange = range.contains(total.day)
      let day = days.position(of: total.day)
      if byAppVersion { versions.select(total.appVersion) }
      for index in matching.positions(total) {
        counted[index][day] += total.count
        guard isInRange else { continue }
        for (position, dimension) in closed.enumerated() {
          broken[position][index][Int(total.code(of: dimension.1))] += total.count
        }
        if bySurface { surfaces[index][Int(total.surface)] += total.count }
        if byAppVersion {
          versions.add(total.count, at: index)
        }
      }
    }
    for (index, selection) in selections.enumerated() {
      for (offset, day) in days.days.enumerated() { add(counted[index][offset], to: selection.position, on: day) }
      for code in UInt8(1)...255 {
        for (position, dimension) in closed.enumerated() where broken[position][index][Int(code)] != 0 {
          add(broken[position][index][Int(code)], to: selection.position, dimension.0, .code(code))
        }
        if surfaces[index][Int(code)] != 0 {
          add(surfaces[index][Int(code)], to: selection.position, .surface, .code(code))
        }
      }
      for (version, count) in versions.counts(at: index) where count != 0 {
        add(count, to: selection.position, .appVersion, .text(version))
      }
    }
  }

  private mutating func loadUsage<Source: ReportSource>(from source: Source) throws(Source.Failure) {
    guard UsageCounter.allCases.contains(where: { position(of: .usage($0)) != nil }) else { return }
    try source.usageTotals(days) { day, counts in
      for counter in UsageCounter.allCases { add(counts[counter.rawValue], to: .usage(counter), on: day) }
    }
  }

  private mutating func loadReceipts<Source: ReportSource>(
    from source: Source, _ dimensions: Set<BreakdownDimension>
  ) throws(Source.Failure) {
    if [.acceptedItems, .acceptedEvents, .replayedItems].contains(where: { position(of: $0) != nil }) {
      try source.receiptTotals(days) { total in
        if total.isAccepted {
          add(total.count, to: .acceptedItems, on: total.day)
        } else {
          add(total.count, to: .replayedItems, on: total.day)
        }
        if total.isEvent, total.isAccepted {
          add(
            total.count, to: .acceptedEvents, on: total.day,
            [(.lateness, .code(total.lateness)), (.appVersion, .text(total.appVersion))])
        }
      }
    }
    if position(of: .rejectedBatches) != nil {
      try source.rejectionTotals(days) { day, status, count in
        add(count, to: .rejectedBatches, on: day, [(.reason, .status(status))])
      }
    }
  }

  private mutating func loadFacts<Source: ReportSource>(
    from source: Source, _ dimensions: Set<BreakdownDimension>
  ) throws(Source.Failure) {
    for counts in DayCountSource.allCases where position(of: counts.series) != nil {
      try source.dayCounts(counts, days) { day, count, credits in
        add(count, to: counts.series, on: day)
        if counts == .rewarded { add(credits, to: .creditsAwarded, on: day) }
      }
    }
    if position(of: .settlements) != nil || position(of: .credits) != nil {
      try source.settlements(days) { day, feature, count, credits in
        add(count, to: .settlements, on: day, [(.feature, .code(feature))])
        add(credits, to: .credits, on: day, [(.feature, .code(feature))])
      }
    }
    if position(of: .purchases) != nil || position(of: .refunds) != nil {
      try source.transactions(days) { total in
        var keys: [(BreakdownDimension, BreakdownKey)] = [(.product, .text(total.product))]
        if let currency = total.currency { keys.append((.currency, .text(currency))) }
        add(total.count, to: total.isRefund ? .refunds : .purchases, on: total.day, keys)
        add(total.price, to: total.isRefund ? .refunded : .gross, on: total.day, keys)
      }
    }
  }
}

extension DayCountSource {
  fileprivate var series: DaySeries {
    switch self {
    case .registrations: .registrations
    case .linkedInstallations: .linkedInstallations
    case .invitationViews: .invitationViews
    case .bound: .bound
    case .qualified: .qualified
    case .rewarded: .rewarded
    }
  }
}

/// Which selections events are in, looked up by what selections tell apart.
private struct MatchingSelections {
  private static let modes = Int(ExecutionMode.allCases.map(\.code).max() ?? 0) + 1
  private var positions: [[Int]]

  init(_ selections: [EventSelection]) {
    positions = [[Int]](repeating: [], count: (Int(EventType.allCases.map(\.code).max() ?? 0) + 1) * 2 * Self.modes)
    for type in EventType.allCases {
      for isCancelled in [false, true] {
        for mode in 0..<Self.modes {
          var total = EventTotal(day: CalendarDay(daysSince1970: 0), type: type, count: 0)
          total.codes[Int(Dimension.executionMode.rawValue)] = UInt8(mode)
          if isCancelled {
            total.codes[Int(Dimension.failureCategory.rawValue)] = FailureCategory.cancelled.code
          }
          positions[Self.place(total)] = selections.indices.filter { selections[$0].matches(total) }
        }
      }
    }
  }

  func positions(_ total: EventTotal) -> [Int] { positions[Self.place(total)] }

  private static func place(_ total: EventTotal) -> Int {
    let isCancelled = total.code(of: .failureCategory) == FailureCategory.cancelled.code
    let mode = Int(total.code(of: .executionMode))
    return (Int(total.type.code) * 2 + (isCancelled ? 1 : 0)) * modes + (mode < modes ? mode : 0)
  }
}

/// Counts by a text that is mostly that of the row before, or one of a few.
private struct CountsByText {
  private let width: Int
  private var positions: [String: Int] = [:]
  private var texts: [String] = []
  private var counts: [Int64] = []
  private var selected = 0

  init(width: Int) { self.width = width }

  mutating func select(_ text: String) {
    if selected < texts.count, texts[selected] == text { return }
    if let position = positions[text] {
      selected = position
    } else {
      selected = texts.count
      positions[text] = selected
      texts.append(text)
      counts += [Int64](repeating: 0, count: width)
    }
  }

  mutating func add(_ count: Int64, at index: Int) { counts[selected * width + index] += count }

  func counts(at index: Int) -> [(text: String, count: Int64)] {
    texts.enumerated().map { ($1, counts[$0 * width + index]) }
  }
}
