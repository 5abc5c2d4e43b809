extension Migration {
  /// Sets of installations by day, from which reports count who is distinct, and indexes that reports read: the tables
  /// and columns of ``setsOnSQLite`` under the same names.
  static let setsOnPostgreSQL = """
    -- Which installations had something in common on a day: a kind, with a version or channel as its label, as a Roaring
    -- bitmap of installation keys. The kinds are in SetKind. Bitmaps are compressed already.
    CREATE TABLE installation_sets (
      day integer NOT NULL,
      kind smallint NOT NULL,
      label text NOT NULL,
      members bytea NOT NULL,
      PRIMARY KEY (day, kind, label)
    );
    ALTER TABLE installation_sets ALTER COLUMN members SET STORAGE EXTERNAL;
    -- What a bitmap can hold.
    ALTER TABLE installations ALTER COLUMN installation_key SET MAXVALUE 4294967295;

    -- What transactions have added since: merged into the sets now and then, read together with them until then.
    CREATE TABLE installation_set_deltas (
      sequence bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      additions bytea NOT NULL
    ) WITH (
      autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_cost_delay = 0,
      vacuum_truncate = false, toast_tuple_target = 8160);

    DROP INDEX settlements_by_time;
    CREATE INDEX settlements_by_time ON settlements (settled_at) INCLUDE (account_id, feature, credits);
    CREATE INDEX referrals_by_binding ON referrals (bound_at) WHERE bound_at IS NOT NULL;
    CREATE INDEX referrals_by_qualification ON referrals (qualified_at) WHERE qualified_at IS NOT NULL;
    CREATE INDEX referrals_by_reward ON referrals (rewarded_at) WHERE rewarded_at IS NOT NULL;
    """
}
