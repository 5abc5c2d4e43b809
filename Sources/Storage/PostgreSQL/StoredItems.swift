import AnalyticsContract
import PostgreSQL

/// The stored events that a group's batches were found to repeat.
struct StoredEvents {
  private struct Key: Hashable {
    let installation: Int64
    let id: UUIDValue
  }

  private let result: PostgreSQLResult
  private var rows: [Key: Int] = [:]

  init(_ result: PostgreSQLResult) {
    self.result = result
    for row in 0..<result.rowCount {
      rows[Key(installation: result.integer(row, 0), id: result.uuid(row, 1)!)] = row
    }
  }

  /// Takes the events out of a batch that are stored.
  /// - Returns: whether all of those are stored with the same values.
  func remove(from batch: inout PostgreSQLBatch) -> Bool {
    if rows.isEmpty { return true }
    var new: [Event] = []
    for event in batch.events {
      if let row = rows[Key(installation: batch.key, id: event.clientEventID)] {
        if !isSame(event, row) { return false }
      } else {
        new.append(event)
      }
    }
    batch.events = new
    return true
  }

  private func isSame(_ event: Event, _ row: Int) -> Bool {
    guard result.integer(row, 2) == event.occurredAt.microseconds,
      result.integer(row, 3) == Int64(event.kind.type.code), result.integer(row, 4) == Int64(event.kind.surface.code)
    else { return false }
    for (position, dimension) in Dimension.allCases.enumerated()
    where result.integer(row, 5 + position) != Int64(event.kind.code(of: dimension)) {
      return false
    }
    return result.version(row, 10) == event.appVersion && result.version(row, 11) == event.osVersion
  }
}

/// All stored summaries of the installations whose batches bring some.
struct StoredSummaries {
  private struct Stored {
    var byDate: [CalendarDay: KeyboardUsageSummary] = [:]
    var ids: Set<UUIDValue> = []
  }

  private var installations: [Int64: Stored] = [:]

  init(_ result: PostgreSQLResult) {
    for row in 0..<result.rowCount {
      var counts = UsageCounts()
      for counter in UsageCounter.allCases {
        counts[counter] = Int32(truncatingIfNeeded: result.integer(row, 5 + counter.rawValue))
      }
      let summary = KeyboardUsageSummary(
        clientSummaryID: result.uuid(row, 2)!,
        date: CalendarDay(daysSince1970: Int32(truncatingIfNeeded: result.integer(row, 1))), counts: counts,
        appVersion: result.version(row, 3), osVersion: result.version(row, 4))
      installations[result.integer(row, 0), default: Stored()].byDate[summary.date] = summary
      installations[result.integer(row, 0), default: Stored()].ids.insert(summary.clientSummaryID)
    }
  }

  /// Takes the summaries out of a batch that are stored.
  /// - Returns: whether those are stored with the same values, and no other has the id of one stored for another date.
  func remove(from batch: inout PostgreSQLBatch) -> Bool {
    guard let stored = installations[batch.key] else { return true }
    var new: [KeyboardUsageSummary] = []
    for summary in batch.summaries {
      if let same = stored.byDate[summary.date] {
        if same != summary { return false }
      } else if stored.ids.contains(summary.clientSummaryID) {
        return false
      } else {
        new.append(summary)
      }
    }
    batch.summaries = new
    return true
  }
}
