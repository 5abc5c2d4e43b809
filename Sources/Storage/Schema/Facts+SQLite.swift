extension Migration {
  /// What the account server states, and what retention and erasure keep account of.
  static let factsOnSQLite = """
    -- A row may know less than a session: one that was revoked before it was issued, or whose account was deleted.
    CREATE TABLE new_sessions (
      token_digest BLOB NOT NULL PRIMARY KEY CHECK (length(token_digest) = 32),
      account_id BLOB CHECK (length(account_id) = 16),
      expires_at INTEGER,
      revoked_at INTEGER
    ) STRICT, WITHOUT ROWID;
    INSERT INTO new_sessions SELECT token_digest, account_id, expires_at, revoked_at FROM sessions;
    DROP TABLE sessions;
    ALTER TABLE new_sessions RENAME TO sessions;
    CREATE INDEX sessions_by_account ON sessions (account_id) WHERE account_id IS NOT NULL;
    CREATE INDEX sessions_by_expiry ON sessions (expires_at);

    -- Fact ids, for as long as a fact may be sent again: the digest is of all values of the fact.
    CREATE TABLE facts (
      fact_id BLOB NOT NULL PRIMARY KEY CHECK (length(fact_id) = 16),
      values_digest BLOB NOT NULL CHECK (length(values_digest) = 32),
      received_day INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX facts_by_day ON facts (received_day);

    -- Tombstones: the digest of a deleted account's id, so that late facts don't bring it back.
    CREATE TABLE deleted_accounts (
      account_digest BLOB NOT NULL PRIMARY KEY CHECK (length(account_digest) = 32),
      deleted_at INTEGER NOT NULL,
      -- When it had been created, once that was stated: the registration is counted once.
      created_at INTEGER
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE settlements (
      settlement_id BLOB NOT NULL PRIMARY KEY CHECK (length(settlement_id) = 16),
      account_id BLOB CHECK (length(account_id) = 16),
      settled_at INTEGER NOT NULL,
      feature INTEGER NOT NULL,
      credits INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX settlements_by_time ON settlements (settled_at);
    CREATE INDEX settlements_by_account ON settlements (account_id) WHERE account_id IS NOT NULL;

    -- Verified transactions. Prices are in milliunits of the currency and cover the quantity; environment is 1 for
    -- production and 2 for the sandbox.
    CREATE TABLE storekit_transactions (
      transaction_id TEXT NOT NULL PRIMARY KEY,
      original_transaction_id TEXT NOT NULL,
      account_id BLOB CHECK (length(account_id) = 16),
      product_id TEXT NOT NULL,
      product_type INTEGER NOT NULL,
      quantity INTEGER NOT NULL,
      purchased_at INTEGER NOT NULL,
      price INTEGER,
      currency TEXT,
      refunded_at INTEGER,
      environment INTEGER NOT NULL,
      storefront TEXT
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX storekit_transactions_by_purchase ON storekit_transactions (purchased_at);
    CREATE INDEX storekit_transactions_by_refund ON storekit_transactions (refunded_at) WHERE refunded_at IS NOT NULL;
    CREATE INDEX storekit_transactions_by_account ON storekit_transactions (account_id) WHERE account_id IS NOT NULL;

    -- As with sessions, a row may know the revocation alone.
    CREATE TABLE referral_codes (
      code_digest BLOB NOT NULL PRIMARY KEY CHECK (length(code_digest) = 32),
      account_id BLOB CHECK (length(account_id) = 16),
      issued_at INTEGER,
      revoked_at INTEGER
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX referral_codes_by_account ON referral_codes (account_id) WHERE account_id IS NOT NULL;

    CREATE TABLE referrals (
      referral_id BLOB NOT NULL PRIMARY KEY CHECK (length(referral_id) = 16),
      inviter_account_id BLOB CHECK (length(inviter_account_id) = 16),
      invitee_account_id BLOB CHECK (length(invitee_account_id) = 16),
      bound_at INTEGER,
      qualified_at INTEGER,
      rewarded_at INTEGER,
      credits INTEGER
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX referrals_by_inviter ON referrals (inviter_account_id) WHERE inviter_account_id IS NOT NULL;
    CREATE INDEX referrals_by_invitee ON referrals (invitee_account_id) WHERE invitee_account_id IS NOT NULL;

    -- How many accounts that were created on a day have been deleted since: registrations are these and the accounts.
    CREATE TABLE deleted_registration_day_totals (
      day INTEGER NOT NULL PRIMARY KEY,
      account_count INTEGER NOT NULL
    ) STRICT;

    CREATE TABLE invitation_day_totals (
      day INTEGER NOT NULL PRIMARY KEY,
      view_count INTEGER NOT NULL
    ) STRICT;

    -- How many items of a day were erased: with them, totals still add up to what is stored.
    CREATE TABLE erased_day_totals (
      day INTEGER NOT NULL PRIMARY KEY,
      event_count INTEGER NOT NULL,
      summary_count INTEGER NOT NULL
    ) STRICT;

    -- A day that can take no more items: its distinct counts, and the digest of all its totals. Rows never change.
    CREATE TABLE sealed_days (
      day INTEGER NOT NULL PRIMARY KEY,
      sealed_at INTEGER NOT NULL,
      active_installations INTEGER NOT NULL,
      active_in_app INTEGER NOT NULL,
      active_in_keyboard INTEGER NOT NULL,
      -- Distinct in the 7 and 28 days that end with this one.
      weekly_active INTEGER NOT NULL,
      monthly_active INTEGER NOT NULL,
      ai_active_installations INTEGER NOT NULL,
      purchase_viewed_installations INTEGER NOT NULL,
      purchase_started_installations INTEGER NOT NULL,
      purchase_cancelled_installations INTEGER NOT NULL,
      reporting_installations INTEGER NOT NULL,
      spending_accounts INTEGER NOT NULL,
      purchasing_accounts INTEGER NOT NULL,
      totals_digest BLOB NOT NULL CHECK (length(totals_digest) = 32)
    ) STRICT;

    -- The installations whose first open lay on a day, by channel: how many had an AI success within seven times 24
    -- hours, and how many were active so many days later. Rows never change.
    CREATE TABLE sealed_cohorts (
      day INTEGER NOT NULL,
      acquisition_channel INTEGER NOT NULL,
      size INTEGER NOT NULL,
      activated INTEGER NOT NULL,
      retained_1 INTEGER NOT NULL,
      retained_3 INTEGER NOT NULL,
      retained_7 INTEGER NOT NULL,
      retained_14 INTEGER NOT NULL,
      retained_28 INTEGER NOT NULL,
      PRIMARY KEY (day, acquisition_channel)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE retention_runs (
      day INTEGER NOT NULL PRIMARY KEY,
      completed_at INTEGER NOT NULL
    ) STRICT;

    CREATE INDEX accounts_by_creation ON accounts (created_at) WHERE created_at IS NOT NULL;
    CREATE INDEX activity_by_day ON activity (day);
    CREATE INDEX installations_by_first_open ON installations (first_open_at) WHERE first_open_at IS NOT NULL;
    """
}
