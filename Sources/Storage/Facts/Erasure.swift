import AnalyticsContract
import ServerFacts

/// Removes what is kept of an account or an installation, in an open transaction that holds their locks. Day totals carry
/// no identity and stay; how many of the items that they count are gone is noted.
struct Erasure<Runner: StatementRunner> {
  let runner: Runner

  /// Erases a deleted account: everything that names it goes, and what must stay for its totals stays without it.
  func erase(account: UUIDValue, into counts: inout ErasureCounts) throws(Runner.Failure) {
    let account = [StoredValue(account)]
    try eraseItems(
      of: "installation_key IN (SELECT installation_key FROM installations WHERE account_id = $1)", account, &counts)
    counts.installations += try runner.change("DELETE FROM installations WHERE account_id = $1", account)
    // A revocation is about a token or code, not about an account, and it may yet be stated what it revokes.
    counts.sessions += try runner.change(
      "DELETE FROM sessions WHERE account_id = $1 AND revoked_at IS NULL", account)
    counts.sessions += try runner.change(
      "UPDATE sessions SET account_id = NULL, expires_at = NULL WHERE account_id = $1", account)
    counts.referralCodes += try runner.change(
      "DELETE FROM referral_codes WHERE account_id = $1 AND revoked_at IS NULL", account)
    counts.referralCodes += try runner.change(
      "UPDATE referral_codes SET account_id = NULL, issued_at = NULL WHERE account_id = $1", account)
    for (table, column) in [
      ("settlements", "account_id"), ("storekit_transactions", "account_id"), ("referrals", "inviter_account_id"),
      ("referrals", "invitee_account_id"),
    ] {
      counts.unlinked += try runner.change("UPDATE \(table) SET \(column) = NULL WHERE \(column) = $1", account)
    }
    try runner.change("DELETE FROM accounts WHERE account_id = $1", account)
  }

  /// Erases an installation.
  func erase(installation: Digest) throws(Runner.Failure) -> ErasureCounts {
    var counts = ErasureCounts()
    let digest = [StoredValue(installation)]
    try eraseItems(
      of: "installation_key IN (SELECT installation_key FROM installations WHERE digest = $1)", digest, &counts)
    counts.installations = try runner.change("DELETE FROM installations WHERE digest = $1", digest)
    return counts
  }

  private func eraseItems(
    of condition: String, _ parameters: [StoredValue], _ counts: inout ErasureCounts
  ) throws(Runner.Failure) {
    try runner.change(
      """
      INSERT INTO erased_day_totals AS total (day, event_count, summary_count)
      SELECT day, sum(events), sum(summaries) FROM (
        SELECT occurred_at / \(CalendarDay.microseconds) AS day, 1 AS events, 0 AS summaries FROM events
        WHERE \(condition)
        UNION ALL
        SELECT summary_day, 0, 1 FROM keyboard_summaries WHERE \(condition)
      ) AS erased
      WHERE true
      GROUP BY day
      ON CONFLICT (day) DO UPDATE SET
        event_count = total.event_count + excluded.event_count,
        summary_count = total.summary_count + excluded.summary_count
      """, parameters)
    counts.events += try runner.change("DELETE FROM events WHERE \(condition)", parameters)
    counts.summaries += try runner.change("DELETE FROM keyboard_summaries WHERE \(condition)", parameters)
    try StoredSets(runner: runner).erase(condition, parameters)
    counts.activityDays += try runner.change("DELETE FROM activity WHERE \(condition)", parameters)
  }
}
