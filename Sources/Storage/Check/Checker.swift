import AnalyticsContract
import ServerFacts

/// Reads a whole database, in a transaction that sees it as it is at one moment, and counts what must not be there. The
/// statements are those of both databases.
struct Checker<Runner: StatementRunner> {
  let runner: Runner
  let now: Instant

  func findings() throws(Runner.Failure) -> [CheckFinding] {
    var findings: [CheckFinding] = []
    for rule in Self.rules(RetentionPolicy.overdue(at: now)) {
      let count = try runner.select(rule.sql, rule.parameters, [.bigint])[0][0].integer ?? 0
      findings.append(CheckFinding(rule: rule.name, violations: count))
    }
    for column in Self.texts {
      let condition = Runner.isOutsideAlphabet(column.name, maximumLength: column.maximumLength)
      let count = try runner.select("SELECT count(*) FROM \(column.table) WHERE \(condition)", [], [.bigint])
      findings.append(
        CheckFinding(
          rule: "\(column.table).\(column.name) holds nothing but A-Z a-z 0-9 . - _ +",
          violations: count[0][0].integer ?? 0))
    }
    findings.append(CheckFinding(rule: "no deleted account exists", violations: try deletedAccounts()))
    findings.append(CheckFinding(rule: "totals of events are those of the events", violations: try eventTotals()))
    findings.append(
      CheckFinding(rule: "totals of keyboard usage are those of the summaries", violations: try usageTotals()))
    findings.append(
      CheckFinding(
        rule: "sets of installations are those of the events",
        violations: try SetRebuilding(runner: runner, days: SetRebuilding<Runner>.days(at: now)).differences()))
    findings.append(CheckFinding(rule: "sealed days have not changed", violations: try sealedDays()))
    return findings
  }

  private struct Rule {
    let name: String
    let sql: String
    var parameters: [StoredValue] = []
  }

  private static func rules(_ overdue: RetentionPolicy) -> [Rule] {
    orphans + duplicates + sizes + expired(overdue)
  }

  // MARK: - Nothing without what it belongs to

  private static var orphans: [Rule] {
    let items = ["events", "keyboard_summaries", "activity"].map { table in
      Rule(
        name: "every row of \(table) has its installation",
        sql: """
          SELECT count(*) FROM \(table) WHERE NOT EXISTS (
            SELECT 1 FROM installations WHERE installations.installation_key = \(table).installation_key)
          """)
    }
    let accounts = [
      ("installations", "account_id"), ("sessions", "account_id"), ("referral_codes", "account_id"),
      ("settlements", "account_id"), ("storekit_transactions", "account_id"), ("referrals", "inviter_account_id"),
      ("referrals", "invitee_account_id"),
    ].map { table, column in
      Rule(
        name: "every \(column) in \(table) is an account",
        sql: """
          SELECT count(*) FROM \(table) WHERE \(column) IS NOT NULL
            AND NOT EXISTS (SELECT 1 FROM accounts WHERE accounts.account_id = \(table).\(column))
          """)
    }
    return items + accounts
  }

  private static var duplicates: [Rule] {
    [
      ("installations", "digest"), ("events", "installation_key, client_event_id"),
      ("keyboard_summaries", "installation_key, summary_day"),
      ("keyboard_summaries", "installation_key, client_summary_id"), ("activity", "installation_key, day"),
      ("accounts", "account_id"), ("sessions", "token_digest"), ("facts", "fact_id"),
      ("settlements", "settlement_id"), ("storekit_transactions", "transaction_id"),
      ("referral_codes", "code_digest"), ("referrals", "referral_id"),
    ].map { table, key in
      Rule(
        name: "(\(key)) is unique in \(table)",
        sql: "SELECT count(*) FROM (SELECT 1 FROM \(table) GROUP BY \(key) HAVING count(*) > 1) AS repeated")
    }
  }

  private static var sizes: [Rule] {
    [
      ("installations", "digest"), ("sessions", "token_digest"), ("tokens", "token_digest"),
      ("referral_codes", "code_digest"), ("deleted_accounts", "account_digest"), ("facts", "values_digest"),
      ("sealed_days", "totals_digest"),
    ].map { table, column in
      Rule(
        name: "\(table).\(column) is a digest of 32 bytes",
        sql: "SELECT count(*) FROM \(table) WHERE length(\(column)) <> \(Digest.byteCount)")
    }
  }

