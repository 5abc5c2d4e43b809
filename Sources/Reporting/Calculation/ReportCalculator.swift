import AnalyticsContract

/// Calculates reports from a database as it is at one moment.
public struct ReportCalculator<Source: ReportSource> {
  private let source: Source
  private let now: Instant
  /// The first day of which all identity is there.
  private let retainedFrom: CalendarDay

  /// - Parameters:
  ///   - source: the database.
  ///   - now: the server's clock.
  ///   - retainedFrom: the first day of which the identity of all installations is retained.
  public init(source: Source, now: Instant, retainedFrom: CalendarDay) {
    self.source = source
    self.now = now
    self.retainedFrom = retainedFrom
  }

  /// Calculates a report.
  /// - Parameters:
  ///   - report: the report.
  ///   - query: what it is asked about.
  /// - Returns: the answer.
  /// - Throws: where the database can't be read.
  public func answer(_ report: Report, _ query: ReportQuery) throws(Source.Failure) -> ReportAnswer {
    var answer = ReportAnswer(report: report, query: query, generatedAt: now)
    let bounds = try source.bounds()
    if report.definition.hasCohorts {
      try calculateCohorts(&answer, bounds)
    } else {
      try calculateFigures(&answer, bounds)
    }
    return answer
  }

  private func calculateFigures(_ answer: inout ReportAnswer, _ bounds: DataBounds) throws(Source.Failure) {
    let definition = answer.report.definition
    let range = answer.query.range
    let metrics = answer.seriesMetrics
    let previous =
      definition.hasPreviousTotals
      ? range.lowerBound.advanced(by: -Int32(range.dayCount))...range.lowerBound.advanced(by: -1) : nil
    let days = (previous?.lowerBound ?? range.lowerBound)...range.upperBound

    var needs = Needs()
    for metric in metrics { needs.add(metric) }
    let counted = definition.breakdowns.filter { !$0.countsInstallations }
    for metric in counted.flatMap(\.metrics) { needs.add(metric) }
    var table = DayTable(needs.series, days: days, range: range)
    try table.load(from: source, Set(counted.map(\.dimension)))
    let reach = days.lowerBound.advanced(by: -needs.trailingDays)...days.upperBound
    let figures = Figures(
      table: table,
      distinct: try DistinctCounts(
        needs.distinct, over: reach, retainedFrom: retainedFrom, bounds: bounds, from: source),
      cohorts: needs.activation
        ? try CohortCounts(
          of: days, withRetention: false, today: now.day, retainedFrom: retainedFrom, bounds: bounds, from: source)
        : nil)

    answer.totals = definition.metrics.map { figures.value($0, range) }
    answer.previousTotals = previous.map { previous in definition.metrics.map { figures.value($0, previous) } }
    answer.series = Period.all(in: range, answer.query.granularity).map { period in
      ReportAnswer.Row(period: period, values: metrics.map { figures.value($0, period.days) })
    }
    for breakdown in definition.breakdowns {
      answer.breakdowns.append(
        breakdown.countsInstallations
          ? try installations(by: breakdown, range, bounds, &answer.unavailable)
          : BreakdownTable(breakdown: breakdown, figures: figures, range: range).rows)
    }
    note(figures, metrics, &answer)
  }

  /// Notes which metrics have no value because identity has gone. A rate has none either where its denominator is 0, so
  /// that rates are judged by what they are made of.
  private func note(_ figures: Figures, _ metrics: [Metric], _ answer: inout ReportAnswer) {
    let ranges = [answer.query.range] + answer.series.map(\.period.days)
    for metric in metrics where ranges.contains(where: { figures.isUnavailable(metric, $0) }) {
      answer.unavailable.insert(metric.name)
    }
    if answer.previousTotals != nil {
      let range = answer.query.range
      let previous = range.lowerBound.advanced(by: -Int32(range.dayCount))...range.lowerBound.advanced(by: -1)
      for metric in answer.report.definition.metrics where figures.isUnavailable(metric, previous) {
        answer.unavailable.insert(metric.name)
      }
    }
  }

  private func calculateCohorts(_ answer: inout ReportAnswer, _ bounds: DataBounds) throws(Source.Failure) {
    let cohorts = try CohortCounts(
      of: answer.query.range, withRetention: true, today: now.day, retainedFrom: retainedFrom, bounds: bounds,
      from: source)
    for period in Period.all(in: answer.query.range, answer.query.granularity) {
      let size = cohorts.size(period.days)
      if size == nil { answer.unavailable.insert("size") }
      answer.cohorts.append(
        ReportAnswer.Cohort(
          period: period, size: MetricValue(size),
          retained: ReportDefinition.retentionDays.indices.map { MetricValue(cohorts.retained(period.days, $0)) }))
    }
  }

  /// Distinct installations by version: each version's set is a union over the days of the range.
  private func installations(
    by breakdown: ReportDefinition.Breakdown, _ range: ClosedRange<CalendarDay>, _ bounds: DataBounds,
    _ unavailable: inout Set<String>
  ) throws(Source.Failure) -> [ReportAnswer.BreakdownRow] {
    guard let first = bounds.firstDay, range.upperBound >= first else { return [] }
    guard max(range.lowerBound, first) >= retainedFrom else {
      unavailable.formUnion(breakdown.metrics.map(\.name))
      return []
    }
    var sets: [String: InstallationSet] = [:]
    let kind: SetKind = breakdown.dimension == .appVersion ? .appVersion : .osVersion
    try source.sets([kind], max(range.lowerBound, first)...range.upperBound) { key, set in
      if let union = sets[key.label] { union.formUnion(set) } else { sets[key.label] = set }
    }
    return VersionRanking(sets.filter { !$0.value.isEmpty }.map { ($0.key, $0.value.count) }).rows { versions in
      [.integer(InstallationSet.union(versions.map { sets[$0]! }).count)]
    }
  }
}

extension ReportDefinition.Breakdown {
  /// Whether its rows count distinct installations: they come from sets, not from counts.
  var countsInstallations: Bool {
    metrics.contains { if case .distinct = $0.calculation { true } else { false } }
  }
}

extension MetricValue {
  init(_ value: Int64?) { self = value.map { .integer($0) } ?? .null }
}

/// What has to be read for some metrics.
private struct Needs {
  var series: Set<DaySeries> = []
  var distinct: Set<DistinctCount> = []
  var activation = false
  /// How many days before the first are needed.
  var trailingDays: Int32 = 0

  mutating func add(_ metric: Metric) {
    switch metric.calculation {
    case .sum(let series): self.series.formUnion(series)
    case .activated: activation = true
    case .distinct(let count): distinct.insert(count)
    case .trailing(let days):
      distinct.insert(.active)
      trailingDays = max(trailingDays, days - 1)
    case .stickiness:
      distinct.insert(.active)
      trailingDays = max(trailingDays, Figures.stickinessDays - 1)
    case .ratio(let left, let right):
      for metric in left + right { add(metric) }
    case .difference(let left, let right):
      add(left)
      add(right)
    }
  }
}
