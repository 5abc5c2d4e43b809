import AnalyticsContract

/// Turns what was recorded into events on the disk. It belongs to the recorder's queue, and to nobody else.
final class Journal {
  /// What is known once the container is open.
  private struct Opened {
    let store: StateStore
    var state: ClientState
    let writer: SegmentWriter
    var bounds: QueueBounds
    var sessions: SessionRule
  }

  private let environment: ClientEnvironment
  private var opened: Opened?
  /// What could not be judged yet.
  private var entries: [RecordedEntry] = []
  /// What could not be written yet; ids are given once, so that nothing can get two.
  private var waiting: [Event] = []
  private var firstOpen: Event?
  private var lastUse: Instant?

  init(_ environment: ClientEnvironment) { self.environment = environment }

  /// Writes what was recorded, and what could not be written before.
  /// - Parameters:
  ///   - new: what was recorded since the last call.
  ///   - isDurable: whether to wait until it survives a loss of power too.
  /// - Returns: whether everything is on the disk, or was dropped because collection is not allowed.
  func write(_ new: [RecordedEntry], isDurable: Bool) -> Bool {
    entries += new
    for _ in 0..<3 {
      do throws(FileError) {
        try open()
        try judge()
        try append(isDurable: isDurable)
        return true
      } catch {
        // The folder goes away under the writer where another process has changed the identity.
        guard let opened, !opened.store.isCurrent(opened.state) else { break }
      }
    }
    environment.diagnostics.add(.failedWrites)
    environment.diagnostics.add(.evicted, entries.makeRoom())
    makeRoom()
    opened = nil
    return false
  }

  /// Changes the state. What was recorded under the former identity and is not written yet goes with it.
  /// - Returns: whether the change is on the disk.
  func change(_ transition: (ClientState) -> ClientState?) -> Bool {
    do throws(FileError) {
      try open()
      guard let old = opened?.state, let store = opened?.store else { return false }
      let new = try store.change { state in
        let next = transition(state)
        if let next, next.installation != state.installation {
          try? FirstOpen(folder: store.folder).abandonDecided()
        }
        return next
      }
      if new != old { try adopt(new) }
      return true
    } catch {
      environment.diagnostics.add(.failedWrites)
      opened = nil
      return false
    }
  }

  /// Drops what is in memory.
  func discard() {
    environment.diagnostics.add(
      .discarded, entries.count { $0.kind != nil } + waiting.count + (firstOpen == nil ? 0 : 1))
    (entries, waiting, firstOpen) = ([], [], nil)
  }

  /// The present state; `nil` where the container is not available.
  var state: ClientState? {
    do throws(FileError) { try open() } catch { opened = nil }
    return opened?.state
  }

  private func open() throws(FileError) {
    if let store = opened?.store, let state = opened?.state {
      if store.isCurrent(state) { return }
      try adopt(try store.current())
      return
    }
    let store = try environment.openStore()
    let state = try store.current()
    let use = try LastUse(folder: store.folder, surface: environment.surface.surface).load()
    store.folder.removeUnfinished(now: Int(environment.clock.now.microseconds / 1_000_000))
    store.removeFormer(state)
    opened = try Self.opened(store, state, SessionRule(lastUse: use), environment)
  }

  private func adopt(_ state: ClientState) throws(FileError) {
    guard let store = opened?.store, let former = opened?.state, let sessions = opened?.sessions else { return }
    if former.installation != state.installation { discard() }
    store.removeFormer(state)
    opened = try Self.opened(store, state, sessions, environment)
  }

  private static func opened(
    _ store: StateStore, _ state: ClientState, _ sessions: SessionRule, _ environment: ClientEnvironment
  ) throws(FileError) -> Opened {
    let segments = environment.segments(of: state, in: store)
    if state.installation != nil {
      try store.folder.folder(state.folderName).create()
      try segments.folder.create()
    }
    return Opened(
      store: store, state: state, writer: SegmentWriter(folder: segments.folder),
      bounds: QueueBounds(
        segments: segments, limits: environment.limits, owner: environment.owner, diagnostics: environment.diagnostics),
      sessions: sessions)
  }

  /// Gives events their ids, and finds out where sessions begin.
  private func judge() throws(FileError) {
    guard opened != nil else { return }
    if opened!.state.installation == nil { return discard() }
    for entry in entries {
      // The first open comes before the session that it begins.
      let isFirstOpen = entry.kind?.type == .firstOpen
      if let kind = entry.kind, isFirstOpen { firstOpen = firstOpen ?? event(kind, entry) }
      if opened!.sessions.use(at: entry.occurredAt, uptime: entry.uptime), entry.kind?.type != .sessionStarted {
        waiting.append(event(.sessionStarted(on: environment.surface), entry, id: nil))
      }
      lastUse = entry.occurredAt
      if let kind = entry.kind, !isFirstOpen { waiting.append(event(kind, entry)) }
    }
    entries = []
  }

  private func event(_ kind: EventKind, _ entry: RecordedEntry) -> Event { event(kind, entry, id: entry.id) }

  private func event(_ kind: EventKind, _ entry: RecordedEntry, id: UUIDValue?) -> Event {
    Event(
      clientEventID: id ?? .random(), occurredAt: entry.occurredAt, kind: kind,
      appVersion: environment.appVersion, osVersion: environment.osVersion)
  }

  private func append(isDurable: Bool) throws(FileError) {
    guard opened != nil else { return }
    let (folder, now) = (opened!.store.folder, environment.clock.now)
    if let wish = firstOpen {
      let first = FirstOpen(folder: folder)
      if let event = try first.pending(wish) {
        try opened!.writer.write([event], at: now, isDurable: true)
        environment.diagnostics.add(.written)
        try first.finish()
      }
      firstOpen = nil
    }
    let isAnyNew = !waiting.isEmpty
    if isAnyNew {
      try opened!.writer.write(waiting[...], at: now, isDurable: isDurable)
      environment.diagnostics.add(.written, waiting.count)
      waiting = []
    } else if isDurable {
      try opened!.writer.synchronize()
    }
    // After the session's own event: a kill in between can make a second session, and can't lose one.
    if let lastUse {
      try? LastUse(folder: folder, surface: environment.surface.surface).save(lastUse)
      self.lastUse = nil
    }
    if isAnyNew { try? opened!.bounds.enforce(clock: environment.clock, uptime: environment.uptime.nanoseconds) }
  }

  private func makeRoom() {
    let excess = waiting.count - [RecordedEntry].most
    if excess <= 0 { return }
    let order = waiting.indices.sorted {
      (EvictionRank(waiting[$0].kind.type), $0) < (EvictionRank(waiting[$1].kind.type), $1)
    }
    let victims = Set(order.prefix(excess))
    waiting = waiting.indices.filter { !victims.contains($0) }.map { waiting[$0] }
    environment.diagnostics.add(.evicted, victims.count)
  }
}
