import AnalyticsContract
import Reporting
import ServerFacts

// What the account server states, read from the tables that it may also write itself.

extension StoredReportSource {
  func dayCounts(
    _ counts: DayCountSource, _ days: ClosedRange<CalendarDay>, _ body: (CalendarDay, Int64, Int64) -> Void
  ) throws(Runner.Failure) {
    let sql: String
    switch counts {
    case .linkedInstallations:
      sql = """
        SELECT day, CAST(sum(installation_count) AS bigint), 0 FROM \(Runner.source(of: .links))
        WHERE \(Self.isBetween("day")) GROUP BY day
        """
    case .invitationViews:
      sql = """
        SELECT day, CAST(sum(view_count) AS bigint), 0 FROM \(Runner.source(of: .invitations))
        WHERE \(Self.isBetween("day")) GROUP BY day
        """
    case .registrations:
      // Those whose account has been deleted since are counted by day alone.
      try runner.scan(
        "SELECT day, account_count FROM deleted_registration_day_totals WHERE \(Self.isBetween("day"))",
        Self.parameters(days)
      ) { row in body(row.day(0), row.integer(1), 0) }
      sql = Self.byDay("accounts", "created_at", "0")
    case .bound: sql = Self.byDay("referrals", "bound_at", "0")
    case .qualified: sql = Self.byDay("referrals", "qualified_at", "0")
    case .rewarded: sql = Self.byDay("referrals", "rewarded_at", "CAST(coalesce(sum(credits), 0) AS bigint)")
    }
    let isByInstant = ![.linkedInstallations, .invitationViews].contains(counts)
    try runner.scan(sql, isByInstant ? Self.instants(days) : Self.parameters(days)) { row in
      body(row.day(0), row.integer(1), row.integer(2))
    }
  }

  func settlements(
    _ days: ClosedRange<CalendarDay>, _ body: (CalendarDay, UInt8, Int64, Int64) -> Void
  ) throws(Runner.Failure) {
    if Runner.isEmbedded {
      var sums = [(count: Int64, credits: Int64)](repeating: (0, 0), count: days.dayCount * 256)
      let first = days.lowerBound.daysSince1970
      try runner.scan(
        "SELECT settled_at, feature, credits FROM settlements WHERE \(Self.isWithin("settled_at"))", Self.instants(days)
      ) { row in
        let day = Instant(microseconds: row.integer(0)).day.daysSince1970 - first
        let position = Int(day) * 256 + Int(row.code(1))
        sums[position].count += 1
        sums[position].credits += row.integer(2)
      }
      for (position, sum) in sums.enumerated() where sum.count != 0 {
        body(days.lowerBound.advanced(by: Int32(position / 256)), UInt8(position % 256), sum.count, sum.credits)
      }
    } else {
      try runner.scan(
        """
        SELECT settled_at / \(CalendarDay.microseconds) AS day, feature, count(*), CAST(sum(credits) AS bigint)
        FROM settlements WHERE \(Self.isWithin("settled_at")) GROUP BY 1, 2
        """, Self.instants(days)
      ) { row in body(row.day(0), row.code(1), row.integer(2), row.integer(3)) }
    }
  }

  func transactions(
    _ days: ClosedRange<CalendarDay>, _ body: (TransactionTotal) -> Void
  ) throws(Runner.Failure) {
    for (column, isRefund) in [("purchased_at", false), ("refunded_at", true)] {
      try runner.scan(
        """
        SELECT \(column) / \(CalendarDay.microseconds) AS day, currency, product_id, count(*),
          CAST(coalesce(sum(price), 0) AS bigint)
        FROM storekit_transactions
        WHERE \(Self.isWithin(column)) AND environment = \(StoreKitEnvironment.production.rawValue) GROUP BY 1, 2, 3
        """, Self.instants(days)
      ) { row in
        body(
          TransactionTotal(
            day: row.day(0), isRefund: isRefund, currency: row.isNull(1) ? nil : row.text(1), product: row.text(2),
            count: row.integer(3), price: row.integer(4)))
      }
    }
  }

  func accounts(
    _ source: AccountSource, _ days: ClosedRange<CalendarDay>, _ body: (CalendarDay, UInt32) -> Void
  ) throws(Runner.Failure) {
    let (table, column, condition) =
      switch source {
      case .settlements: ("settlements", "settled_at", "")
      case .purchases:
        ("storekit_transactions", "purchased_at", "AND environment = \(StoreKitEnvironment.production.rawValue)")
      }
    var numbers: [UUIDValue: UInt32] = [:]
    try runner.scan(
      """
      SELECT \(column), account_id FROM \(table)
      WHERE \(Self.isWithin(column)) AND account_id IS NOT NULL \(condition)
      """, Self.instants(days)
    ) { row in
      guard let account = UUIDValue(bytes: row.bytes(1)) else { return }
      let number = numbers[account] ?? UInt32(numbers.count)
      numbers[account] = number
      body(Instant(microseconds: row.integer(0)).day, number)
    }
  }

  private static func byDay(_ table: String, _ column: String, _ sum: String) -> String {
    """
    SELECT \(column) / \(CalendarDay.microseconds) AS day, count(*), \(sum) FROM \(table)
    WHERE \(isWithin(column)) GROUP BY 1
    """
  }

  private static func isWithin(_ column: String) -> String {
    "\(column) >= CAST($1 AS bigint) AND \(column) < CAST($2 AS bigint)"
  }

  private static func instants(_ days: ClosedRange<CalendarDay>) -> [StoredValue] {
    [StoredValue(days.lowerBound.start), StoredValue(days.upperBound.advanced(by: 1).start)]
  }
}
