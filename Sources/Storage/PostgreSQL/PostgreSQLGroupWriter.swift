import AnalyticsContract
import Ingestion
import PostgreSQL
import Reporting

/// Commits a group of batches in one transaction, with statements that each handle the whole group.
///
/// Groups of several connections and servers run side by side, in READ COMMITTED. What keeps them right and free of
/// deadlocks is one lock an installation: its row.
///
/// - A group first keeps the accounts of its sessions from being deleted, in the order of their ids: who deletes an account
///   locks it first as well, and its installations after that.
/// - It then locks the rows of its installations, in the order of their keys, then inserts those that are new, in the
///   order of their digests. From then on nobody else can change anything of these installations: what is looked up is
///   what will be there at the commit, and no insert can meet another one. So no unique key is ever violated, which
///   matters beside correctness: PostgreSQL's log would show the key.
/// - Only another transaction that inserts the same new installation can come in between. Then this one is rolled back, and
///   finds the installation when it is tried again.
/// - Deltas have no key, and nobody waits for one.
struct PostgreSQLGroupWriter {
  /// What became of an attempt.
  enum Attempt {
    /// The group is durable; the outcomes are in order.
    case committed([CommitOutcome])
    /// Another transaction stored a new installation first; nothing of the group is stored.
    case overtaken
  }

  let connection: PostgreSQLConnection
  let group: [Submission]
  let counts: DayCounts

  func commit() throws(PostgreSQLError) -> Attempt {
    if group.isEmpty {
      try connection.commit([PostgreSQLRequest("BEGIN"), addDeltas(DayTotals())])
      return .committed([])
    }
    var (outcomes, batches) = try judge()
    guard try insertInstallations(&batches) else { return .overtaken }
    // Rows that are inserted in the order of their key cost least.
    batches.sort { $0.key < $1.key }
    let activity = try removeStored(&batches, &outcomes)
    try write(batches, activity)
    for batch in batches { outcomes[batch.position] = batch.outcome }
    return .committed(outcomes.map { $0! })
  }

  private func addDeltas(_ totals: DayTotals) -> PostgreSQLRequest {
    PostgreSQLRequest(IngestionStatements.addDeltas, totals.deltas(counts))
  }

  // MARK: - Judging

  /// Begins the transaction, finds the sessions and locks their accounts, then locks the installations.
  /// - Returns: the outcomes that are clear already, and the batches that go on.
  private func judge() throws(PostgreSQLError) -> ([CommitOutcome?], [PostgreSQLBatch]) {
    var digests = BinaryArray(of: .bytes, capacity: group.count * 4)
    for submission in group { digests.append(submission.installation) }
    var tokens = BinaryArray(of: .bytes)
    var stated = BinaryArray(of: .uuid)
    var twins = BinaryArray(of: .bytes)
    for case let session? in group.map(\.session) {
      tokens.append(session.digest)
      stated.append(session.account)
      twins.append(session.twin)
    }
    var requests = [PostgreSQLRequest("BEGIN")]
    if tokens.count > 0 {
      requests.append(PostgreSQLRequest(IngestionStatements.findSessions, .init(tokens, stated, twins)))
    }
    requests.append(PostgreSQLRequest(IngestionStatements.lockInstallations, .init(digests)))
    let results = try connection.run(requests)
    let rows = installations(in: results.last!)
    let accounts = tokens.count > 0 ? accounts(in: results[1]) : [:]

    var outcomes = [CommitOutcome?](repeating: nil, count: group.count)
    var batches: [PostgreSQLBatch] = []
    batches.reserveCapacity(group.count)
    for (position, submission) in group.enumerated() {
      let row = rows[position]
      if submission.session != nil, accounts[position] == nil {
        outcomes[position] = .unauthorized
      } else if let batch = judge(submission, at: position, row, account: accounts[position]) {
        batches.append(batch)
      } else {
        outcomes[position] = .conflict
      }
    }
    return (outcomes, batches)
  }

