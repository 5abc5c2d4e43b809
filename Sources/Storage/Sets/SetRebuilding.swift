import AnalyticsContract
import Reporting
import ServerFacts

/// Makes the sets of installations anew from what they are derived from: events, summaries and first opens.
struct SetRebuilding<Runner: StatementRunner> {
  let runner: Runner
  /// Of which days: those whose events are all retained.
  let days: ClosedRange<CalendarDay>

  /// So many keys of installations are read by one query.
  private static var keysAtOnce: Int64 { 20_000 }

  /// Days that can have sets, as of an instant. On a day before these, events may have expired.
  static func days(at now: Instant) -> ClosedRange<CalendarDay> {
    // A device's clock may be a little ahead of midnight.
    now.day.advanced(by: 2 - RetentionPolicy.days)...now.day.advanced(by: 1)
  }

  /// The sets as they must be.
  func sets() throws(Runner.Failure) -> [SetKey: InstallationSet] {
    var sets: [SetKey: InstallationSet] = [:]
    let last = try runner.select("SELECT coalesce(max(installation_key), 0) FROM installations", [], [.bigint])
    let end = last[0][0].integer ?? 0
    var first: Int64 = 0
    while first <= end {
      var additions = SetAdditions()
      try addEvents(first, &additions)
      try addSummaries(first, &additions)
      try addFirstOpens(first, &additions)
      for (key, keys) in additions.keys {
        if sets[key] == nil { sets[key] = InstallationSet() }
        sets[key]!.insert(keys)
      }
      first += Self.keysAtOnce
    }
    return sets
  }

  private func addEvents(_ first: Int64, _ additions: inout SetAdditions) throws(Runner.Failure) {
    try runner.scan(
      """
      SELECT DISTINCT installation_key, occurred_at / \(CalendarDay.microseconds), event_type, surface,
        coalesce(app_version, ''), coalesce(os_version, '')
      FROM events
      WHERE installation_key >= CAST($1 AS bigint) AND installation_key < CAST($2 AS bigint)
        AND occurred_at >= CAST($3 AS bigint)
      """, range(first) + [StoredValue(days.lowerBound.start)]
    ) { row in
      guard let type = EventType(rawValue: row.code(2)), let surface = Surface(rawValue: row.code(3)) else { return }
      let installation = UInt32(clamping: row.integer(0))
      let kinds = EventKind(type: type, surface: surface).activity
      for kind in kinds.sets { additions.add(installation, to: SetKey(kind, row.day(1))) }
      if kinds.isDisjoint(with: [.app, .keyboard]) { return }
      additions.add(installation, to: SetKey(.appVersion, row.day(1), label: row.text(4)))
      additions.add(installation, to: SetKey(.osVersion, row.day(1), label: row.text(5)))
    }
  }

  private func addSummaries(_ first: Int64, _ additions: inout SetAdditions) throws(Runner.Failure) {
    try runner.scan(
      """
      SELECT installation_key, summary_day FROM keyboard_summaries
      WHERE installation_key >= CAST($1 AS bigint) AND installation_key < CAST($2 AS bigint)
        AND summary_day >= CAST($3 AS bigint)
      """, range(first) + [StoredValue(days.lowerBound)]
    ) { row in
      additions.add(UInt32(clamping: row.integer(0)), to: SetKey(.usageReported, row.day(1)))
    }
  }

  private func addFirstOpens(_ first: Int64, _ additions: inout SetAdditions) throws(Runner.Failure) {
    try runner.scan(
      """
      SELECT installation_key, first_open_at, coalesce(acquisition_channel, 0), CASE WHEN EXISTS (
        SELECT 1 FROM events WHERE events.installation_key = installations.installation_key
          AND event_type = \(EventType.aiFeatureSucceeded.code)
          AND occurred_at BETWEEN first_open_at AND first_open_at + \(7 * CalendarDay.microseconds)
      ) THEN 1 ELSE 0 END
      FROM installations
      WHERE installation_key >= CAST($1 AS bigint) AND installation_key < CAST($2 AS bigint)
        AND first_open_at >= CAST($3 AS bigint)
      """, range(first) + [StoredValue(days.lowerBound.start)]
    ) { row in
      let firstOpen = FirstOpen(at: Instant(microseconds: row.integer(1)), channel: row.code(2))
      additions.add(firstOpen, installation: UInt32(clamping: row.integer(0)))
      if row.integer(3) == 1 {
        additions.add(activationAfter: firstOpen, installation: UInt32(clamping: row.integer(0)))
      }
    }
  }

  private func range(_ first: Int64) -> [StoredValue] { [.integer(first), .integer(first + Self.keysAtOnce)] }

  /// Replaces what is stored of the days, in an open transaction in which nobody else merges.
  /// - Returns: how many sets there are.
  func replace() throws(Runner.Failure) -> Int64 {
    let sets = try sets()
    try runner.change(
      "DELETE FROM installation_sets WHERE day >= CAST($1 AS bigint)", [StoredValue(days.lowerBound)])
    try StoredSets(runner: runner).store(sets.map { ($0.key, $0.value.serialized()) })
    return Int64(sets.count)
  }

  /// How many sets are not what they must be.
  func differences() throws(Runner.Failure) -> Int64 {
    var expected = try sets()
    var stored: [SetKey: InstallationSet] = [:]
    try StoredSets(runner: runner).read(Set(SetKind.allCases), days) { key, set in
      if let part = stored[key] { part.formUnion(set) } else { stored[key] = set }
    }
    var differences: Int64 = 0
    for (key, set) in stored {
      let counterpart = expected.removeValue(forKey: key)
      if counterpart != set, !(counterpart == nil && set.isEmpty) { differences += 1 }
    }
    return differences + Int64(expected.count)
  }
}
