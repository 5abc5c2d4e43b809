import AnalyticsContract

/// What the parts of one client share. Tests replace clocks and limits.
struct ClientEnvironment: Sendable {
  /// Where the client runs.
  let surface: EventKind.AppSurface
  /// The folder that app and keyboard share; `nil` while the system doesn't give one.
  let container: @Sendable () -> String?
  /// The app's version, on every event.
  let appVersion: ReleaseVersion
  /// The system's version, on every event.
  let osVersion: ReleaseVersion
  /// The device's clock.
  var clock = UTCClock.system
  /// The clock for durations.
  var uptime = MonotonicClock.system
  /// The bounds of the queue.
  var limits = QueueLimits()
  /// How long claims last, in seconds.
  var lease = SegmentFolder.leaseSeconds
  /// The longest wait after the first failed upload, in seconds.
  var firstWait = RetryState.firstWait
  /// How long the writer gathers before it writes, in milliseconds.
  var gatherMilliseconds = 100
  /// What tells this client's claims from those of others.
  let owner = UInt64.random(in: .min ... .max)
  /// What is counted.
  let diagnostics = Diagnostics()

  /// The name of the client's folder in the container.
  static let folderName = "OSGAnalytics"

  /// Opens the client's folder, and makes it at the first time.
  /// - Throws: ``FileError`` where the container is not available.
  func openStore() throws(FileError) -> StateStore {
    guard let container = container() else { throw FileError(operation: "container", code: 2) }
    let folder = Folder(path: container).folder(Self.folderName)
    let isNew = !folder.contains(".")
    try folder.create()
    if isNew { ApplePlatform.prepare(folder.path) }
    return StateStore(folder: folder)
  }

  /// Where the segments of an identity are.
  func segments(of state: ClientState, in store: StateStore) -> SegmentFolder {
    SegmentFolder(folder: store.folder.folder(state.folderName).folder("queue"), lease: lease)
  }
}
