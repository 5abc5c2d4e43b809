import AnalyticsContract
import PostgreSQL

/// What a group of batches is committed with. Each statement handles a whole group: its parameters are arrays, whose
/// elements at one position belong together.
enum IngestionStatements {
  static let all = [
    findSessions, lockInstallations, insertInstallations, updateInstallations, findEvents, findSummaries,
    insertSummaries, findActivity, addActivity, findActivations, addSets, addDeltas,
  ]

  static let lockInstallations = PostgreSQLStatement(
    "lock_installations",
    """
    SELECT wanted.position, installation_key, account_id, last_seen_day, first_open_event_id, first_open_at,
      acquisition_channel
    FROM unnest($1::bytea[]) WITH ORDINALITY AS wanted (digest, position) JOIN installations USING (digest)
    ORDER BY installation_key FOR NO KEY UPDATE OF installations
    """)

  // A session counts only while its account exists, and the lock lets it exist until the commit. A token that states its
  // account needs no row, and is judged to be in time already.
  static let findSessions = PostgreSQLStatement(
    "find_sessions",
    """
    SELECT wanted.position, accounts.account_id, CASE WHEN wanted.account_id IS NULL THEN sessions.expires_at END
    FROM unnest($1::bytea[], $2::uuid[], $3::bytea[])
      WITH ORDINALITY AS wanted (token_digest, account_id, twin_digest, position)
    LEFT JOIN sessions USING (token_digest)
    JOIN accounts ON accounts.account_id = coalesce(wanted.account_id, sessions.account_id)
    WHERE sessions.revoked_at IS NULL
      AND (wanted.account_id IS NULL OR NOT EXISTS (
        SELECT FROM sessions AS twin WHERE twin.token_digest = wanted.twin_digest AND twin.revoked_at IS NOT NULL))
    ORDER BY accounts.account_id FOR KEY SHARE OF accounts
    """)

  static let insertInstallations = PostgreSQLStatement(
    "insert_installations",
    """
    INSERT INTO installations (
      digest, account_id, linked_at, first_seen_at, last_seen_day, first_open_event_id, first_open_at,
      acquisition_channel)
    SELECT * FROM unnest(
      $1::bytea[], $2::uuid[], $3::bigint[], $4::bigint[], $5::integer[], $6::uuid[], $7::bigint[], $8::smallint[])
    ON CONFLICT DO NOTHING
    RETURNING digest, installation_key
    """)

  static let updateInstallations = PostgreSQLStatement(
    "update_installations",
    """
    UPDATE installations SET
      account_id = coalesce(installations.account_id, new.account_id),
      linked_at = coalesce(installations.linked_at, new.linked_at),
      last_seen_day = greatest(installations.last_seen_day, new.last_seen_day),
      first_open_event_id = coalesce(installations.first_open_event_id, new.first_open_event_id),
      first_open_at = coalesce(installations.first_open_at, new.first_open_at),
      acquisition_channel = coalesce(installations.acquisition_channel, new.acquisition_channel)
    FROM unnest(
      $1::bigint[], $2::uuid[], $3::bigint[], $4::integer[], $5::uuid[], $6::bigint[], $7::smallint[]
    ) AS new (
      installation_key, account_id, linked_at, last_seen_day, first_open_event_id, first_open_at, acquisition_channel)
    WHERE installations.installation_key = new.installation_key
    """)

  static let findEvents = PostgreSQLStatement(
    "find_events",
    """
    SELECT installation_key, client_event_id, occurred_at, event_type, surface, acquisition_channel, feature,
      execution_mode, failure_category, duration_bucket, app_version, os_version
    FROM unnest($1::bigint[], $2::uuid[]) AS wanted (installation_key, client_event_id)
    JOIN events USING (installation_key, client_event_id)
    """)

  static let findSummaries = PostgreSQLStatement(
    "find_summaries",
    """
    SELECT installation_key, summary_day, client_summary_id, app_version, os_version, chinese_characters,
      english_characters, other_characters, input_sessions, chinese_only_sessions, english_only_sessions,
      mixed_language_sessions, other_only_sessions
    FROM unnest($1::bigint[]) AS wanted (installation_key) JOIN keyboard_summaries USING (installation_key)
    """)

  static let insertSummaries = PostgreSQLStatement(
    "insert_summaries",
    """
    INSERT INTO keyboard_summaries SELECT * FROM unnest(
      $1::bigint[], $2::integer[], $3::uuid[], $4::bigint[], $5::integer[], $6::integer[], $7::integer[],
      $8::integer[], $9::integer[], $10::integer[], $11::integer[], $12::integer[], $13::text[], $14::text[])
    """)

  static let findActivity = PostgreSQLStatement(
    "find_activity",
    """
    SELECT installation_key, day, kinds
    FROM unnest($1::bigint[], $2::integer[]) AS wanted (installation_key, day)
    JOIN activity USING (installation_key, day)
    """)

  static let addActivity = PostgreSQLStatement(
    "add_activity",
    """
    INSERT INTO activity SELECT * FROM unnest($1::bigint[], $2::integer[], $3::integer[])
    ON CONFLICT (installation_key, day) DO UPDATE SET kinds = activity.kinds | excluded.kinds
    """)

  static let findActivations = PostgreSQLStatement(
    "find_activations",
    """
    SELECT position FROM unnest($1::bigint[], $2::bigint[], $3::bigint[])
      WITH ORDINALITY AS wanted (installation_key, first, last, position)
    WHERE EXISTS (
      SELECT FROM events WHERE events.installation_key = wanted.installation_key
        AND event_type = \(EventType.aiFeatureSucceeded.code) AND occurred_at BETWEEN wanted.first AND wanted.last)
    """)

  static let addSets = PostgreSQLStatement(
    "add_sets", "INSERT INTO installation_set_deltas (additions) VALUES ($1::bytea)")

  static let addDeltas = PostgreSQLStatement(
    "add_deltas",
    """
    INSERT INTO day_total_deltas VALUES (
      $1::integer[], $2::smallint[], $3::smallint[], $4::smallint[], $5::smallint[], $6::smallint[], $7::smallint[],
      $8::smallint[], $9::text[], $10::bigint[], $11::integer[], $12::bigint[], $13::bigint[], $14::bigint[],
      $15::bigint[], $16::bigint[], $17::bigint[], $18::bigint[], $19::bigint[], $20::bigint[], $21::integer[],
      $22::smallint[], $23::smallint[], $24::smallint[], $25::text[], $26::bigint[], $27::integer[], $28::smallint[],
      $29::bigint[], $30::integer[], $31::bigint[], $32::integer[], $33::bigint[])
    """)
}
