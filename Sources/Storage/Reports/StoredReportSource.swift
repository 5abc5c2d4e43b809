import AnalyticsContract
import Reporting

/// What reports read of a database, in a transaction that sees it as it is at one moment. The statements are those of both
/// databases.
struct StoredReportSource<Runner: StatementRunner>: ReportSource {
  let runner: Runner

  func bounds() throws(Runner.Failure) -> DataBounds {
    let row = try runner.select(
      """
      SELECT \(Runner.firstDay), (SELECT min(settled_at) FROM settlements), (SELECT min(purchased_at) FROM storekit_transactions),
        (SELECT max(day) - \(Sealing<Runner>.cohortDays) FROM sealed_days)
      """, [], [.bigint, .bigint, .bigint, .bigint])[0]
    var bounds = DataBounds()
    bounds.firstDay = row[0].integer.map { CalendarDay(daysSince1970: Int32(clamping: $0)) }
    bounds.firstSettlement = row[1].instant?.day
    bounds.firstPurchase = row[2].instant?.day
    bounds.cohortsSealedThrough = row[3].integer.map { CalendarDay(daysSince1970: Int32(clamping: $0)) }
    return bounds
  }

  func eventTotals(_ query: EventTotalsQuery, _ body: (EventTotal) -> Void) throws(Runner.Failure) {
    let columns = query.columns
    let keys = (["day", "event_type"] + columns.map(\.name)).joined(separator: ", ")
    let types = query.types.map { String($0.code) }.joined(separator: ", ")
    // Each day and type is looked up by itself: a range of days would mean to read all types of each.
    let days = query.days.days.map { String($0.daysSince1970) }.joined(separator: ", ")
    let groups = !Runner.isEmbedded || query.isPrefixOfKey
    try runner.scan(
      """
      SELECT \(keys), \(groups ? "CAST(sum(event_count) AS bigint)" : "event_count")
      FROM \(Runner.source(of: .events)) WHERE day IN (\(days)) AND event_type IN (\(types))
      \(groups ? "GROUP BY \(keys)" : "")
      """, []
    ) { row in
      guard let type = EventType(rawValue: row.code(1)) else { return }
      var total = EventTotal(day: row.day(0), type: type, count: row.integer(2 + columns.count))
      for (position, column) in columns.enumerated() {
        switch column {
        case .surface: total.surface = row.code(2 + position)
        case .dimension(let dimension): total.codes[Int(dimension.rawValue)] = row.code(2 + position)
        case .appVersion: total.appVersion = row.text(2 + position)
        }
      }
      body(total)
    }
  }

  func usageTotals(
    _ days: ClosedRange<CalendarDay>, _ body: (CalendarDay, [Int64]) -> Void
  ) throws(Runner.Failure) {
    let sums = UsageCounter.allCases.map { "CAST(sum(\($0.column)) AS bigint)" }.joined(separator: ", ")
    try runner.scan(
      "SELECT day, \(sums) FROM \(Runner.source(of: .usage)) WHERE \(Self.isBetween("day")) GROUP BY day",
      Self.parameters(days)
    ) { row in body(row.day(0), UsageCounter.allCases.map { row.integer(1 + $0.rawValue) }) }
  }

  func receiptTotals(_ days: ClosedRange<CalendarDay>, _ body: (ReceiptTotal) -> Void) throws(Runner.Failure) {
    try runner.scan(
      """
      SELECT day, endpoint, outcome, lateness, app_version, CAST(sum(item_count) AS bigint)
      FROM \(Runner.source(of: .receipts)) WHERE \(Self.isBetween("day"))
      GROUP BY day, endpoint, outcome, lateness, app_version
      """, Self.parameters(days)
    ) { row in
      body(
        ReceiptTotal(
          day: row.day(0), isEvent: row.code(1) == IngestionEndpoint.events.code,
          isAccepted: row.integer(2) == ReceiptOutcome.accepted.rawValue, lateness: row.code(3),
          appVersion: row.text(4), count: row.integer(5)))
    }
  }

