import AnalyticsContract

/// Keeps the queue within its bounds, for the process that has just written to it.
struct QueueBounds {
  private let segments: SegmentFolder
  private let limits: QueueLimits
  private let owner: UInt64
  private let diagnostics: Diagnostics
  /// How many of the records in the files were found to be removed ones.
  private var removed = 0
  private var nextLook: Int64 = .min

  init(segments: SegmentFolder, limits: QueueLimits, owner: UInt64, diagnostics: Diagnostics) {
    self.segments = segments
    self.limits = limits
    self.owner = owner
    self.diagnostics = diagnostics
  }

  /// Makes room where there are too many events or bytes, and once an hour drops those that are too old.
  /// - Parameters:
  ///   - clock: the device's clock.
  ///   - uptime: nanoseconds of the monotonic clock.
  /// - Throws: ``FileError``.
  mutating func enforce(clock: UTCClock, uptime: Int64) throws(FileError) {
    let names = try segments.segments()
    let records = names.reduce(0) { $0 + segments.recordCount(of: $1) }
    let isFull = records - min(removed, records) > limits.events || records * EventRecord.size > limits.bytes
    let isOld = names.first.map { $0.created < clock.now.advanced(bySeconds: -limits.ageSeconds) } ?? false
    guard isFull || (isOld && uptime >= nextLook) else { return }
    nextLook = uptime + 3_600_000_000_000
    let live = isFull ? evict(names) : 0
    // Claiming what nobody else holds drops what is too old, merges what is nearly empty and deletes what is empty.
    let queue = EventQueue(segments: segments, owner: owner, limits: limits, clock: clock, diagnostics: diagnostics)
    queue.begin()
    queue.end()
    let left = try segments.segments().reduce(0) { $0 + segments.recordCount(of: $1) }
    removed = max(0, left - live)
  }

  /// Removes what goes first, also from segments that somebody is uploading: what is on its way just arrives.
  /// - Returns: how many live events are left.
  private func evict(_ names: [SegmentName]) -> Int {
    var entries: [SegmentFolder.Entry] = []
    for (index, name) in names.enumerated() {
      let damaged = try? segments.scan(name, as: index, { entry, _ in entries.append(entry) }).damaged
      diagnostics.add(.damagedRecords, damaged ?? 0)
    }
    let most = min(limits.events, limits.bytes / EventRecord.size)
    guard entries.count > most else { return entries.count }
    let target = min(limits.eventsAfterEviction, most)
    entries.sort { ($0.rank, $0.occurredAt) < ($1.rank, $1.occurredAt) }
    let victims = entries.prefix(entries.count - target)
    for (segment, entries) in Dictionary(grouping: victims, by: \.segment) {
      segments.remove(entries.lazy.map(\.position), of: names[Int(segment)])
    }
    diagnostics.add(.evicted, victims.count)
    return target
  }
}
