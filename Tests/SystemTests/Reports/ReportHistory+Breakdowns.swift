import TestSupport

/// The breakdowns of each report, recounted from what was sent, and the whole report.
extension ReportHistory {
  typealias Breakdown = (name: String, rows: [(key: String?, row: FigureRow)]?)

  /// A report as it must be answered now.
  func report(_ name: String, _ from: Int, _ to: Int, _ granularity: ReportGranularity) -> ExpectedReport {
    var report = ExpectedReport(name: name, from: from, to: to, granularity: granularity, generatedAt: now)
    let days = from...to
    let periods = granularity.periods(from, to)
    if name == "retention" {
      report.cohorts = periods.map { period in
        let cohorts = period.days.flatMap { self.cohorts($0).values }
        let retained = Self.retentionDays.map { day in
          // The day must be over for the whole cohort.
          let isOver = today > period.days.upperBound + day
          return (days: day, count: isOver ? Figure.count(cohorts.map { $0.retained[day] ?? 0 }.reduce(0, +)) : .null)
        }
        return (period.name, cohorts.map(\.size).reduce(0, +), retained)
      }
      return report
    }
    report.totals = row(name, days)
    if name == "overview" { report.previousTotals = row(name, (from - days.count)...(from - 1)) }
    report.series = periods.map { period in
      var row = row(name, period.days)
      if name == "engagement", granularity == .day { row.figures += trailing(period.days.lowerBound).figures }
      return (period.name, row)
    }
    report.breakdowns = breakdowns(name, days)
    return report
  }

  private func breakdowns(_ report: String, _ days: ClosedRange<Int>) -> [Breakdown] {
    switch report {
    case "acquisition": [("channel", WireCatalog.dimensions["acquisitionChannel"]!.map { ($0, channel($0, days)) })]
    case "engagement": ["appVersion", "osVersion"].map { ($0, activeVersions($0, days)) }
    case "ai": ai(days)
    case "credits":
      [
        (
          "feature",
          WireCatalog.dimensions["feature"]!.map { feature in
            let own = settled(days).filter { $0.feature == feature }
            let sum = own.map(\.credits).reduce(0, +)
            return (feature, FigureRow(["creditsConsumed": .count(sum), "settlements": .count(own.count)]))
          }
        )
      ]
    case "monetization": [("currency", currencies(days)), ("product", products(days))]
    case "quality": quality(days)
    default: []
    }
  }

  private func channel(_ channel: String, _ days: ClosedRange<Int>) -> FigureRow {
    let opens = number("FIRST_OPEN", days) { $0.item["acquisitionChannel"] == channel }
    let activated = days.map { cohorts($0)[channel]?.activated ?? 0 }.reduce(0, +)
    return FigureRow([
      "firstOpens": .count(opens), "activatedInstallations": .count(activated),
      "activationRate": .ratio(activated, opens),
    ])
  }

  private func activeVersions(_ member: String, _ days: ClosedRange<Int>) -> [(key: String?, row: FigureRow)]? {
    guard let firstDay, days.upperBound >= firstDay else { return [] }
    guard max(firstDay, days.lowerBound) >= today - Self.keptDays else { return nil }
    let active = events(days).filter { !$0.isErased && $0.isActive }
    return ranked(active, by: { $0.item[member] }, weight: { Set($0.map(\.person)).count }) {
      FigureRow(["activeInstallations": .count(Set($0.map(\.person)).count)])
    }
  }

  private func ai(_ days: ClosedRange<Int>) -> [Breakdown] {
    func catalog(_ member: String, _ keys: [String]) -> Breakdown {
      (member, keys.map { key in (key, outcomes(days) { $0.item[member] == key }) })
    }
    func counts(_ member: String, of type: String) -> Breakdown {
      let keys = WireCatalog.dimensions[member]!
      return (
        member, keys.map { key in (key, FigureRow(["count": .count(number(type, days) { $0.item[member] == key })])) }
      )
    }
    let ended = events(days).filter {
      $0.type == "AI_FEATURE_SUCCEEDED"
        || $0.type == "AI_FEATURE_FAILED" && $0.item["failureCategory"] != "CANCELLED"
    }
    let versions = ranked(ended, by: \.appVersion, weight: \.count) { own in
      let succeeded = own.filter { $0.type == "AI_FEATURE_SUCCEEDED" }.count
      return FigureRow(["succeeded": .count(succeeded), "failed": .count(own.count - succeeded)])
    }
    return [
      catalog("feature", WireCatalog.dimensions["feature"]!),
      catalog("executionMode", WireCatalog.dimensions["executionMode"]!), catalog("surface", WireCatalog.surfaces),
      counts("failureCategory", of: "AI_FEATURE_FAILED"), counts("durationBucket", of: "AI_FEATURE_SUCCEEDED"),
      ("appVersion", versions),
    ]
  }