  /// - Returns: `nil` where the batch contradicts itself or its installation.
  private func judge(
    _ submission: Submission, at position: Int, _ row: InstallationRow?, account: UUIDValue?
  ) -> PostgreSQLBatch? {
    if let account, let linked = row?.account, linked != account { return nil }
    guard case .noneOrFirst(let firstOpen) = FirstOpenRule.judge(submission.items, stored: row?.firstOpenEventID) else {
      return nil
    }
    var batch = PostgreSQLBatch(
      position: position, submission: submission, account: account, row: row, firstOpen: firstOpen, key: row?.key ?? 0)
    switch submission.items {
    case .events(let events):
      guard let unique = UniqueItems.of(events) else { return nil }
      batch.events = unique
    case .summaries(let summaries):
      guard let unique = UniqueItems.of(summaries) else { return nil }
      batch.summaries = unique
    }
    return batch
  }

  private func installations(in result: PostgreSQLResult) -> [InstallationRow?] {
    var rows = [InstallationRow?](repeating: nil, count: group.count)
    for row in 0..<result.rowCount {
      rows[Int(result.integer(row, 0)) - 1] = InstallationRow(
        key: result.integer(row, 1), account: result.uuid(row, 2), lastSeenDay: result.integer(row, 3),
        firstOpenEventID: result.uuid(row, 4),
        firstOpen: result.optionalInteger(row, 5).map {
          FirstOpen(at: Instant(microseconds: $0), channel: UInt8(clamping: result.integer(row, 6)))
        })
    }
    return rows
  }

  /// The accounts of valid sessions, by the batch's place in the group.
  private func accounts(in result: PostgreSQLResult) -> [Int: UUIDValue] {
    let positions = group.indices.filter { group[$0].session != nil }
    var accounts: [Int: UUIDValue] = [:]
    for row in 0..<result.rowCount {
      let position = positions[Int(result.integer(row, 0)) - 1]
      // A row without an expiry is no session that could be looked up.
      let isInTime = result.optionalInteger(row, 2).map { $0 > group[position].receivedAt.microseconds } ?? false
      if group[position].session?.account != nil || isInTime { accounts[position] = result.uuid(row, 1) }
    }
    return accounts
  }

  // MARK: - Items that are stored already

  /// Finds what is stored, takes those items out of their batches, and takes out the batches that contradict them.
  /// - Returns: what the group shows that is not stored yet about its installations' days.
  private func removeStored(
    _ batches: inout [PostgreSQLBatch], _ outcomes: inout [CommitOutcome?]
  ) throws(PostgreSQLError) -> GroupActivity {
    var keys = BinaryArray(of: .int64)
    var ids = BinaryArray(of: .uuid)
    var summaryKeys = BinaryArray(of: .int64)
    // A new installation has nothing stored.
    for batch in batches where batch.row != nil {
      for event in batch.events {
        keys.append(batch.key)
        ids.append(event.clientEventID)
      }
      if !batch.summaries.isEmpty { summaryKeys.append(batch.key) }
    }
    let searches = [
      keys.count > 0 ? PostgreSQLRequest(IngestionStatements.findEvents, .init(keys, ids)) : nil,
      summaryKeys.count > 0 ? PostgreSQLRequest(IngestionStatements.findSummaries, .init(summaryKeys)) : nil,
      GroupActivity(of: batches.filter { $0.row != nil }).search(),
    ]
    let requests = searches.compactMap { $0 }
    var results = requests.isEmpty ? [] : try connection.run(requests)[...]
    let events = keys.count > 0 ? StoredEvents(results.removeFirst()) : nil
    let summaries = summaryKeys.count > 0 ? StoredSummaries(results.removeFirst()) : nil

    var kept: [PostgreSQLBatch] = []
    kept.reserveCapacity(batches.count)
    for var batch in batches {
      if events?.remove(from: &batch) ?? true, summaries?.remove(from: &batch) ?? true {
        kept.append(batch)
      } else {
        outcomes[batch.position] = .conflict
      }
    }
    batches = kept
    var activity = GroupActivity(of: batches)
    if let stored = results.first { activity.remove(stored: stored) }
    return activity
  }

