import AnalyticsContract
import Foundation

/// The events of one identity as the uploader takes them: the segments of all processes, claimed for one pass.
///
/// The oldest event is the next, whichever segment it is in. In memory are only 24 bytes for each event.
final class EventQueue: UploadSource, @unchecked Sendable {
  /// An event and its place.
  struct Item: Sendable {
    let event: Event
    fileprivate let segment: Int32
    fileprivate let position: Int32
  }

  private struct Place: Hashable {
    let segment: Int32
    let position: Int32
  }

  private let segments: SegmentFolder
  private let owner: UInt64
  private let limits: QueueLimits
  private let clock: UTCClock
  private let diagnostics: Diagnostics
  // The lock guards what follows. Calls come one after the other, so nobody ever waits for it.
  private let lock = NSLock()
  /// The claimed segments; `nil` where a claim was lost.
  private var names: [SegmentName?] = []
  /// How many live records each has.
  private var live: [Int] = []
  /// What waits, the oldest first.
  private var entries: ArraySlice<SegmentFolder.Entry> = []

  /// - Parameters:
  ///   - segments: the folder of the identity's segments.
  ///   - owner: what tells this client's claims from those of others.
  ///   - limits: how long events wait.
  ///   - clock: the device's clock.
  ///   - diagnostics: where drops are counted.
  init(segments: SegmentFolder, owner: UInt64, limits: QueueLimits, clock: UTCClock, diagnostics: Diagnostics) {
    self.segments = segments
    self.owner = owner
    self.limits = limits
    self.clock = clock
    self.diagnostics = diagnostics
  }

  var endpoint: IngestionEndpoint { .events }

  func contents(of items: [Item]) -> BatchItems { .events(items.map(\.event)) }

  func begin() {
    lock.withLock {
      let now = clock.now
      (names, live, entries) = ([], [], [])
      var found: [SegmentFolder.Entry] = []
      for name in (try? segments.segments()) ?? [] where name.isClaimable(at: now, lease: segments.lease) {
        if let claimed = try? segments.claim(name, owner: owner, at: now) { found += scan(claimed, at: now) }
      }
      if let merged = SegmentMerger(segments: segments, owner: owner).merge(names, live: live, at: now) {
        // What was merged is in other places now.
        (names, live, found) = ([], [], [])
        for name in merged { found += scan(name, at: now) }
      }
      found.sort { ($0.occurredAt, $0.segment, $0.position) < ($1.occurredAt, $1.segment, $1.position) }
      entries = found[...]
    }
  }

  func peek(limit: Int) -> [Item] {
    lock.withLock {
      let now = clock.now
      renew(at: now)
      var items: [Item] = []
      var gone: Set<Place> = []
      for entry in entries {
        if items.count == limit || entry.occurredAt > now.advanced(bySeconds: limits.leadSeconds) { break }
        if let name = names[Int(entry.segment)], let event = segments.event(name, Int(entry.position)) {
          items.append(Item(event: event, segment: entry.segment, position: entry.position))
        } else {
          gone.insert(Place(segment: entry.segment, position: entry.position))
        }
      }
      forget(gone)
      return items
    }
  }

  func remove(_ items: [Item]) {
    lock.withLock {
      for (segment, items) in Dictionary(grouping: items, by: \.segment) {
        if let name = names[Int(segment)] { segments.remove(items.map(\.position), of: name) }
      }
      forget(Set(items.map { Place(segment: $0.segment, position: $0.position) }))
    }
  }

  func quarantine(_ item: Item) { remove([item]) }

  func end() {
    lock.withLock {
      for case (let name?, let count) in zip(names, live) {
        if count == 0 {
          let (isGone, damaged, isTorn) = segments.deleteIfEmpty(name)
          diagnostics.add(.damagedRecords, damaged)
          diagnostics.add(.tornRecords, isTorn ? 1 : 0)
          if isGone { continue }
        }
        segments.release(name)
      }
      (names, live, entries) = ([], [], [])
    }
  }

  /// Takes a claimed segment in, and drops what is too old or dated far ahead.
  private func scan(_ name: SegmentName, at now: Instant) -> [SegmentFolder.Entry] {
    let (oldest, latest) = (
      now.advanced(bySeconds: -limits.ageSeconds), now.advanced(bySeconds: limits.ageSeconds)
    )
    var found: [SegmentFolder.Entry] = []
    var (expired, misdated): ([Int32], [Int32]) = ([], [])
    guard
      let (damaged, _) = try? segments.scan(
        name, as: names.count,
        { entry, _ in
          if entry.occurredAt < oldest {
            expired.append(entry.position)
          } else if entry.occurredAt > latest {
            misdated.append(entry.position)
          } else {
            found.append(entry)
          }
        })
    else {
      segments.release(name)
      return []
    }
    if !expired.isEmpty || !misdated.isEmpty { segments.remove(expired + misdated, of: name) }
    diagnostics.add(.damagedRecords, damaged)
    diagnostics.add(.expired, expired.count)
    diagnostics.add(.misdated, misdated.count)
    names.append(name)
    live.append(found.count)
    return found
  }

  /// Keeps the claims alive while the next request is under way.
  private func renew(at now: Instant) {
    for case (let index, let name?) in zip(names.indices, names) {
      guard let claim = name.claim else { continue }
      let left = claim.expiry.microseconds - now.microseconds
      // More than a whole lease is left where the clock was set back: others would take the claim for void.
      if left < segments.lease * 500_000 || left > segments.lease * 1_000_000 {
        names[index] = try? segments.claim(name, owner: owner, at: now)
      }
    }
  }

  /// Strikes out entries, which are at the beginning of the list or near it.
  private func forget(_ places: Set<Place>) {
    var places = places
    var kept: [SegmentFolder.Entry] = []
    while !places.isEmpty, let entry = entries.popFirst() {
      if places.remove(Place(segment: entry.segment, position: entry.position)) == nil {
        kept.append(entry)
      } else {
        live[Int(entry.segment)] -= 1
      }
    }
    if !kept.isEmpty { entries = (kept + entries)[...] }
  }
}
