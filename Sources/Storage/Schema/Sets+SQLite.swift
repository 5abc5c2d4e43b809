extension Migration {
  /// Sets of installations by day, from which reports count who is distinct, and indexes that reports read.
  static let setsOnSQLite = """
    -- Which installations had something in common on a day: a kind, with a version or channel as its label, as a Roaring
    -- bitmap of installation keys. The kinds are in SetKind.
    CREATE TABLE installation_sets (
      day INTEGER NOT NULL,
      kind INTEGER NOT NULL,
      label TEXT NOT NULL,
      members BLOB NOT NULL,
      PRIMARY KEY (day, kind, label)
    ) STRICT;

    -- What transactions have added since: merged into the sets now and then, read together with them until then.
    CREATE TABLE installation_set_deltas (
      sequence INTEGER PRIMARY KEY,
      additions BLOB NOT NULL
    ) STRICT;

    DROP INDEX settlements_by_time;
    CREATE INDEX settlements_by_time ON settlements (settled_at, account_id, feature, credits);
    CREATE INDEX referrals_by_binding ON referrals (bound_at) WHERE bound_at IS NOT NULL;
    CREATE INDEX referrals_by_qualification ON referrals (qualified_at) WHERE qualified_at IS NOT NULL;
    CREATE INDEX referrals_by_reward ON referrals (rewarded_at) WHERE rewarded_at IS NOT NULL;
    """
}