  private func currencies(_ days: ClosedRange<Int>) -> [(key: String?, row: FigureRow)] {
    let (bought, returned) = (purchased(days), refunded(days))
    return byBytes((bought + returned).compactMap(\.currency)).map { currency in
      let (own, back) = (bought.filter { $0.currency == currency }, returned.filter { $0.currency == currency })
      let (gross, refunds) = (own.map { $0.price ?? 0 }.reduce(0, +), back.map { $0.price ?? 0 }.reduce(0, +))
      return (
        currency,
        FigureRow([
          "purchases": .count(own.count), "gross": .money(gross), "refunded": .money(refunds),
          "net": .money(gross - refunds),
        ])
      )
    }
  }

  private func products(_ days: ClosedRange<Int>) -> [(key: String?, row: FigureRow)] {
    let (bought, returned) = (purchased(days), refunded(days))
    return byBytes((bought + returned).map(\.product)).map { product in
      (
        product,
        FigureRow([
          "purchases": .count(bought.filter { $0.product == product }.count),
          "refunds": .count(returned.filter { $0.product == product }.count),
        ])
      )
    }
  }

  private func quality(_ days: ClosedRange<Int>) -> [Breakdown] {
    let reasons = [
      "invalid_request", "unauthorized", "method_not_allowed", "request_timeout", "conflict", "payload_too_large",
      "unsupported_media_type", "validation_failed", "rate_limited",
    ]
    let refused = rejections.filter { days.contains($0.day) }
    let received = events.filter { days.contains($0.receivedAt / ReportCalendar.microseconds) }
    let minute = 60_000_000
    let bounds = [
      ("LT_1M", Int.min..<minute), ("LT_1H", minute..<60 * minute), ("LT_1D", 60 * minute..<1440 * minute),
      ("LT_7D", 1440 * minute..<7 * 1440 * minute), ("GTE_7D", 7 * 1440 * minute..<Int.max),
    ]
    return [
      (
        "reason",
        reasons.map { reason in
          (reason, FigureRow(["rejectedBatches": .count(refused.filter { $0.code == reason }.count)]))
        }
      ),
      (
        "lateness",
        bounds.map { name, bound in
          let own = received.filter { bound.contains($0.receivedAt - $0.occurredAt) }
          return (name, FigureRow(["accepted": .count(own.count)]))
        }
      ),
      ("appVersion", ranked(received, by: \.appVersion, weight: \.count) { FigureRow(["accepted": .count($0.count)]) }),
    ]
  }

  private func byBytes(_ keys: [String]) -> [String] {
    Set(keys).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }

  /// The twenty largest groups, the rest as one, and those without a key.
  private func ranked(
    _ events: [TakenEvent], by key: (TakenEvent) -> String?, weight: ([TakenEvent]) -> Int,
    row: ([TakenEvent]) -> FigureRow
  ) -> [(key: String?, row: FigureRow)] {
    let groups = Dictionary(grouping: events, by: key)
    let named = byBytes(groups.keys.compactMap { $0 }).map { ($0, groups[$0]!, weight(groups[$0]!)) }
    let sorted = named.enumerated().sorted {
      $0.element.2 == $1.element.2 ? $0.offset < $1.offset : $0.element.2 > $1.element.2
    }.map(\.element)
    var rows: [(key: String?, row: FigureRow)] = sorted.prefix(20).map { ($0.0, row($0.1)) }
    if sorted.count > 20 { rows.append(("OTHER", row(sorted.dropFirst(20).flatMap(\.1)))) }
    if let without = groups[nil] { rows.append((nil, row(without))) }
    return rows
  }
}
