extension Migration {
  /// What ingestion stores: the tables and columns of ``ingestionOnSQLite`` under the same names, so that a query reads
  /// either. The total tables are views here, over folded totals and what is yet to be folded.
  ///
  /// Row storage follows how rows change. `installations` and `activity` are updated in place: the room that their
  /// fill factor leaves keeps a new row version on its page, where no index needs to learn of it.
  static let ingestionOnPostgreSQL = """
    CREATE TABLE installations (
      installation_key bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      digest bytea NOT NULL UNIQUE CHECK (length(digest) = 32),
      account_id uuid,
      linked_at bigint,
      first_seen_at bigint NOT NULL,
      -- A day, not an instant: retention needs no more, and most batches then leave the row alone.
      last_seen_day integer NOT NULL,
      first_open_event_id uuid,
      first_open_at bigint,
      acquisition_channel smallint
    ) WITH (fillfactor = 85);
    CREATE INDEX installations_by_account ON installations (account_id) WHERE account_id IS NOT NULL;

    -- Rows are inserted and, much later, deleted; vacuuming for inserts alone keeps freezing and the visibility map
    -- from piling up until a large table has to be read at once.
    CREATE TABLE events (
      installation_key bigint NOT NULL,
      client_event_id uuid NOT NULL,
      occurred_at bigint NOT NULL,
      received_at bigint NOT NULL,
      event_type smallint NOT NULL,
      surface smallint NOT NULL,
      acquisition_channel smallint,
      feature smallint,
      execution_mode smallint,
      failure_category smallint,
      duration_bucket smallint,
      app_version text,
      os_version text,
      PRIMARY KEY (installation_key, client_event_id)
    ) WITH (autovacuum_vacuum_insert_scale_factor = 0.05, autovacuum_vacuum_scale_factor = 0.05);

    CREATE TABLE keyboard_summaries (
      installation_key bigint NOT NULL,
      summary_day integer NOT NULL,
      client_summary_id uuid NOT NULL,
      received_at bigint NOT NULL,
      chinese_characters integer NOT NULL,
      english_characters integer NOT NULL,
      other_characters integer NOT NULL,
      input_sessions integer NOT NULL,
      chinese_only_sessions integer NOT NULL,
      english_only_sessions integer NOT NULL,
      mixed_language_sessions integer NOT NULL,
      other_only_sessions integer NOT NULL,
      app_version text,
      os_version text,
      PRIMARY KEY (installation_key, summary_day),
      UNIQUE (installation_key, client_summary_id)
    );

    -- What an installation did on a day, as the bits of ActivityKinds: distinct counts read this, not the events.
    CREATE TABLE activity (
      installation_key bigint NOT NULL,
      day integer NOT NULL,
      kinds integer NOT NULL,
      PRIMARY KEY (installation_key, day)
    ) WITH (fillfactor = 85);

    -- Day totals carry no identity and outlive what they count. In their keys 0 and '' stand for absent. Every group of
    -- batches would have to update the same few rows of them, on every node: instead each group appends one row of
    -- deltas, which nobody else waits for, and now and then one node folds the deltas into the totals.
    CREATE TABLE day_total_deltas (
      event_days integer[],
      event_types smallint[],
      event_surfaces smallint[],
      event_acquisition_channels smallint[],
      event_features smallint[],
      event_execution_modes smallint[],
      event_failure_categories smallint[],
      event_duration_buckets smallint[],
      event_app_versions text[],
      event_counts bigint[],
      usage_days integer[],
      usage_summary_counts bigint[],
      usage_chinese_characters bigint[],
      usage_english_characters bigint[],
      usage_other_characters bigint[],
      usage_input_sessions bigint[],
      usage_chinese_only_sessions bigint[],
      usage_english_only_sessions bigint[],
      usage_mixed_language_sessions bigint[],
      usage_other_only_sessions bigint[],
      receipt_days integer[],
      receipt_endpoints smallint[],
      receipt_outcomes smallint[],
      receipt_latenesses smallint[],
      receipt_app_versions text[],
      receipt_item_counts bigint[],
      rejection_days integer[],
      rejection_statuses smallint[],
      rejection_batch_counts bigint[],
      link_days integer[],
      link_installation_counts bigint[]
    ) WITH (
      -- Rows live for seconds: dead ones are to be reused at once. Giving pages back would lock inserts out.
      autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_cost_delay = 0,
      vacuum_truncate = false,
      -- Most rows are of one to eight kilobytes: compressing them would cost more than it saves.
      toast_tuple_target = 8160);

    CREATE TABLE folded_event_day_totals (
      day integer NOT NULL,
      event_type smallint NOT NULL,
      surface smallint NOT NULL,
      acquisition_channel smallint NOT NULL,
      feature smallint NOT NULL,
      execution_mode smallint NOT NULL,
      failure_category smallint NOT NULL,
      duration_bucket smallint NOT NULL,
      app_version text NOT NULL,
      event_count bigint NOT NULL,
      PRIMARY KEY (
        day, event_type, surface, acquisition_channel, feature, execution_mode, failure_category, duration_bucket,
        app_version)
    ) WITH (fillfactor = 60);

    CREATE TABLE folded_usage_day_totals (
      day integer NOT NULL PRIMARY KEY,
      summary_count bigint NOT NULL,
      chinese_characters bigint NOT NULL,
      english_characters bigint NOT NULL,
      other_characters bigint NOT NULL,
      input_sessions bigint NOT NULL,
      chinese_only_sessions bigint NOT NULL,
      english_only_sessions bigint NOT NULL,
      mixed_language_sessions bigint NOT NULL,
      other_only_sessions bigint NOT NULL
    ) WITH (fillfactor = 60);

    -- Items by the day they were received: endpoint 1 events, 2 keyboard usage; outcome 1 accepted, 2 replayed.
    -- Lateness and version are kept for accepted events.
    CREATE TABLE folded_receipt_day_totals (
      day integer NOT NULL,
      endpoint smallint NOT NULL,
      outcome smallint NOT NULL,
      lateness smallint NOT NULL,
      app_version text NOT NULL,
      item_count bigint NOT NULL,
      PRIMARY KEY (day, endpoint, outcome, lateness, app_version)
    ) WITH (fillfactor = 60);

    CREATE TABLE folded_rejection_day_totals (
      day integer NOT NULL,
      status smallint NOT NULL,
      batch_count bigint NOT NULL,
      PRIMARY KEY (day, status)
    ) WITH (fillfactor = 60);

    CREATE TABLE folded_link_day_totals (
      day integer NOT NULL PRIMARY KEY,
      installation_count bigint NOT NULL
    ) WITH (fillfactor = 60);

    CREATE VIEW event_day_totals AS
      SELECT day, event_type, surface, acquisition_channel, feature, execution_mode, failure_category, duration_bucket,
        app_version, sum(event_count)::bigint AS event_count
      FROM (
        SELECT * FROM folded_event_day_totals
        UNION ALL
        SELECT delta.* FROM day_total_deltas, unnest(
          event_days, event_types, event_surfaces, event_acquisition_channels, event_features, event_execution_modes,
          event_failure_categories, event_duration_buckets, event_app_versions, event_counts) AS delta
      ) AS parts
      GROUP BY day, event_type, surface, acquisition_channel, feature, execution_mode, failure_category,
        duration_bucket, app_version;

    CREATE VIEW usage_day_totals AS
      SELECT day, sum(summary_count)::bigint AS summary_count,
        sum(chinese_characters)::bigint AS chinese_characters, sum(english_characters)::bigint AS english_characters,
        sum(other_characters)::bigint AS other_characters, sum(input_sessions)::bigint AS input_sessions,
        sum(chinese_only_sessions)::bigint AS chinese_only_sessions,
        sum(english_only_sessions)::bigint AS english_only_sessions,
        sum(mixed_language_sessions)::bigint AS mixed_language_sessions,
        sum(other_only_sessions)::bigint AS other_only_sessions
      FROM (
        SELECT * FROM folded_usage_day_totals
        UNION ALL
        SELECT delta.* FROM day_total_deltas, unnest(
          usage_days, usage_summary_counts, usage_chinese_characters, usage_english_characters, usage_other_characters,
          usage_input_sessions, usage_chinese_only_sessions, usage_english_only_sessions,
          usage_mixed_language_sessions, usage_other_only_sessions) AS delta
      ) AS parts
      GROUP BY day;

    CREATE VIEW receipt_day_totals AS
      SELECT day, endpoint, outcome, lateness, app_version, sum(item_count)::bigint AS item_count
      FROM (
        SELECT * FROM folded_receipt_day_totals
        UNION ALL
        SELECT delta.* FROM day_total_deltas, unnest(
          receipt_days, receipt_endpoints, receipt_outcomes, receipt_latenesses, receipt_app_versions,
          receipt_item_counts) AS delta
      ) AS parts
      GROUP BY day, endpoint, outcome, lateness, app_version;

    CREATE VIEW rejection_day_totals AS
      SELECT day, status, sum(batch_count)::bigint AS batch_count
      FROM (
        SELECT * FROM folded_rejection_day_totals
        UNION ALL
        SELECT delta.* FROM day_total_deltas, unnest(
          rejection_days, rejection_statuses, rejection_batch_counts) AS delta
      ) AS parts
      GROUP BY day, status;

    CREATE VIEW link_day_totals AS
      SELECT day, sum(installation_count)::bigint AS installation_count
      FROM (
        SELECT * FROM folded_link_day_totals
        UNION ALL
        SELECT delta.* FROM day_total_deltas, unnest(link_days, link_installation_counts) AS delta
      ) AS parts
      GROUP BY day;

    CREATE TABLE accounts (
      account_id uuid NOT NULL PRIMARY KEY,
      created_at bigint
    );

    CREATE TABLE sessions (
      token_digest bytea NOT NULL PRIMARY KEY CHECK (length(token_digest) = 32),
      account_id uuid NOT NULL,
      expires_at bigint NOT NULL,
      revoked_at bigint
    );
    CREATE INDEX sessions_by_account ON sessions (account_id);

    CREATE TABLE tokens (
      name text NOT NULL PRIMARY KEY,
      token_digest bytea NOT NULL UNIQUE CHECK (length(token_digest) = 32),
      scope smallint NOT NULL,
      created_at bigint NOT NULL,
      revoked_at bigint
    );
    """
}