  // MARK: - Writing

  /// Inserts the installations that are new, and notes their keys.
  /// - Returns: whether all of them still were new.
  private func insertInstallations(_ batches: inout [PostgreSQLBatch]) throws(PostgreSQLError) -> Bool {
    let new = batches.indices.filter { batches[$0].row == nil }
      .sorted { batches[$0].submission.installation.precedes(batches[$1].submission.installation) }
    if new.isEmpty { return true }
    let statement = IngestionStatements.insertInstallations
    let result = try connection.run(statement, .newInstallations(new.map { batches[$0] }))
    guard result.rowCount == new.count else { return false }
    var keys: [Digest: Int64] = [:]
    for row in 0..<result.rowCount { keys[result.digest(row, 0)!] = result.integer(row, 1) }
    for position in new { batches[position].key = keys[batches[position].submission.installation]! }
    return true
  }

  /// Writes everything that the group changes, and commits.
  private func write(_ batches: [PostgreSQLBatch], _ activity: GroupActivity) throws(PostgreSQLError) {
    var totals = DayTotals()
    for batch in batches { totals.add(batch) }
    if totals.isEmpty, counts.isEmpty {
      try connection.execute("ROLLBACK")
      return
    }
    let sets = try additions(of: batches)
    let changed = batches.filter(\.changesInstallation)
    let requests = [
      changed.isEmpty
        ? nil : PostgreSQLRequest(IngestionStatements.updateInstallations, .changedInstallations(changed)),
      batches.allSatisfy(\.summaries.isEmpty)
        ? nil : PostgreSQLRequest(IngestionStatements.insertSummaries, .summaries(of: batches)),
      activity.additions(),
      sets.isEmpty ? nil : PostgreSQLRequest(IngestionStatements.addSets, .bytes(sets.encoded())),
      addDeltas(totals),
    ].compactMap { $0 }
    let events = CopyRows.events(of: batches)
    if events.count == 0 {
      try connection.commit(requests)
    } else {
      try connection.run(requests)
      try connection.commit(events, into: "events")
    }
  }

  /// What the group adds to the sets that reports count by.
  private func additions(of batches: [PostgreSQLBatch]) throws(PostgreSQLError) -> SetAdditions {
    var sets = SetAdditions()
    for batch in batches {
      var activity = DailyActivity()
      for event in batch.events { activity.add(event) }
      for summary in batch.summaries { activity.add(summary) }
      sets.add(activity, installation: UInt32(batch.key))
      guard let firstOpen = batch.knownFirstOpen else { continue }
      if batch.isNewFirstOpen { sets.add(firstOpen, installation: UInt32(batch.key)) }
      if batch.events.contains(where: firstOpen.isActivation) {
        sets.add(activationAfter: firstOpen, installation: UInt32(batch.key))
      }
    }
    // What succeeded before the first open arrived may have activated the installation.
    let opened = batches.filter { $0.row != nil && $0.isNewFirstOpen }
    if opened.isEmpty { return sets }
    let result = try connection.run(IngestionStatements.findActivations, .activationWindows(of: opened))
    for row in 0..<result.rowCount {
      let batch = opened[Int(result.integer(row, 0)) - 1]
      sets.add(activationAfter: batch.knownFirstOpen!, installation: UInt32(batch.key))
    }
    return sets
  }
}

extension DayTotals {
  fileprivate mutating func add(_ batch: PostgreSQLBatch) {
    let now = batch.submission.receivedAt
    for event in batch.events { add(accepted: event, receivedAt: now) }
    for summary in batch.summaries { add(accepted: summary, receivedAt: now) }
    let endpoint: IngestionEndpoint
    switch batch.submission.items {
    case .events: endpoint = .events
    case .summaries: endpoint = .keyboardUsage
    }
    add(replayed: batch.submission.items.count - batch.accepted, endpoint: endpoint, receivedAt: now)
    if batch.isNewLink { addLink(at: now) }
  }
}
