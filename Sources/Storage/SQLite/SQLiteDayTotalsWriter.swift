import AnalyticsContract
import Ingestion

/// The statements that add to the day totals.
struct SQLiteDayTotalsWriter {
  private let addEvents: SQLiteStatement
  private let addReceipts: SQLiteStatement
  private let addUsage: SQLiteStatement
  private let addLinks: SQLiteStatement
  private let addRejections: SQLiteStatement
  private let addInvitationViews: SQLiteStatement

  init(_ connection: SQLiteConnection) throws(SQLiteError) {
    addEvents = try connection.prepare(
      """
      INSERT INTO event_day_totals VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT DO UPDATE SET event_count = event_count + excluded.event_count
      """)
    addReceipts = try connection.prepare(
      """
      INSERT INTO receipt_day_totals VALUES (?, ?, ?, ?, ?, ?)
      ON CONFLICT DO UPDATE SET item_count = item_count + excluded.item_count
      """)
    addUsage = try connection.prepare(
      """
      INSERT INTO usage_day_totals VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT DO UPDATE SET
        summary_count = summary_count + excluded.summary_count,
        chinese_characters = chinese_characters + excluded.chinese_characters,
        english_characters = english_characters + excluded.english_characters,
        other_characters = other_characters + excluded.other_characters,
        input_sessions = input_sessions + excluded.input_sessions,
        chinese_only_sessions = chinese_only_sessions + excluded.chinese_only_sessions,
        english_only_sessions = english_only_sessions + excluded.english_only_sessions,
        mixed_language_sessions = mixed_language_sessions + excluded.mixed_language_sessions,
        other_only_sessions = other_only_sessions + excluded.other_only_sessions
      """)
    addLinks = try connection.prepare(
      """
      INSERT INTO link_day_totals VALUES (?, ?)
      ON CONFLICT DO UPDATE SET installation_count = installation_count + excluded.installation_count
      """)
    addRejections = try connection.prepare(
      """
      INSERT INTO rejection_day_totals VALUES (?, ?, ?)
      ON CONFLICT DO UPDATE SET batch_count = batch_count + excluded.batch_count
      """)
    addInvitationViews = try connection.prepare(
      """
      INSERT INTO invitation_day_totals VALUES (?, ?)
      ON CONFLICT DO UPDATE SET view_count = view_count + excluded.view_count
      """)
  }

  func write(_ totals: DayTotals, _ counts: DayCounts) throws(SQLiteError) {
    for (key, count) in totals.events {
      addEvents.bind(Int64(key.day.daysSince1970), at: 0)
      addEvents.bind(Int64(key.kind.type.code), at: 1)
      addEvents.bind(Int64(key.kind.surface.code), at: 2)
      for (position, dimension) in Dimension.allCases.enumerated() {
        addEvents.bind(Int64(key.kind.code(of: dimension)), at: Int32(3 + position))
      }
      addEvents.bind(key: key.appVersion, at: 8)
      addEvents.bind(count, at: 9)
      try addEvents.run()
    }
    for (key, count) in totals.receipts {
      addReceipts.bind(Int64(key.day.daysSince1970), at: 0)
      addReceipts.bind(Int64(key.endpoint.code), at: 1)
      addReceipts.bind(key.outcome.rawValue, at: 2)
      addReceipts.bind(Int64(key.lateness?.code ?? 0), at: 3)
      addReceipts.bind(key: key.appVersion, at: 4)
      addReceipts.bind(count, at: 5)
      try addReceipts.run()
    }
    for (day, usage) in totals.usage {
      addUsage.bind(Int64(day.daysSince1970), at: 0)
      addUsage.bind(usage.summaries, at: 1)
      for (position, count) in usage.counts.enumerated() { addUsage.bind(count, at: Int32(2 + position)) }
      try addUsage.run()
    }
    for (day, count) in totals.links {
      addLinks.bind(Int64(day.daysSince1970), at: 0)
      addLinks.bind(count, at: 1)
      try addLinks.run()
    }
    for (key, count) in counts.rejections.counts {
      addRejections.bind(Int64(key.day.daysSince1970), at: 0)
      addRejections.bind(Int64(key.code.status), at: 1)
      addRejections.bind(Int64(count), at: 2)
      try addRejections.run()
    }
    for (day, count) in counts.invitationViews {
      addInvitationViews.bind(Int64(day.daysSince1970), at: 0)
      addInvitationViews.bind(Int64(count), at: 1)
      try addInvitationViews.run()
    }
  }
}
