import AnalyticsContract
import Ingestion

/// A batch of a group on its way into PostgreSQL: what is known of it so far, and what of it is to be inserted.
struct PostgreSQLBatch {
  /// Its place in the group.
  let position: Int
  let submission: Submission
  /// The account of its session.
  let account: UUIDValue?
  /// Its installation as it was found, or `nil` where it is new.
  let row: InstallationRow?
  let firstOpen: Event?
  /// Its installation's key, once there is one.
  var key: Int64
  /// Its events that are to be inserted, each once, by id.
  var events: [Event] = []
  /// Its summaries that are to be inserted, each once, by date.
  var summaries: [KeyboardUsageSummary] = []

  var accepted: Int { events.count + summaries.count }

  var outcome: CommitOutcome {
    .stored(accepted: accepted, replayed: submission.items.count - accepted)
  }

  /// Whether the installation is being linked by this batch.
  var isNewLink: Bool { account != nil && row?.account == nil }

  /// Whether the first open is told by this batch.
  var isNewFirstOpen: Bool { firstOpen != nil && row?.firstOpenEventID == nil }

  /// The first open, told by this batch or before.
  var knownFirstOpen: FirstOpen? { isNewFirstOpen ? firstOpen.map { FirstOpen($0) } : row?.firstOpen }

  /// Whether the installation's row, known before, changes.
  var changesInstallation: Bool {
    guard let row else { return false }
    return isNewLink || isNewFirstOpen
      || Int64(submission.receivedAt.day.daysSince1970) > row.lastSeenDay
  }
}

/// The items of one batch, each once and in the order of their key.
enum UniqueItems {
  /// - Returns: `nil` where two events of one id differ.
  static func of(_ events: [Event]) -> [Event]? {
    var unique: [Event] = []
    unique.reserveCapacity(events.count)
    for event in events.sorted(by: { precedes($0.clientEventID, $1.clientEventID) }) {
      if let last = unique.last, last.clientEventID == event.clientEventID {
        if last != event { return nil }
      } else {
        unique.append(event)
      }
    }
    return unique
  }

  /// - Returns: `nil` where two summaries of one date or of one id differ.
  static func of(_ summaries: [KeyboardUsageSummary]) -> [KeyboardUsageSummary]? {
    var unique: [KeyboardUsageSummary] = []
    for summary in summaries.sorted(by: { $0.date < $1.date }) {
      if let last = unique.last, last.date == summary.date {
        if last != summary { return nil }
      } else {
        unique.append(summary)
      }
    }
    return Set(unique.map(\.clientSummaryID)).count == unique.count ? unique : nil
  }

  private static func precedes(_ left: UUIDValue, _ right: UUIDValue) -> Bool {
    (left.high, left.low) < (right.high, right.low)
  }
}
