import AnalyticsContract
import Ingestion
import Reporting

/// Applies batches inside an open transaction. Belongs to the thread of its connection.
///
/// Batches of a group are applied one after another. A batch's items are inserted straight away, as nearly all of them
/// are new; where one turns out to conflict, those inserted before it are taken back by their keys. That is cheaper than
/// a savepoint for every batch, which would copy each page that the batches share, and cheaper than looking every item up
/// first.
final class SQLiteBatchWriter {
  private let installations: SQLiteInstallations
  private let events: SQLiteEvents
  private let summaries: SQLiteSummaries
  private let sessions: SQLiteSessions
  private let dayTotals: SQLiteDayTotalsWriter
  private let addActivity: SQLiteStatement
  private let findActivation: SQLiteStatement
  private let addSets: SQLiteStatement
  /// How many bytes were added to sets since they were last merged.
  var unmergedBytes = 0
  private var totals = DayTotals()
  private var sets = SetAdditions()

  init(_ connection: SQLiteConnection) throws(SQLiteError) {
    installations = try SQLiteInstallations(connection)
    events = try SQLiteEvents(connection)
    summaries = try SQLiteSummaries(connection)
    sessions = try SQLiteSessions(connection)
    dayTotals = try SQLiteDayTotalsWriter(connection)
    addActivity = try connection.prepare(
      """
      INSERT INTO activity VALUES (?, ?, ?)
      ON CONFLICT DO UPDATE SET kinds = kinds | excluded.kinds WHERE kinds | excluded.kinds <> kinds
      """)
    findActivation = try connection.prepare(
      """
      SELECT 1 FROM events
      WHERE installation_key = ? AND event_type = \(EventType.aiFeatureSucceeded.code) AND occurred_at BETWEEN ? AND ?
      LIMIT 1
      """)
    addSets = try connection.prepare("INSERT INTO installation_set_deltas (additions) VALUES (?)")
  }

  func apply(_ group: [Submission], _ counts: DayCounts) throws(SQLiteError) -> [CommitOutcome] {
    totals.removeAll()
    sets.removeAll()
    var outcomes: [CommitOutcome] = []
    outcomes.reserveCapacity(group.count)
    for submission in group { outcomes.append(try apply(submission)) }
    try dayTotals.write(totals, counts)
    if !sets.isEmpty {
      let additions = sets.encoded()
      unmergedBytes += additions.count
      addSets.bind(bytes: additions, at: 0)
      try addSets.run()
    }
    return outcomes
  }

  private func apply(_ submission: Submission) throws(SQLiteError) -> CommitOutcome {
    var account: UUIDValue?
    if let session = submission.session {
      account = try sessions.account(of: session, at: submission.receivedAt)
      if account == nil { return .unauthorized }
    }
    let row = try installations.row(of: submission.installation)
    if let account, let linked = row?.account, linked != account { return .conflict }
    let firstOpen: Event?
    switch FirstOpenRule.judge(submission.items, stored: row?.firstOpenEventID) {
    case .conflict: return .conflict
    case .noneOrFirst(let event): firstOpen = event
    }
    let key: Int64
    if let row {
      key = row.key
    } else {
      key = try installations.insert(submission, account: account, firstOpen: firstOpen)
    }
    let isFirstOpenNew = firstOpen != nil && row?.firstOpenEventID == nil
    let known = isFirstOpenNew ? firstOpen.map { FirstOpen($0) } : row?.firstOpen
    guard let accepted = try insertItems(of: submission, installation: key, firstOpen: known) else {
      if row == nil { try installations.delete(key: key) }
      return .conflict
    }
    if isFirstOpenNew, let known { try noteFirstOpen(known, installation: key, isKnown: row != nil) }
    if let row { try installations.update(row, with: submission, account: account, firstOpen: firstOpen) }
    if account != nil, row?.account == nil { totals.addLink(at: submission.receivedAt) }
    return .stored(accepted: accepted, replayed: submission.items.count - accepted)
  }

  /// Adds a new first open to its cohort. What succeeded before it arrived may have activated the installation.
  private func noteFirstOpen(_ firstOpen: FirstOpen, installation: Int64, isKnown: Bool) throws(SQLiteError) {
    sets.add(firstOpen, installation: UInt32(installation))
    guard isKnown else { return }
    findActivation.bind(installation, at: 0)
    findActivation.bind(firstOpen.at.microseconds, at: 1)
    findActivation.bind(firstOpen.activationEnd.microseconds, at: 2)
    if try findActivation.step() {
      findActivation.reset()
      sets.add(activationAfter: firstOpen, installation: UInt32(installation))
    }
  }

  /// Inserts a batch's items, and counts them once all of them are in.
  /// - Returns: how many were new, or `nil` after taking everything back because one conflicts.
  private func insertItems(
    of submission: Submission, installation: Int64, firstOpen: FirstOpen?
  ) throws(SQLiteError) -> Int? {
    let now = submission.receivedAt
    var activity = DailyActivity()
    let accepted: Int
    switch submission.items {
    case .events(let items):
      let new = try insertAll(
        items,
        insert: { (event) throws(SQLiteError) in try events.insert(event, installation: installation, receivedAt: now)
        },
        delete: { (event) throws(SQLiteError) in try events.delete(event, installation: installation) })
      guard let new else { return nil }
      for event in new {
        totals.add(accepted: event, receivedAt: now)
        activity.add(event)
      }
      if let firstOpen, new.contains(where: firstOpen.isActivation) {
        sets.add(activationAfter: firstOpen, installation: UInt32(installation))
      }
      accepted = new.count
      totals.add(replayed: items.count - accepted, endpoint: .events, receivedAt: now)
    case .summaries(let items):
      let new = try insertAll(
        items,
        insert: { (item) throws(SQLiteError) in try summaries.insert(item, installation: installation, receivedAt: now)
        },
        delete: { (item) throws(SQLiteError) in try summaries.delete(item, installation: installation) })
      guard let new else { return nil }
      for summary in new {
        totals.add(accepted: summary, receivedAt: now)
        activity.add(summary)
      }
      accepted = new.count
      totals.add(replayed: items.count - accepted, endpoint: .keyboardUsage, receivedAt: now)
    }
    sets.add(activity, installation: UInt32(installation))
    for day in activity.days where !day.kinds.isEmpty {
      addActivity.bind(installation, at: 0)
      addActivity.bind(Int64(day.day.daysSince1970), at: 1)
      addActivity.bind(day.kinds.rawValue, at: 2)
      try addActivity.run()
    }
    return accepted
  }

  private func insertAll<Item>(
    _ items: [Item], insert: (Item) throws(SQLiteError) -> ItemOutcome, delete: (Item) throws(SQLiteError) -> Void
  ) throws(SQLiteError) -> [Item]? {
    var new: [Item] = []
    new.reserveCapacity(items.count)
    for item in items {
      switch try insert(item) {
      case .accepted: new.append(item)
      case .replayed: break
      case .conflict:
        for item in new { try delete(item) }
        return nil
      }
    }
    return new
  }
}
