import AnalyticsContract

extension ToolView {
  /// All views, with the names of a version. docs/READING_WITH_OTHER_TOOLS.md describes each column; a test holds the
  /// two together.
  static func all(_ names: ViewNames) -> [ToolView] {
    items(names) + dayTotals(names) + facts(names) + distinctCounts(names)
  }

  // MARK: - What installations send, without whose it is

  private static func items(_ names: ViewNames) -> [ToolView] {
    [
      // The items of a batch have one instant of receipt, to the microsecond: with it they could be told to be of one
      // installation. The hour has many batches in it.
      ToolView(
        name: "v_events", source: "events",
        columns: [
          Column("occurred_at", .instant("occurred_at", seconds: 1)), Column("day", .dateOfInstant("occurred_at")),
          Column("week", .weekOfInstant("occurred_at")), Column("received_at", .instant("received_at", seconds: 3600)),
        ] + kind(names) + [.version("app_version"), .version("os_version")]),
      ToolView(
        name: "v_keyboard_usage", source: "keyboard_summaries",
        columns: [
          Column("day", .date("summary_day")), Column("week", .week("summary_day")),
          Column("received_day", .dateOfInstant("received_at")),
        ] + usageCounters + [.version("app_version"), .version("os_version")]),
    ]
  }

  private static func kind(_ names: ViewNames) -> [Column] {
    [
      .name("event_type", names.eventTypes), .name("surface", names.surfaces),
      .name("acquisition_channel", names.acquisitionChannels), .name("feature", names.features),
      .name("execution_mode", names.executionModes), .name("failure_category", names.failureCategories),
      .name("duration_bucket", names.durationBuckets),
    ]
  }

  private static let usageCounters: [Column] = [
    .stored("chinese_characters"), .stored("english_characters"), .stored("other_characters"),
    .stored("input_sessions"), .stored("chinese_only_sessions"), .stored("english_only_sessions"),
    .stored("mixed_language_sessions"), .stored("other_only_sessions"),
  ]

  // MARK: - Day totals

  private static func dayTotals(_ names: ViewNames) -> [ToolView] {
    [
      ToolView(
        name: "v_day_totals", source: "event_day_totals",
        columns: Column.dayAndWeek + kind(names) + [.version("app_version"), .stored("event_count")]),
      ToolView(
        name: "v_usage_day_totals", source: "usage_day_totals",
        columns: Column.dayAndWeek + [.stored("summary_count")] + usageCounters),
      ToolView(
        name: "v_receipt_day_totals", source: "receipt_day_totals",
        columns: Column.dayAndWeek + [
          .name("endpoint", names.endpoints), .name("outcome", names.outcomes), .name("lateness", names.latenesses),
          .version("app_version"), .stored("item_count"),
        ]),
      ToolView(
        name: "v_rejection_day_totals", source: "rejection_day_totals",
        columns: Column.dayAndWeek + [
          .stored("status"), Column("error_code", .name("status", names.errorCodes)), .stored("batch_count"),
        ]),
      ToolView(
        name: "v_link_day_totals", source: "link_day_totals",
        columns: Column.dayAndWeek + [.stored("installation_count")]),
      ToolView(
        name: "v_invitation_day_totals", source: "invitation_day_totals",
        columns: Column.dayAndWeek + [.stored("view_count")]),
      ToolView(
        name: "v_erased_day_totals", source: "erased_day_totals",
        columns: Column.dayAndWeek + [.stored("event_count"), .stored("summary_count")]),
    ]
  }

  // MARK: - What the account server states, without whose it is

  private static func facts(_ names: ViewNames) -> [ToolView] {
    [
      ToolView(
        name: "v_settlements", source: "settlements",
        columns: [
          Column("settled_at", .instant("settled_at", seconds: 1)), Column("day", .dateOfInstant("settled_at")),
          Column("week", .weekOfInstant("settled_at")), .name("feature", names.features), .stored("credits"),
        ]),
      // Without Apple's ids: with them Apple, and whoever has the receipts, knows the buyer.
      ToolView(
        name: "v_storekit_transactions", source: "storekit_transactions",
        columns: [
          Column("purchased_at", .instant("purchased_at", seconds: 1)),
          Column("purchase_day", .dateOfInstant("purchased_at")),
          Column("refunded_at", .instant("refunded_at", seconds: 1)),
          Column("refund_day", .dateOfInstant("refunded_at")), .stored("product_id"),
          .name("product_type", names.productTypes), .stored("quantity"), Column("price", .money("price")),
          .stored("currency"), .name("environment", names.environments), .stored("storefront"),
        ]),
      ToolView(
        name: "v_referrals", source: "referrals",
        columns: [
          Column("bound_at", .instant("bound_at", seconds: 1)),
          Column("qualified_at", .instant("qualified_at", seconds: 1)),
          Column("rewarded_at", .instant("rewarded_at", seconds: 1)), .stored("credits"),
        ]),
      ToolView(
        name: "v_registrations",
        source: """
          (
            SELECT day, CAST(sum(account_count) AS bigint) AS account_count
            FROM (
              SELECT created_at / \(CalendarDay.microseconds) AS day, count(*) AS account_count
              FROM accounts WHERE created_at IS NOT NULL GROUP BY created_at / \(CalendarDay.microseconds)
              UNION ALL
              SELECT day, account_count FROM deleted_registration_day_totals
            ) AS parts
            GROUP BY day
          ) AS registrations
          """,
        columns: Column.dayAndWeek + [.stored("account_count")]),
    ]
  }

  // MARK: - Distinct counts, which don't add up: no weeks

  private static func distinctCounts(_ names: ViewNames) -> [ToolView] {
    let day = Column("day", .date("day"))
    return [
      ToolView(
        name: "v_day_activity",
        source: """
          (
            SELECT day, \(activity.map(\.column).joined(separator: ", ")) FROM sealed_days
            UNION ALL
            SELECT day, \(activity.map { "count(*) FILTER (WHERE kinds & \($0.kinds.rawValue) <> 0)" }
              .joined(separator: ", "))
            FROM activity WHERE day > (SELECT coalesce(max(day), 0) FROM sealed_days) GROUP BY day
          ) AS days
          """,
        columns: [day] + activity.map { .stored($0.column) }),
      ToolView(
        name: "v_sealed_days", source: "sealed_days",
        columns: [day, Column("sealed_at", .instant("sealed_at", seconds: 1))]
          + activity.prefix(3).map { .stored($0.column) } + [.stored("weekly_active"), .stored("monthly_active")]
          + activity.dropFirst(3).map { .stored($0.column) }
          + [.stored("spending_accounts"), .stored("purchasing_accounts")]),
      ToolView(
        name: "v_sealed_cohorts", source: "sealed_cohorts",
        columns: [
          day, .name("acquisition_channel", names.acquisitionChannels), .stored("size"), .stored("activated"),
          .stored("retained_1"), .stored("retained_3"), .stored("retained_7"), .stored("retained_14"),
          .stored("retained_28"),
        ]),
    ]
  }

  /// The counts of installations that a day has, before it is sealed and after, in the order of `sealed_days`.
  private static let activity: [(column: String, kinds: ActivityKinds)] = [
    ("active_installations", [.app, .keyboard]), ("active_in_app", .app), ("active_in_keyboard", .keyboard),
    ("ai_active_installations", .ai), ("purchase_viewed_installations", .purchaseViewed),
    ("purchase_started_installations", .purchaseStarted), ("purchase_cancelled_installations", .purchaseCancelled),
    ("reporting_installations", .usageReported),
  ]
}
