import AnalyticsContract

/// A call of the app, as it waits in memory for the writer.
struct RecordedEntry: Sendable {
  /// What happened; `nil` where the surface was merely used.
  let kind: EventKind?
  /// When, by the device's clock.
  let occurredAt: Instant
  /// When, by the monotonic clock, in nanoseconds.
  let uptime: Int64
  /// The event's id, where a test has chosen it.
  let id: UUIDValue?
}

extension [RecordedEntry] {
  /// The most that wait in memory while there is nothing to write to.
  static var most: Int { 4096 }

  /// Drops what goes first (``EvictionRank``) until an eighth of the room is free.
  /// - Returns: how many events were dropped.
  mutating func makeRoom() -> Int {
    guard count >= Self.most else { return 0 }
    let excess = count - Self.most + Self.most / 8
    let ranks = map { $0.kind.map { EvictionRank($0.type) } ?? .activation }
    // The order within a rank is that of recording.
    let victims = Set(indices.sorted { (ranks[$0], $0) < (ranks[$1], $1) }.prefix(excess))
    let events = victims.reduce(0) { $0 + (self[$1].kind == nil ? 0 : 1) }
    self = indices.filter { !victims.contains($0) }.map { self[$0] }
    return events
  }
}