  // MARK: - Nothing older than its policy

  private static func expired(_ overdue: RetentionPolicy) -> [Rule] {
    let anonymous = "(SELECT account_id IS NULL FROM installations WHERE installations.installation_key"
    let byAge = [RetentionStep.sessions, .sessionRevocations, .codeRevocations, .tombstones, .factIDs].map { step in
      let rows = step.byAge(overdue)
      return Rule(
        name: "no \(step.title) overdue", sql: "SELECT count(*) FROM \(rows.table) WHERE \(rows.condition)",
        parameters: [rows.limit])
    }
    return [
      Rule(
        name: "no \(RetentionStep.events.title) overdue",
        sql: """
          SELECT count(*) FROM events WHERE received_at < CAST($1 AS bigint)
            AND \(anonymous) = events.installation_key)
          """, parameters: [StoredValue(overdue.eventsReceivedBefore)]),
      Rule(
        name: "no \(RetentionStep.summaries.title) overdue",
        sql: "SELECT count(*) FROM keyboard_summaries WHERE summary_day <= CAST($1 AS bigint)",
        parameters: [StoredValue(overdue.summariesThrough)]),
      Rule(
        name: "no activity of never-linked installations overdue",
        sql: """
          SELECT count(*) FROM activity WHERE day <= CAST($1 AS bigint) AND \(anonymous) = activity.installation_key)
          """, parameters: [StoredValue(overdue.activityThrough)]),
      Rule(
        name: "no marks of summaries overdue",
        sql: """
          SELECT count(*) FROM activity
          WHERE day <= CAST($1 AS bigint) AND kinds & \(ActivityKinds.usageReported.rawValue) <> 0
          """, parameters: [StoredValue(overdue.summariesThrough)]),
      Rule(
        name: "no \(RetentionStep.sets.title) overdue",
        sql: "SELECT count(DISTINCT day) FROM installation_sets WHERE day <= CAST($1 AS bigint)",
        parameters: [StoredValue(overdue.summariesThrough)]),
      Rule(
        name: "no \(RetentionStep.installations.title) overdue",
        sql: "SELECT count(*) FROM installations WHERE account_id IS NULL AND last_seen_day <= CAST($1 AS bigint)",
        parameters: [StoredValue(overdue.installationsSeenThrough)]),
    ] + byAge
  }

  // MARK: - Texts

  private static var texts: [(table: String, name: String, maximumLength: Int)] {
    [
      ("events", "app_version", ReleaseVersion.maximumLength), ("events", "os_version", ReleaseVersion.maximumLength),
      ("keyboard_summaries", "app_version", ReleaseVersion.maximumLength),
      ("keyboard_summaries", "os_version", ReleaseVersion.maximumLength),
      ("event_day_totals", "app_version", ReleaseVersion.maximumLength),
      ("receipt_day_totals", "app_version", ReleaseVersion.maximumLength), ("tokens", "name", 64),
      ("storekit_transactions", "transaction_id", 64), ("storekit_transactions", "original_transaction_id", 64),
      ("storekit_transactions", "product_id", 128), ("storekit_transactions", "currency", 3),
      ("storekit_transactions", "storefront", 3),
    ]
  }

  // MARK: - Accounts that were deleted

  private func deletedAccounts() throws(Runner.Failure) -> Int64 {
    let tombstones = try runner.select("SELECT account_digest FROM deleted_accounts", [], [.bytea])
    let deleted = Set(tombstones.compactMap { $0[0].digest })
    if deleted.isEmpty { return 0 }
    var violations: Int64 = 0
    var last = StoredValue(UUIDValue(high: 0, low: 0))
    while true {
      let accounts = try runner.select(
        "SELECT account_id FROM accounts WHERE account_id > $1 ORDER BY account_id LIMIT 10000", [last], [.uuid])
      violations += Int64(accounts.count { $0[0].uuid.map { deleted.contains($0.accountDigest) } ?? true })
      guard let end = accounts.last?[0] else { return violations }
      last = end
    }
  }

  // MARK: - Totals