  func rejectionTotals(
    _ days: ClosedRange<CalendarDay>, _ body: (CalendarDay, Int, Int64) -> Void
  ) throws(Runner.Failure) {
    try runner.scan(
      """
      SELECT day, status, CAST(sum(batch_count) AS bigint) FROM \(Runner.source(of: .rejections))
      WHERE \(Self.isBetween("day")) AND status BETWEEN 400 AND 499 GROUP BY day, status
      """, Self.parameters(days)
    ) { row in body(row.day(0), Int(row.integer(1)), row.integer(2)) }
  }

  func sets(
    _ kinds: Set<SetKind>, _ days: ClosedRange<CalendarDay>, _ body: (SetKey, InstallationSet) -> Void
  ) throws(Runner.Failure) {
    try StoredSets(runner: runner).read(kinds, days, body)
  }

  func sealedDays(_ days: ClosedRange<CalendarDay>, _ body: (SealedDay) -> Void) throws(Runner.Failure) {
    let counts: [(DistinctCount, String)] = [
      (.active, "active_installations"), (.activeInApp, "active_in_app"), (.activeInKeyboard, "active_in_keyboard"),
      (.ai, "ai_active_installations"), (.purchaseViewed, "purchase_viewed_installations"),
      (.purchaseStarted, "purchase_started_installations"), (.purchaseCancelled, "purchase_cancelled_installations"),
      (.reporting, "reporting_installations"), (.spendingAccounts, "spending_accounts"),
      (.purchasingAccounts, "purchasing_accounts"),
    ]
    try runner.scan(
      """
      SELECT day, weekly_active, monthly_active, \(counts.map(\.1).joined(separator: ", ")) FROM sealed_days
      WHERE \(Self.isBetween("day"))
      """, Self.parameters(days)
    ) { row in
      var values: [DistinctCount: Int64] = [:]
      for (position, count) in counts.enumerated() { values[count.0] = row.integer(3 + position) }
      body(
        SealedDay(day: row.day(0), counts: values, weeklyActive: row.integer(1), monthlyActive: row.integer(2)))
    }
  }

  func sealedCohorts(_ days: ClosedRange<CalendarDay>, _ body: (SealedCohort) -> Void) throws(Runner.Failure) {
    let retained = ReportDefinition.retentionDays.map { "retained_\($0)" }.joined(separator: ", ")
    try runner.scan(
      "SELECT day, acquisition_channel, size, activated, \(retained) FROM sealed_cohorts WHERE \(Self.isBetween("day"))",
      Self.parameters(days)
    ) { row in
      body(
        SealedCohort(
          day: row.day(0), channel: row.code(1), size: row.integer(2), activated: row.integer(3),
          retained: ReportDefinition.retentionDays.indices.map { row.integer(4 + $0) }))
    }
  }

  static func isBetween(_ column: String) -> String {
    "\(column) BETWEEN CAST($1 AS bigint) AND CAST($2 AS bigint)"
  }

  static func parameters(_ days: ClosedRange<CalendarDay>) -> [StoredValue] {
    [StoredValue(days.lowerBound), StoredValue(days.upperBound)]
  }
}

extension EventTotalsQuery {
  fileprivate enum Column {
    case surface, dimension(Dimension), appVersion

    var name: String {
      switch self {
      case .surface: "surface"
      case .dimension(.acquisitionChannel): "acquisition_channel"
      case .dimension(.feature): "feature"
      case .dimension(.executionMode): "execution_mode"
      case .dimension(.failureCategory): "failure_category"
      case .dimension(.durationBucket): "duration_bucket"
      case .appVersion: "app_version"
      }
    }
  }

  /// Whether what is asked for is how the table's key begins, so that grouping by it needs no sorting.
  fileprivate var isPrefixOfKey: Bool {
    if !bySurface { return dimensions.isEmpty && !byAppVersion }
    let first = Dimension.allCases.prefix(dimensions.count)
    return dimensions == Set(first) && (!byAppVersion || dimensions.count == Dimension.allCases.count)
  }

  /// In the order of the table's key.
  fileprivate var columns: [Column] {
    (bySurface ? [.surface] : []) + Dimension.allCases.filter(dimensions.contains).map { .dimension($0) }
      + (byAppVersion ? [.appVersion] : [])
  }
}
