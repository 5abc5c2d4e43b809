import PostgreSQL

/// Folds the deltas that groups have appended into the day totals: one server at a time, while groups go on.
enum PostgreSQLTotalsFolder {
  /// How many rows of deltas one transaction folds.
  private static let rowsAtOnce = 1000

  /// Folds what there is, a bounded piece at a time; where another server is doing that already, nothing.
  /// - Returns: whether nothing is left. What comes after the other server's last look would be.
  static func fold(_ connection: PostgreSQLConnection) throws(PostgreSQLError) -> Bool {
    while true {
      let results = try connection.run([
        PostgreSQLRequest("BEGIN"),
        PostgreSQLRequest("SELECT pg_try_advisory_xact_lock(\(PostgreSQLSchema.foldLock))"),
      ])
      guard results[1].boolean(0, 0) else {
        try connection.execute("ROLLBACK")
        return false
      }
      let folded = try connection.query(statement).integer(0, 0)
      try connection.execute("COMMIT")
      if folded < rowsAtOnce { return true }
    }
  }

  /// Moves rows and adds them up, all in one statement: a row is either in the deltas or in the totals.
  private static let statement = """
    WITH moved AS MATERIALIZED (
      DELETE FROM day_total_deltas
      WHERE ctid = ANY (ARRAY(SELECT ctid FROM day_total_deltas LIMIT \(rowsAtOnce)))
      RETURNING *
    ), events AS (
      INSERT INTO folded_event_day_totals AS total
      SELECT day, event_type, surface, acquisition_channel, feature, execution_mode, failure_category, duration_bucket,
        app_version, sum(event_count)
      FROM moved, unnest(
        event_days, event_types, event_surfaces, event_acquisition_channels, event_features, event_execution_modes,
        event_failure_categories, event_duration_buckets, event_app_versions, event_counts
      ) AS delta (
        day, event_type, surface, acquisition_channel, feature, execution_mode, failure_category, duration_bucket,
        app_version, event_count)
      GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9
      ON CONFLICT (
        day, event_type, surface, acquisition_channel, feature, execution_mode, failure_category, duration_bucket,
        app_version)
      DO UPDATE SET event_count = total.event_count + excluded.event_count
    ), usage AS (
      INSERT INTO folded_usage_day_totals AS total
      SELECT day, sum(summary_count), sum(chinese_characters), sum(english_characters), sum(other_characters),
        sum(input_sessions), sum(chinese_only_sessions), sum(english_only_sessions), sum(mixed_language_sessions),
        sum(other_only_sessions)
      FROM moved, unnest(
        usage_days, usage_summary_counts, usage_chinese_characters, usage_english_characters, usage_other_characters,
        usage_input_sessions, usage_chinese_only_sessions, usage_english_only_sessions, usage_mixed_language_sessions,
        usage_other_only_sessions
      ) AS delta (
        day, summary_count, chinese_characters, english_characters, other_characters, input_sessions,
        chinese_only_sessions, english_only_sessions, mixed_language_sessions, other_only_sessions)
      GROUP BY 1
      ON CONFLICT (day) DO UPDATE SET
        summary_count = total.summary_count + excluded.summary_count,
        chinese_characters = total.chinese_characters + excluded.chinese_characters,
        english_characters = total.english_characters + excluded.english_characters,
        other_characters = total.other_characters + excluded.other_characters,
        input_sessions = total.input_sessions + excluded.input_sessions,
        chinese_only_sessions = total.chinese_only_sessions + excluded.chinese_only_sessions,
        english_only_sessions = total.english_only_sessions + excluded.english_only_sessions,
        mixed_language_sessions = total.mixed_language_sessions + excluded.mixed_language_sessions,
        other_only_sessions = total.other_only_sessions + excluded.other_only_sessions
    ), receipts AS (
      INSERT INTO folded_receipt_day_totals AS total
      SELECT day, endpoint, outcome, lateness, app_version, sum(item_count)
      FROM moved, unnest(
        receipt_days, receipt_endpoints, receipt_outcomes, receipt_latenesses, receipt_app_versions, receipt_item_counts
      ) AS delta (day, endpoint, outcome, lateness, app_version, item_count)
      GROUP BY 1, 2, 3, 4, 5
      ON CONFLICT (day, endpoint, outcome, lateness, app_version)
      DO UPDATE SET item_count = total.item_count + excluded.item_count
    ), rejections AS (
      INSERT INTO folded_rejection_day_totals AS total
      SELECT day, status, sum(batch_count)
      FROM moved, unnest(rejection_days, rejection_statuses, rejection_batch_counts) AS delta (day, status, batch_count)
      GROUP BY 1, 2
      ON CONFLICT (day, status) DO UPDATE SET batch_count = total.batch_count + excluded.batch_count
    ), links AS (
      INSERT INTO folded_link_day_totals AS total
      SELECT day, sum(installation_count)
      FROM moved, unnest(link_days, link_installation_counts) AS delta (day, installation_count)
      GROUP BY 1
      ON CONFLICT (day) DO UPDATE SET installation_count = total.installation_count + excluded.installation_count
    ), invitations AS (
      INSERT INTO folded_invitation_day_totals AS total
      SELECT day, sum(view_count)
      FROM moved, unnest(invitation_days, invitation_view_counts) AS delta (day, view_count)
      GROUP BY 1
      ON CONFLICT (day) DO UPDATE SET view_count = total.view_count + excluded.view_count
    )
    SELECT count(*) FROM moved
    """
}
