extension Migration {
  /// What ingestion stores. Instants are microseconds since 1970, days are days since 1970, catalog values are their
  /// permanent codes, identifiers are digests or bytes. The only texts are versions and tokens' names.
  static let ingestionOnSQLite = """
    -- AUTOINCREMENT: an erased installation's key must never come to mean another one.
    CREATE TABLE installations (
      installation_key INTEGER PRIMARY KEY AUTOINCREMENT,
      digest BLOB NOT NULL UNIQUE CHECK (length(digest) = 32),
      account_id BLOB CHECK (length(account_id) = 16),
      linked_at INTEGER,
      first_seen_at INTEGER NOT NULL,
      -- A day, not an instant: retention needs no more, and most batches then leave the row alone.
      last_seen_day INTEGER NOT NULL,
      first_open_event_id BLOB CHECK (length(first_open_event_id) = 16),
      first_open_at INTEGER,
      acquisition_channel INTEGER
    ) STRICT;
    CREATE INDEX installations_by_account ON installations (account_id) WHERE account_id IS NOT NULL;

    CREATE TABLE events (
      installation_key INTEGER NOT NULL,
      client_event_id BLOB NOT NULL CHECK (length(client_event_id) = 16),
      occurred_at INTEGER NOT NULL,
      received_at INTEGER NOT NULL,
      event_type INTEGER NOT NULL,
      surface INTEGER NOT NULL,
      acquisition_channel INTEGER,
      feature INTEGER,
      execution_mode INTEGER,
      failure_category INTEGER,
      duration_bucket INTEGER,
      app_version TEXT,
      os_version TEXT,
      PRIMARY KEY (installation_key, client_event_id)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE keyboard_summaries (
      installation_key INTEGER NOT NULL,
      summary_day INTEGER NOT NULL,
      client_summary_id BLOB NOT NULL CHECK (length(client_summary_id) = 16),
      received_at INTEGER NOT NULL,
      chinese_characters INTEGER NOT NULL,
      english_characters INTEGER NOT NULL,
      other_characters INTEGER NOT NULL,
      input_sessions INTEGER NOT NULL,
      chinese_only_sessions INTEGER NOT NULL,
      english_only_sessions INTEGER NOT NULL,
      mixed_language_sessions INTEGER NOT NULL,
      other_only_sessions INTEGER NOT NULL,
      app_version TEXT,
      os_version TEXT,
      PRIMARY KEY (installation_key, summary_day),
      UNIQUE (installation_key, client_summary_id)
    ) STRICT, WITHOUT ROWID;

    -- What an installation did on a day, as the bits of ActivityKinds: distinct counts read this, not the events.
    CREATE TABLE activity (
      installation_key INTEGER NOT NULL,
      day INTEGER NOT NULL,
      kinds INTEGER NOT NULL,
      PRIMARY KEY (installation_key, day)
    ) STRICT, WITHOUT ROWID;

    -- Day totals carry no identity and outlive what they count. In their keys 0 and '' stand for absent.
    CREATE TABLE event_day_totals (
      day INTEGER NOT NULL,
      event_type INTEGER NOT NULL,
      surface INTEGER NOT NULL,
      acquisition_channel INTEGER NOT NULL,
      feature INTEGER NOT NULL,
      execution_mode INTEGER NOT NULL,
      failure_category INTEGER NOT NULL,
      duration_bucket INTEGER NOT NULL,
      app_version TEXT NOT NULL,
      event_count INTEGER NOT NULL,
      PRIMARY KEY (
        day, event_type, surface, acquisition_channel, feature, execution_mode, failure_category, duration_bucket,
        app_version)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE usage_day_totals (
      day INTEGER NOT NULL PRIMARY KEY,
      summary_count INTEGER NOT NULL,
      chinese_characters INTEGER NOT NULL,
      english_characters INTEGER NOT NULL,
      other_characters INTEGER NOT NULL,
      input_sessions INTEGER NOT NULL,
      chinese_only_sessions INTEGER NOT NULL,
      english_only_sessions INTEGER NOT NULL,
      mixed_language_sessions INTEGER NOT NULL,
      other_only_sessions INTEGER NOT NULL
    ) STRICT;

    -- Items by the day they were received: endpoint 1 events, 2 keyboard usage; outcome 1 accepted, 2 replayed.
    -- Lateness and version are kept for accepted events.
    CREATE TABLE receipt_day_totals (
      day INTEGER NOT NULL,
      endpoint INTEGER NOT NULL,
      outcome INTEGER NOT NULL,
      lateness INTEGER NOT NULL,
      app_version TEXT NOT NULL,
      item_count INTEGER NOT NULL,
      PRIMARY KEY (day, endpoint, outcome, lateness, app_version)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE rejection_day_totals (
      day INTEGER NOT NULL,
      status INTEGER NOT NULL,
      batch_count INTEGER NOT NULL,
      PRIMARY KEY (day, status)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE link_day_totals (
      day INTEGER NOT NULL PRIMARY KEY,
      installation_count INTEGER NOT NULL
    ) STRICT;

    CREATE TABLE accounts (
      account_id BLOB NOT NULL PRIMARY KEY CHECK (length(account_id) = 16),
      created_at INTEGER
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE sessions (
      token_digest BLOB NOT NULL PRIMARY KEY CHECK (length(token_digest) = 32),
      account_id BLOB NOT NULL CHECK (length(account_id) = 16),
      expires_at INTEGER NOT NULL,
      revoked_at INTEGER
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX sessions_by_account ON sessions (account_id);

    CREATE TABLE tokens (
      name TEXT NOT NULL PRIMARY KEY,
      token_digest BLOB NOT NULL UNIQUE CHECK (length(token_digest) = 32),
      scope INTEGER NOT NULL,
      created_at INTEGER NOT NULL,
      revoked_at INTEGER
    ) STRICT, WITHOUT ROWID;
    """
}
