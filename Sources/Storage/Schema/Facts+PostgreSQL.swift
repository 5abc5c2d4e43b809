extension Migration {
  /// What the account server states, and what retention and erasure keep account of: the tables and columns of
  /// ``factsOnSQLite`` under the same names.
  static let factsOnPostgreSQL = """
    -- A row may know less than a session: one that was revoked before it was issued, or whose account was deleted.
    ALTER TABLE sessions ALTER COLUMN account_id DROP NOT NULL, ALTER COLUMN expires_at DROP NOT NULL;
    CREATE INDEX sessions_by_expiry ON sessions (expires_at);

    -- Fact ids, for as long as a fact may be sent again: the digest is of all values of the fact.
    CREATE TABLE facts (
      fact_id uuid NOT NULL PRIMARY KEY,
      values_digest bytea NOT NULL CHECK (length(values_digest) = 32),
      received_day integer NOT NULL
    );
    CREATE INDEX facts_by_day ON facts (received_day);

    -- Tombstones: the digest of a deleted account's id, so that late facts don't bring it back.
    CREATE TABLE deleted_accounts (
      account_digest bytea NOT NULL PRIMARY KEY CHECK (length(account_digest) = 32),
      deleted_at bigint NOT NULL,
      -- When it had been created, once that was stated: the registration is counted once.
      created_at bigint
    );

    CREATE TABLE settlements (
      settlement_id uuid NOT NULL PRIMARY KEY,
      account_id uuid,
      settled_at bigint NOT NULL,
      feature smallint NOT NULL,
      credits bigint NOT NULL
    );
    CREATE INDEX settlements_by_time ON settlements (settled_at);
    CREATE INDEX settlements_by_account ON settlements (account_id) WHERE account_id IS NOT NULL;

    -- Verified transactions. Prices are in milliunits of the currency and cover the quantity; environment is 1 for
    -- production and 2 for the sandbox.
    CREATE TABLE storekit_transactions (
      transaction_id text NOT NULL PRIMARY KEY,
      original_transaction_id text NOT NULL,
      account_id uuid,
      product_id text NOT NULL,
      product_type smallint NOT NULL,
      quantity integer NOT NULL,
      purchased_at bigint NOT NULL,
      price bigint,
      currency text,
      refunded_at bigint,
      environment smallint NOT NULL,
      storefront text
    );
    CREATE INDEX storekit_transactions_by_purchase ON storekit_transactions (purchased_at);
    CREATE INDEX storekit_transactions_by_refund ON storekit_transactions (refunded_at) WHERE refunded_at IS NOT NULL;
    CREATE INDEX storekit_transactions_by_account ON storekit_transactions (account_id) WHERE account_id IS NOT NULL;

    -- As with sessions, a row may know the revocation alone.
    CREATE TABLE referral_codes (
      code_digest bytea NOT NULL PRIMARY KEY CHECK (length(code_digest) = 32),
      account_id uuid,
      issued_at bigint,
      revoked_at bigint
    );
    CREATE INDEX referral_codes_by_account ON referral_codes (account_id) WHERE account_id IS NOT NULL;

    CREATE TABLE referrals (
      referral_id uuid NOT NULL PRIMARY KEY,
      inviter_account_id uuid,
      invitee_account_id uuid,
      bound_at bigint,
      qualified_at bigint,
      rewarded_at bigint,
      credits bigint
    );
    CREATE INDEX referrals_by_inviter ON referrals (inviter_account_id) WHERE inviter_account_id IS NOT NULL;
    CREATE INDEX referrals_by_invitee ON referrals (invitee_account_id) WHERE invitee_account_id IS NOT NULL;

    -- How many accounts that were created on a day have been deleted since: registrations are these and the accounts.
    CREATE TABLE deleted_registration_day_totals (
      day integer NOT NULL PRIMARY KEY,
      account_count bigint NOT NULL
    );

    ALTER TABLE day_total_deltas ADD COLUMN invitation_days integer[], ADD COLUMN invitation_view_counts bigint[];
    CREATE TABLE folded_invitation_day_totals (
      day integer NOT NULL PRIMARY KEY,
      view_count bigint NOT NULL
    ) WITH (fillfactor = 60);
    CREATE VIEW invitation_day_totals AS
      SELECT day, sum(view_count)::bigint AS view_count
      FROM (
        SELECT * FROM folded_invitation_day_totals
        UNION ALL
        SELECT delta.* FROM day_total_deltas, unnest(invitation_days, invitation_view_counts) AS delta
      ) AS parts
      GROUP BY day;

    -- How many items of a day were erased: with them, totals still add up to what is stored.
    CREATE TABLE erased_day_totals (
      day integer NOT NULL PRIMARY KEY,
      event_count bigint NOT NULL,
      summary_count bigint NOT NULL
    );

    -- A day that can take no more items: its distinct counts, and the digest of all its totals. Rows never change.
    CREATE TABLE sealed_days (
      day integer NOT NULL PRIMARY KEY,
      sealed_at bigint NOT NULL,
      active_installations bigint NOT NULL,
      active_in_app bigint NOT NULL,
      active_in_keyboard bigint NOT NULL,
      -- Distinct in the 7 and 28 days that end with this one.
      weekly_active bigint NOT NULL,
      monthly_active bigint NOT NULL,
      ai_active_installations bigint NOT NULL,
      purchase_viewed_installations bigint NOT NULL,
      purchase_started_installations bigint NOT NULL,
      purchase_cancelled_installations bigint NOT NULL,
      reporting_installations bigint NOT NULL,
      spending_accounts bigint NOT NULL,
      purchasing_accounts bigint NOT NULL,
      totals_digest bytea NOT NULL CHECK (length(totals_digest) = 32)
    );

    -- The installations whose first open lay on a day, by channel: how many had an AI success within seven times 24
    -- hours, and how many were active so many days later. Rows never change.
    CREATE TABLE sealed_cohorts (
      day integer NOT NULL,
      acquisition_channel smallint NOT NULL,
      size bigint NOT NULL,
      activated bigint NOT NULL,
      retained_1 bigint NOT NULL,
      retained_3 bigint NOT NULL,
      retained_7 bigint NOT NULL,
      retained_14 bigint NOT NULL,
      retained_28 bigint NOT NULL,
      PRIMARY KEY (day, acquisition_channel)
    );

    CREATE TABLE retention_runs (
      day integer NOT NULL PRIMARY KEY,
      completed_at bigint NOT NULL
    );

    CREATE INDEX accounts_by_creation ON accounts (created_at) WHERE created_at IS NOT NULL;
    CREATE INDEX activity_by_day ON activity (day);
    CREATE INDEX installations_by_first_open ON installations (first_open_at) WHERE first_open_at IS NOT NULL;
    """
}
