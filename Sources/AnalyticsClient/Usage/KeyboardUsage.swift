import AnalyticsContract
import Foundation

/// Counts what is typed on the keyboard, on the device: characters by class and sessions by kind, a UTC day at a time.
///
/// Text goes in and counts stay: nothing of a text is in memory after a call, and none ever is in a file. Counting
/// touches no disk; ``save()`` does, and is called when the keyboard disappears, some seconds after something was
/// counted, and when a day ends. A kill loses what was counted since.
public final class KeyboardUsage: @unchecked Sendable {
  private struct State {
    var tally = UsageTally()
    /// The days with counts that are not in their file.
    var unsaved: Set<CalendarDay> = []
    /// The identity under which they were counted, once it is known.
    var identity: UInt64?
  }

  // The lock guards the state, which calls from any thread change.
  private let lock = NSLock()
  private var state = State()
  // Saving is done by one thread at a time.
  private let saving = NSLock()
  private let clock: UTCClock
  private let process = UInt64.random(in: .min ... .max)
  private let place: @Sendable () -> Place
  private let diagnostics: Diagnostics

  /// Where counts go.
  enum Place {
    /// The folder of an identity, and what tells that identity from others.
    case folder(Folder, identity: UInt64)
    /// Nothing is to be collected.
    case off
    /// There is no container now.
    case unavailable
  }

  /// - Parameters:
  ///   - place: where counts go at present.
  ///   - clock: the device's clock.
  ///   - diagnostics: where is counted what could not be.
  init(place: @escaping @Sendable () -> Place, clock: UTCClock, diagnostics: Diagnostics) {
    self.place = place
    self.clock = clock
    self.diagnostics = diagnostics
  }

  /// The keyboard appeared.
  public func activate() { lock.withLock { state.tally.activate() } }

  /// The keyboard disappeared. What was counted should be saved then.
  public func deactivate() { lock.withLock { state.tally.deactivate() } }

  /// A text was put into a document.
  /// - Parameters:
  ///   - text: the text as it was committed, whole; of a composition only its result.
  ///   - source: where it came from. Only what was typed by hand is counted.
  public func commit(_ text: String, source: InsertionSource) {
    guard source == .manual else { return }
    let characters = CharacterCounts(of: text)
    if characters.isEmpty { return }
    let day = clock.now.day
    lock.withLock {
      state.tally.commit(characters, on: day)
      state.unsaved.insert(day)
    }
  }

  /// Whether something was counted that is not in a file.
  var hasUnsaved: Bool { lock.withLock { !state.unsaved.isEmpty } }

  /// Writes what was counted, and waits until it is on the disk.
  /// - Returns: whether everything is there, or nothing is to be collected.
  @discardableResult
  public func save() -> Bool {
    saving.withLock {
      let folder: Folder
      switch place() {
      case .off:
        removeAll()
        return true
      case .unavailable: return !hasUnsaved
      case .folder(let present, let identity):
        folder = present
        // What was counted under a former identity goes with it.
        if lock.withLock({ state.identity != nil && state.identity != identity }) { removeAll() }
        lock.withLock { state.identity = identity }
      }
      let (days, unsaved) = lock.withLock { (state.tally.days, state.unsaved) }
      let files = UsageFiles(folder: folder)
      var isDone = true
      for day in unsaved.sorted() {
        guard let counts = days[day] else { continue }
        // The clock went back over a day that is over, or this process slept through its end.
        if files.isOver(day) {
          diagnostics.add(.lateUsage)
          lock.withLock { state.tally.remove(day) }
        } else {
          do throws(FileError) { try files.save(counts, on: day, process: process) } catch {
            diagnostics.add(.failedWrites)
            isDone = false
            continue
          }
        }
        lock.withLock {
          if state.tally.days[day] == days[day] || state.tally.days[day] == nil { state.unsaved.remove(day) }
        }
      }
      // Until a day is over, its file has to have all that this process counted.
      for day in days.keys where day < clock.now.day && !unsaved.contains(day) && files.isOver(day) {
        lock.withLock { state.tally.remove(day) }
      }
      return isDone
    }
  }

  /// Forgets what was counted: collection was switched off, or the identity changed.
  func removeAll() {
    lock.withLock {
      state.tally.removeAll()
      state.unsaved = []
    }
  }
}
