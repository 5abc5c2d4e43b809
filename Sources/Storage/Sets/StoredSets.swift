import AnalyticsContract
import Reporting

/// The sets of installations as they are at one moment: what is merged, with what transactions have added since, and
/// without what erasures took out. The statements are those of both databases.
struct StoredSets<Runner: StatementRunner> {
  let runner: Runner

  /// So many days are read by one query: their bitmaps are in memory together.
  private static var daysAtOnce: Int32 { 14 }

  /// Reads sets of some kinds and days. A set may come in two parts, each as a set of its own that may be kept and
  /// changed.
  func read(
    _ kinds: Set<SetKind>, _ days: ClosedRange<CalendarDay>, _ body: (SetKey, InstallationSet) -> Void
  ) throws(Runner.Failure) {
    let (additions, erased) = try deltas { kind, day in
      days.contains(day) && (kind == .erased || kinds.contains(kind))
    }
    let codes = kinds.map { String($0.rawValue) }.sorted().joined(separator: ", ")
    var first = days.lowerBound
    while first <= days.upperBound {
      let last = min(first.advanced(by: Self.daysAtOnce - 1), days.upperBound)
      try runner.scan(
        """
        SELECT day, kind, label, members FROM installation_sets
        WHERE day BETWEEN CAST($1 AS bigint) AND CAST($2 AS bigint) AND kind IN (\(codes))
        """, [StoredValue(first), StoredValue(last)]
      ) { row in
        guard let kind = SetKind(rawValue: row.code(1)), let set = InstallationSet(serialized: row.bytes(3)) else {
          return
        }
        if let gone = erased[row.day(0)] { set.subtract(gone) }
        body(SetKey(kind, row.day(0), label: row.text(2)), set)
      }
      first = last.advanced(by: 1)
    }
    for (key, keys) in additions.keys where key.kind != .erased {
      let set = InstallationSet()
      set.insert(keys)
      if let gone = erased[key.day] { set.subtract(gone) }
      body(key, set)
    }
  }

  /// What transactions have added that is not merged yet, and of it by day who was erased.
  private func deltas(
    where isWanted: (SetKind, CalendarDay) -> Bool
  ) throws(Runner.Failure) -> (SetAdditions, [CalendarDay: InstallationSet]) {
    var additions = SetAdditions()
    try runner.scan("SELECT additions FROM installation_set_deltas", []) { row in
      _ = additions.decode(row.bytes(0), where: isWanted)
    }
    return (additions, Self.erased(additions))
  }

  private static func erased(_ additions: SetAdditions) -> [CalendarDay: InstallationSet] {
    var erased: [CalendarDay: InstallationSet] = [:]
    for (key, keys) in additions.keys where key.kind == .erased {
      let set = InstallationSet()
      set.insert(keys)
      erased[key.day] = set
    }
    return erased
  }

  // MARK: - Merging

  /// What merging changes: sets as bytes, and the deltas that are in them then.
  struct Merge: Sendable {
    var sets: [(key: SetKey, members: [UInt8])] = []
    var sequences: [Int64] = []
  }

  /// Merges so many deltas at most, in memory: what is to be stored. Only one process may merge at a time.
  func merge(atMost rows: Int) throws(Runner.Failure) -> Merge {
    var additions = SetAdditions()
    var merge = Merge()
    try runner.scan("SELECT sequence, additions FROM installation_set_deltas ORDER BY sequence LIMIT \(rows)", []) {
      row in
      merge.sequences.append(row.integer(0))
      _ = additions.decode(row.bytes(1)) { _, _ in true }
    }
    let erased = Self.erased(additions)
    var changed: [SetKey: InstallationSet] = [:]
    for (key, keys) in additions.keys where key.kind != .erased {
      let set = InstallationSet()
      set.insert(keys)
      changed[key] = set
    }
    for (day, kinds) in Dictionary(grouping: changed.keys, by: \.day) where erased[day] == nil {
      // Only those that are added to.
      for key in kinds {
        if let stored = try members(of: key, on: day) { changed[key]!.formUnion(stored) }
      }
    }
    for (day, gone) in erased {
      try runner.scan(
        "SELECT kind, label, members FROM installation_sets WHERE day = CAST($1 AS bigint)", [StoredValue(day)]
      ) { row in
        guard let kind = SetKind(rawValue: row.code(0)), let set = InstallationSet(serialized: row.bytes(2)) else {
          return
        }
        let key = SetKey(kind, day, label: row.text(1))
        if let added = changed[key] { added.formUnion(set) } else { changed[key] = set }
      }
      for (key, set) in changed where key.day == day { set.subtract(gone) }
    }
    merge.sets = changed.map { ($0.key, $0.value.serialized()) }
    return merge
  }

  private func members(of key: SetKey, on day: CalendarDay) throws(Runner.Failure) -> InstallationSet? {
    var set: InstallationSet?
    try runner.scan(
      """
      SELECT members FROM installation_sets
      WHERE day = CAST($1 AS bigint) AND kind = CAST($2 AS bigint) AND label = $3
      """, [StoredValue(day), .integer(Int64(key.kind.rawValue)), .text(key.label)]
    ) { row in set = InstallationSet(serialized: row.bytes(0)) }
    return set
  }

  /// Stores sets.
  func store(_ sets: some Sequence<(key: SetKey, members: [UInt8])>) throws(Runner.Failure) {
    for (key, members) in sets {
      try runner.change(
        """
        INSERT INTO installation_sets (day, kind, label, members)
        VALUES (CAST($1 AS bigint), CAST($2 AS bigint), $3, $4)
        ON CONFLICT (day, kind, label) DO UPDATE SET members = excluded.members
        """,
        [StoredValue(key.day), .integer(Int64(key.kind.rawValue)), .text(key.label), .bytes(members)])
    }
  }

  /// Removes deltas whose additions are stored.
  func remove(_ sequences: [Int64]) throws(Runner.Failure) {
    guard let first = sequences.first, let last = sequences.last else { return }
    // A delta in between that others have yet to commit is not in the list, and stays.
    let places = sequences.map(String.init).joined(separator: ", ")
    try runner.change(
      """
      DELETE FROM installation_set_deltas
      WHERE sequence BETWEEN CAST($1 AS bigint) AND CAST($2 AS bigint) AND sequence IN (\(places))
      """, [.integer(first), .integer(last)])
  }

  // MARK: - Erasing

  /// Takes installations out of all sets of the days on which they did something: those of some rows of `activity`.
  func erase(_ condition: String, _ parameters: [StoredValue]) throws(Runner.Failure) {
    var additions = SetAdditions()
    try runner.scan("SELECT installation_key, day FROM activity WHERE \(condition)", parameters) { row in
      additions.add(UInt32(clamping: row.integer(0)), to: SetKey(.erased, row.day(1)))
    }
    if additions.isEmpty { return }
    try runner.change("INSERT INTO installation_set_deltas (additions) VALUES ($1)", [.bytes(additions.encoded())])
  }
}
