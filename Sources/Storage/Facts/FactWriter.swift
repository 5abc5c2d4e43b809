import AnalyticsContract
import ServerFacts

/// Stores facts in an open transaction: loads what they are about, judges them, erases, writes. While it runs nobody else
/// states facts: SQLite has one writer, and on PostgreSQL a lock sees to it.
struct FactWriter<Runner: StatementRunner> {
  let runner: Runner

  /// - Returns: `conflict` before anything was written.
  func state(_ facts: [Fact], at now: Instant) throws(Runner.Failure) -> FactOutcome {
    var ledger = try load(FactLedger.Keys(of: facts), at: now)
    var accepted = 0
    do throws(FactConflict) {
      for fact in facts where try ledger.apply(fact) { accepted += 1 }
    } catch { return .conflict }
    let erasure = Erasure(runner: runner)
    var erased = ErasureCounts()
    for account in ledger.deletedAccounts { try erasure.erase(account: account, into: &erased) }
    try store(ledger, at: now)
    return .stored(accepted: accepted, replayed: facts.count - accepted, erased: erased)
  }

  private func load(_ keys: FactLedger.Keys, at now: Instant) throws(Runner.Failure) -> FactLedger {
    var ledger = FactLedger(at: now)
    try FactTables.facts(receivedOn: now.day).load(keys.facts, into: &ledger.facts, runner)
    try FactTables.accounts.load(keys.accounts, into: &ledger.accounts, runner)
    try FactTables.tombstones.load(keys.accounts.map(\.accountDigest), into: &ledger.tombstones, runner)
    try FactTables.sessions.load(keys.sessions, into: &ledger.sessions, runner)
    try FactTables.settlements.load(keys.settlements, into: &ledger.settlements, runner)
    try FactTables.transactions.load(keys.transactions, into: &ledger.transactions, runner)
    try FactTables.codes.load(keys.codes, into: &ledger.codes, runner)
    try FactTables.referrals.load(keys.referrals, into: &ledger.referrals, runner)
    return ledger
  }

  private func store(_ ledger: FactLedger, at now: Instant) throws(Runner.Failure) {
    try FactTables.facts(receivedOn: now.day).store(ledger.facts, runner)
    try FactTables.accounts.store(ledger.accounts, runner)
    try FactTables.tombstones.store(ledger.tombstones, runner)
    try FactTables.sessions.store(ledger.sessions, runner)
    try FactTables.settlements.store(ledger.settlements, runner)
    try FactTables.transactions.store(ledger.transactions, runner)
    try FactTables.codes.store(ledger.codes, runner)
    try FactTables.referrals.store(ledger.referrals, runner)
    for (day, count) in ledger.deletedRegistrations {
      try runner.change(
        """
        INSERT INTO deleted_registration_day_totals AS total (day, account_count)
        VALUES (CAST($1 AS bigint), CAST($2 AS bigint))
        ON CONFLICT (day) DO UPDATE SET account_count = total.account_count + excluded.account_count
        """, [StoredValue(day), .integer(count)])
    }
  }
}
