import AnalyticsContract
import Foundation

/// Analytics of the keyboard extension. It is anonymous by construction: there is no way to give it a token.
///
/// Make one when the extension starts, and keep it. Recording and counting never wait: see ``AppAnalytics``.
public final class KeyboardAnalytics: Sendable {
  private let environment: ClientEnvironment
  private let recorder: Recorder
  private let uploader: Uploader
  private let usage: KeyboardUsage
  private let saver: UsageSaver

  /// - Parameters:
  ///   - configuration: what app and keyboard share.
  ///   - transport: what carries requests.
  public init(_ configuration: ClientConfiguration, transport: any Transport) {
    let environment = configuration.environment(on: .keyboard)
    self.environment = environment
    recorder = Recorder(environment)
    uploader = Uploader(environment, transport: transport, tokens: nil)
    usage = KeyboardUsage(
      place: {
        guard let store = try? environment.openStore(), let state = try? store.current() else { return .unavailable }
        guard state.installation != nil else { return .off }
        guard let folder = environment.usageFolder(of: state, in: store) else { return .unavailable }
        return .folder(folder, identity: state.generation)
      }, clock: environment.clock, diagnostics: environment.diagnostics)
    saver = UsageSaver(usage)
  }

  // MARK: - The keyboard

  /// The keyboard appeared (`viewWillAppear`): KEYBOARD_ACTIVATED, and SESSION_STARTED where it was not in use for 30
  /// minutes.
  public func activated() {
    usage.activate()
    recorder.record(.keyboardActivated)
    saver.saveSoon(seconds: 0)
  }

  /// The keyboard disappears (`viewWillDisappear`). What was counted and recorded is written at once, and the system is
  /// asked not to suspend the process meanwhile.
  public func deactivated() {
    usage.deactivate()
    ApplePlatform.withoutSuspension { [recorder, usage] isExpired in
      if isExpired { return }
      usage.save()
      _ = recorder.flushNow()
    }
  }

  /// A text was put into the document. It is counted if it was typed by hand, and not kept.
  /// - Parameters:
  ///   - text: the text as it was committed, whole; of a composition only its result.
  ///   - source: where it came from.
  public func committed(_ text: String, source: InsertionSource) {
    usage.commit(text, source: source)
    if source == .manual { saver.saveSoon(seconds: UsageSaver.delaySeconds) }
  }

  /// An AI operation begins.
  /// - Parameters:
  ///   - feature: the feature.
  ///   - mode: who executes it.
  /// - Returns: the operation, which is to be told its outcome.
  public func begin(_ feature: Feature, mode: ExecutionMode) -> AIOperation {
    AIOperation(feature, mode, .keyboard, recorder, environment.uptime)
  }

  /// Records an event under a chosen id, for tests.
  package func record(_ kind: EventKind, id: UUIDValue) { recorder.record(kind, id: id) }

  // MARK: - Delivery

  /// Writes what was recorded and counted, and waits until it survives a loss of power.
  /// - Returns: whether it is on the disk, or was dropped because collection is not allowed.
  @discardableResult
  public func flush() async -> Bool {
    let isSaved = await saver.save()
    return await recorder.flush(isDurable: true) && isSaved
  }

  /// Delivers what app and keyboard have recorded. Without full access the system gives the extension no network: leave
  /// it to the app then.
  /// - Parameter maximumBatches: how many requests at most: few, as a keyboard's life is short.
  /// - Returns: how it ended.
  public func uploadAvailable(maximumBatches: Int = 2) async -> UploadResult {
    _ = await saver.save()
    _ = await recorder.flush(isDurable: false)
    return await uploader.upload(maximumBatches: maximumBatches)
  }

  /// What the client can tell about itself, for a debug screen.
  public func diagnostics() async -> DiagnosticsSnapshot { await recorder.snapshot() }
}

/// Saves counts on a queue of its own, some seconds after they were made, so that typing touches no disk.
private final class UsageSaver: @unchecked Sendable {
  /// What a kill may lose, in seconds of typing.
  static let delaySeconds = 5

  private let usage: KeyboardUsage
  private let queue = DispatchQueue(label: "OSGAnalytics.usage", qos: .utility)
  // The lock guards whether a save is due.
  private let lock = NSLock()
  private var isScheduled = false

  init(_ usage: KeyboardUsage) { self.usage = usage }

  func saveSoon(seconds: Int) {
    let mustSchedule = lock.withLock {
      if isScheduled && seconds > 0 { return false }
      isScheduled = true
      return true
    }
    guard mustSchedule else { return }
    queue.asyncAfter(deadline: .now() + .seconds(seconds)) { [self] in
      lock.withLock { isScheduled = false }
      // A disk that is full, or a device that is locked: what is counted next tries again.
      usage.save()
    }
  }

  func save() async -> Bool {
    await withCheckedContinuation { continuation in
      queue.async { continuation.resume(returning: self.usage.save()) }
    }
  }
}
