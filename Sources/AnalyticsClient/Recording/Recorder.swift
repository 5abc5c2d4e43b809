import AnalyticsContract
import Foundation

/// Takes what the app records, in well under a microsecond, and lets a queue of its own write it.
///
/// A call reads two clocks, takes a lock for a few instructions and appends to an array. The first one after a pause also
/// asks the queue to write in 100 ms. What is in memory when the process is killed is lost: at most those 100 ms, as long
/// as the disk takes it. ``flush(isDurable:)`` writes at once.
final class Recorder: @unchecked Sendable {
  private let environment: ClientEnvironment
  // The lock guards the four below it. It is never held while anything waits.
  private let lock = NSLock()
  private var entries: [RecordedEntry] = []
  private var isScheduled = false
  private var isOff = false
  private var failures = 0
  // Only the queue touches the journal.
  private let queue = DispatchQueue(label: "OSGAnalytics.recorder", qos: .utility)
  private let journal: Journal

  init(_ environment: ClientEnvironment) {
    self.environment = environment
    journal = Journal(environment)
    // A former process may have left the state, and its folders, half changed.
    queue.async { self.readState() }
  }

  /// Takes an event, or with `nil` the bare fact that the surface is in use.
  func record(_ kind: EventKind?, id: UUIDValue? = nil) {
    let entry = RecordedEntry(
      kind: kind, occurredAt: environment.clock.now, uptime: environment.uptime.nanoseconds, id: id)
    lock.lock()
    if isOff {
      lock.unlock()
      return
    }
    entries.append(entry)
    let dropped = entries.count < [RecordedEntry].most ? 0 : entries.makeRoom()
    let mustSchedule = !isScheduled
    isScheduled = true
    lock.unlock()
    if kind != nil { environment.diagnostics.add(.recorded) }
    if dropped > 0 { environment.diagnostics.add(.evicted, dropped) }
    if mustSchedule { schedule(milliseconds: environment.gatherMilliseconds) }
  }

  /// Writes everything that was recorded before the call.
  /// - Parameter isDurable: whether to wait until it survives a loss of power too.
  /// - Returns: whether it is on the disk, or was dropped because collection is not allowed.
  func flush(isDurable: Bool) async -> Bool {
    await onQueue { $0.write(isDurable: isDurable) }
  }

  /// The same for a caller that can't suspend: it waits some milliseconds.
  func flushNow() -> Bool { queue.sync { write(isDurable: true) } }

  /// Drops what is in memory at once, and from now on what is recorded, where collection is not allowed.
  func stop() {
    lock.withLock {
      isOff = true
      environment.diagnostics.add(.discarded, entries.count { $0.kind != nil })
      entries = []
    }
  }

  /// Drops what is in memory at once.
  func drop() {
    lock.withLock {
      environment.diagnostics.add(.discarded, entries.count { $0.kind != nil })
      entries = []
    }
  }

  /// Changes the state.
  /// - Returns: whether the change is on the disk.
  func change(_ transition: @escaping @Sendable (ClientState) -> ClientState?) async -> Bool {
    await onQueue { recorder in
      // What was recorded before belongs to the identity that there is now, and goes with it.
      _ = recorder.write(isDurable: false)
      let isDone = recorder.journal.change(transition)
      if isDone { recorder.readState() }
      return isDone
    }
  }

  /// What the client can tell about itself, after saving what it has counted.
  func snapshot() async -> DiagnosticsSnapshot {
    await onQueue { recorder in
      var snapshot = DiagnosticsSnapshot()
      let environment = recorder.environment
      guard let store = try? environment.openStore(), let state = try? store.current() else {
        snapshot.counts = environment.diagnostics.current
        return snapshot
      }
      snapshot.isContainerAvailable = true
      snapshot.isCollectionAllowed = state.installation != nil
      try? environment.diagnostics.save(environment.surface.surface, in: store.folder)
      snapshot.counts = environment.diagnostics.current
      let other: Surface = environment.surface == .app ? .keyboard : .app
      if let counts = try? Diagnostics.load(other, from: store.folder) { snapshot.counts.add(counts) }
      let segments = environment.segments(of: state, in: store)
      for name in (try? segments.segments()) ?? [] {
        snapshot.segments += 1
        snapshot.queuedBytes += segments.folder.status(of: name.text)?.size ?? 0
        _ = try? segments.scan(name, as: 0) { _, _ in snapshot.queuedEvents += 1 }
      }
      if let retry = try? RetryState.load(from: store.folder.folder(state.folderName)) {
        snapshot.failuresInARow = retry.failures
        snapshot.secondsUntilUpload = Int((retry.wait(at: environment.clock.now) + 999_999) / 1_000_000)
      }
      return snapshot
    }
  }

  /// The present state; `nil` where the container is not available.
  func state() async -> ClientState? { await onQueue { $0.journal.state } }

  private func onQueue<Value: Sendable>(_ work: @escaping @Sendable (Recorder) -> Value) async -> Value {
    await withCheckedContinuation { continuation in
      queue.async { continuation.resume(returning: work(self)) }
    }
  }

  private func readState() {
    guard let state = journal.state else { return }
    lock.withLock { isOff = state.installation == nil }
  }

  private func schedule(milliseconds: Int) {
    queue.asyncAfter(deadline: .now() + .milliseconds(milliseconds)) { [self] in _ = write(isDurable: false) }
  }

  private func write(isDurable: Bool) -> Bool {
    let new = lock.withLock {
      defer { entries = [] }
      isScheduled = false
      return entries
    }
    let isWritten = journal.write(new, isDurable: isDurable)
    if isWritten {
      failures = 0
    } else if !lock.withLock({ isScheduled }) {
      // The disk may have room again, or the device be unlocked.
      failures = min(failures + 1, 6)
      lock.withLock { isScheduled = true }
      schedule(milliseconds: 1000 << failures)
    }
    return isWritten
  }
}
