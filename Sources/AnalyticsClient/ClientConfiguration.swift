import AnalyticsContract

/// What app and keyboard extension are made with. Both give the same container and server.
public struct ClientConfiguration: Sendable {
  let container: @Sendable () -> String?
  let appVersion: ReleaseVersion
  let osVersion: ReleaseVersion
  var clock = UTCClock.system
  var uptime = MonotonicClock.system
  /// How long claims last, in seconds; tests have shorter ones.
  package var leaseSeconds = SegmentFolder.leaseSeconds
  /// The longest wait after the first failure, in seconds; tests have none.
  package var firstWaitSeconds = RetryState.firstWait
  var limits = QueueLimits()
  var gatherMilliseconds = 100

  /// With the shared container of an App Group.
  /// - Parameters:
  ///   - appGroup: the group's identifier, `group.…`, to which app and extension belong.
  ///   - appVersion: the app's version (CFBundleShortVersionString); what is no version counts as `unknown`.
  ///   - osVersion: the system's version, such as `26.1`; likewise.
  public init(appGroup: String, appVersion: String, osVersion: String) {
    self.init(
      container: { ApplePlatform.container(ofGroup: appGroup) }, appVersion: appVersion, osVersion: osVersion)
  }

  /// With any folder that app and extension share.
  /// - Parameters:
  ///   - folder: the folder; it must exist.
  ///   - appVersion: the app's version; what is no version counts as `unknown`.
  ///   - osVersion: the system's version; likewise.
  public init(folder: String, appVersion: String, osVersion: String) {
    self.init(container: { folder }, appVersion: appVersion, osVersion: osVersion)
  }

  init(container: @escaping @Sendable () -> String?, appVersion: String, osVersion: String) {
    self.container = container
    self.appVersion = ReleaseVersion(appVersion) ?? ReleaseVersion("unknown")!
    self.osVersion = ReleaseVersion(osVersion) ?? ReleaseVersion("unknown")!
  }

  func environment(on surface: EventKind.AppSurface) -> ClientEnvironment {
    ClientEnvironment(
      surface: surface, container: container, appVersion: appVersion, osVersion: osVersion, clock: clock,
      uptime: uptime,
      limits: limits, lease: leaseSeconds, firstWait: firstWaitSeconds,
      gatherMilliseconds: gatherMilliseconds)
  }
}