  /// Days that are not sealed whose totals are not those of the events. What was erased is missing from the events, in
  /// a number that is known.
  private func eventTotals() throws(Runner.Failure) -> Int64 {
    let keys =
      "event_type, surface, acquisition_channel, feature, execution_mode, failure_category, duration_bucket, app_version"
    let differences = try runner.select(
      """
      SELECT day, CAST(min(difference) AS bigint), CAST(sum(difference) AS bigint) FROM (
        SELECT day, sum(amount) AS difference FROM (
          SELECT day, \(keys), event_count AS amount FROM event_day_totals WHERE day > \(Self.lastSealed)
          UNION ALL
          SELECT occurred_at / \(CalendarDay.microseconds), event_type, surface, coalesce(acquisition_channel, 0),
            coalesce(feature, 0), coalesce(execution_mode, 0), coalesce(failure_category, 0),
            coalesce(duration_bucket, 0), coalesce(app_version, ''), -1
          FROM events WHERE occurred_at >= (\(Self.lastSealed) + 1) * \(CalendarDay.microseconds)
        ) AS counted GROUP BY day, \(keys)
      ) AS differences GROUP BY day
      """, [], [.bigint, .bigint, .bigint])
    return try disagreements(differences, erased: "event_count")
  }

  /// The same for summaries.
  private func usageTotals() throws(Runner.Failure) -> Int64 {
    let counters = UsageCounter.allCases.map(\.column)
    let sums = counters.map { "CAST(sum(\($0)) AS bigint)" }.joined(separator: ", ")
    let rows = try runner.select(
      """
      SELECT day, CAST(sum(amount) AS bigint), \(sums) FROM (
        SELECT day, summary_count AS amount, \(counters.joined(separator: ", ")) FROM usage_day_totals
        WHERE day > \(Self.lastSealed)
        UNION ALL
        SELECT summary_day, -1, \(counters.map { "-\($0)" }.joined(separator: ", ")) FROM keyboard_summaries
        WHERE summary_day > \(Self.lastSealed)
      ) AS counted GROUP BY day
      """, [], [ColumnType](repeating: .bigint, count: 2 + counters.count))
    // Where no summary is missing no character is.
    let differences = rows.map { row in
      let least = row[1...].compactMap(\.integer).min() ?? 0
      let isWhole = row[1].integer == 0
      let strays = isWhole && row[2...].contains { $0.integer != 0 }
      return [row[0], .integer(strays ? -1 : least), row[1]]
    }
    return try disagreements(differences, erased: "summary_count")
  }

  private func disagreements(_ differences: [[StoredValue]], erased: String) throws(Runner.Failure) -> Int64 {
    let gone = try runner.select(
      "SELECT day, \(erased) FROM erased_day_totals WHERE day > \(Self.lastSealed)", [], [.bigint, .bigint])
    var missing: [Int64: Int64] = [:]
    for row in gone { missing[row[0].integer ?? 0] = row[1].integer ?? 0 }
    var violations: Int64 = 0
    for row in differences {
      let expected = missing.removeValue(forKey: row[0].integer ?? 0) ?? 0
      if (row[1].integer ?? 0) < 0 || row[2].integer ?? 0 != expected { violations += 1 }
    }
    return violations + Int64(missing.values.count { $0 != 0 })
  }

  private static var lastSealed: String { "(SELECT coalesce(max(day), -1000000) FROM sealed_days)" }

  private func sealedDays() throws(Runner.Failure) -> Int64 {
    let sealing = Sealing(runner: runner)
    var violations: Int64 = 0
    var expected: Int64?
    for row in try runner.select("SELECT day, totals_digest FROM sealed_days ORDER BY day", [], [.integer, .bytea]) {
      let day = CalendarDay(daysSince1970: Int32(clamping: row[0].integer ?? 0))
      let isInOrder = expected == nil || expected == row[0].integer
      let digest = try sealing.totalsDigest(of: day)
      if !isInOrder || digest != row[1].digest { violations += 1 }
      expected = (row[0].integer ?? 0) + 1
    }
    return violations
  }
}

extension UsageCounter {
  /// The column that holds it, in summaries and in totals.
  var column: String {
    switch self {
    case .chineseCharacters: "chinese_characters"
    case .englishCharacters: "english_characters"
    case .otherCharacters: "other_characters"
    case .inputSessions: "input_sessions"
    case .chineseOnlySessions: "chinese_only_sessions"
    case .englishOnlySessions: "english_only_sessions"
    case .mixedLanguageSessions: "mixed_language_sessions"
    case .otherOnlySessions: "other_only_sessions"
    }
  }
}
