import AnalyticsContract
import PostgreSQL

/// What a group shows about its installations' days: the activity rows that it may have to add to.
struct GroupActivity {
  private struct Key: Hashable {
    let installation: Int64
    let day: CalendarDay
  }

  private var entries: [(key: Int64, day: CalendarDay, kinds: ActivityKinds)] = []

  /// - Parameter batches: by key.
  init(of batches: [PostgreSQLBatch]) {
    for batch in batches {
      var activity = DailyActivity()
      for event in batch.events { activity.add(event) }
      for summary in batch.summaries { activity.add(summary) }
      for day in activity.days.sorted(by: { $0.day < $1.day }) where !day.kinds.isEmpty {
        entries.append((batch.key, day.day, day.kinds))
      }
    }
  }

  /// Finds the rows' kinds so far; `nil` where the group shows nothing.
  func search() -> PostgreSQLRequest? {
    if entries.isEmpty { return nil }
    var keys = BinaryArray(of: .int64, capacity: entries.count)
    var days = BinaryArray(of: .int32, capacity: entries.count)
    for entry in entries {
      keys.append(entry.key)
      days.append(entry.day)
    }
    return PostgreSQLRequest(IngestionStatements.findActivity, .init(keys, days))
  }

  /// Takes out the kinds that are stored. An update that changes nothing would still write a new row version.
  mutating func remove(stored result: PostgreSQLResult) {
    var stored: [Key: ActivityKinds] = [:]
    for row in 0..<result.rowCount {
      let day = CalendarDay(daysSince1970: Int32(truncatingIfNeeded: result.integer(row, 1)))
      stored[Key(installation: result.integer(row, 0), day: day)] = ActivityKinds(rawValue: result.integer(row, 2))
    }
    for position in entries.indices {
      let key = Key(installation: entries[position].key, day: entries[position].day)
      if let kinds = stored[key] { entries[position].kinds.subtract(kinds) }
    }
  }

  /// Adds what is left; `nil` where nothing is.
  func additions() -> PostgreSQLRequest? {
    var keys = BinaryArray(of: .int64)
    var days = BinaryArray(of: .int32)
    var kinds = BinaryArray(of: .int32)
    for entry in entries where !entry.kinds.isEmpty {
      keys.append(entry.key)
      days.append(entry.day)
      kinds.append(Int32(truncatingIfNeeded: entry.kinds.rawValue))
    }
    return keys.count == 0 ? nil : PostgreSQLRequest(IngestionStatements.addActivity, .init(keys, days, kinds))
  }
}
