import AnalyticsContract

/// What one group adds to the day totals, gathered in memory so that each row is written once a group.
struct DayTotals {
  struct EventKey: Hashable {
    let day: CalendarDay
    let kind: EventKind
    let appVersion: ReleaseVersion?
  }

  struct ReceiptKey: Hashable {
    let day: CalendarDay
    let endpoint: IngestionEndpoint
    let outcome: ReceiptOutcome
    let lateness: Lateness?
    let appVersion: ReleaseVersion?
  }

  struct Usage {
    var summaries: Int64 = 0
    var counts = [Int64](repeating: 0, count: UsageCounter.allCases.count)
  }

  private(set) var events: [EventKey: Int64] = [:]
  private(set) var receipts: [ReceiptKey: Int64] = [:]
  private(set) var usage: [CalendarDay: Usage] = [:]
  private(set) var links: [CalendarDay: Int64] = [:]

  /// Whether nothing was counted.
  var isEmpty: Bool { events.isEmpty && receipts.isEmpty && usage.isEmpty && links.isEmpty }

  mutating func removeAll() {
    events.removeAll(keepingCapacity: true)
    receipts.removeAll(keepingCapacity: true)
    usage.removeAll(keepingCapacity: true)
    links.removeAll(keepingCapacity: true)
  }

  mutating func add(accepted event: Event, receivedAt: Instant) {
    events[EventKey(day: event.occurredAt.day, kind: event.kind, appVersion: event.appVersion), default: 0] += 1
    let receipt = ReceiptKey(
      day: receivedAt.day, endpoint: .events, outcome: .accepted,
      lateness: Lateness(occurredAt: event.occurredAt, receivedAt: receivedAt), appVersion: event.appVersion)
    receipts[receipt, default: 0] += 1
  }

  mutating func add(accepted summary: KeyboardUsageSummary, receivedAt: Instant) {
    var day = usage[summary.date] ?? Usage()
    day.summaries += 1
    for counter in UsageCounter.allCases { day.counts[counter.rawValue] += Int64(summary.counts[counter]) }
    usage[summary.date] = day
    add(receipt: .accepted, count: 1, endpoint: .keyboardUsage, receivedAt: receivedAt)
  }

  mutating func add(replayed count: Int, endpoint: IngestionEndpoint, receivedAt: Instant) {
    if count > 0 { add(receipt: .replayed, count: count, endpoint: endpoint, receivedAt: receivedAt) }
  }

  mutating func addLink(at instant: Instant) { links[instant.day, default: 0] += 1 }

  private mutating func add(
    receipt outcome: ReceiptOutcome, count: Int, endpoint: IngestionEndpoint, receivedAt: Instant
  ) {
    let key = ReceiptKey(
      day: receivedAt.day, endpoint: endpoint, outcome: outcome, lateness: nil, appVersion: nil)
    receipts[key, default: 0] += Int64(count)
  }
}

/// What became of an item, as the receipt totals keep it.
enum ReceiptOutcome: Int64, CaseIterable {
  case accepted = 1
  case replayed = 2
}
