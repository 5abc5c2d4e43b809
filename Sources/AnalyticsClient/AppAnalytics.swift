import AnalyticsContract

/// Analytics of the containing app. Make one when the app starts, and keep it.
///
/// Recording never waits and never fails: a call costs about a microsecond, and what it records is on the disk some 100
/// milliseconds later, or after ``flush()``. Nothing that the contract doesn't have can be recorded.
public final class AppAnalytics: Sendable {
  private let environment: ClientEnvironment
  private let recorder: Recorder
  private let uploader: Uploader

  /// - Parameters:
  ///   - configuration: what app and keyboard share.
  ///   - transport: what carries requests.
  ///   - tokens: where access tokens of the signed-in account come from; `nil` for an app without accounts.
  public init(_ configuration: ClientConfiguration, transport: any Transport, tokens: (any AccessTokenSource)? = nil) {
    environment = configuration.environment(on: .app)
    recorder = Recorder(environment)
    uploader = Uploader(environment, transport: transport, tokens: tokens)
  }

  // MARK: - Events

  /// The app came to the foreground, or is in use: SESSION_STARTED is recorded where it was not for 30 minutes.
  public func used() { recorder.record(nil) }

  /// The app was opened for the first time. Call it at every start, as soon as the channel is known: FIRST_OPEN is
  /// recorded once in the life of the installation, whatever is killed meanwhile.
  /// - Parameter channel: how the installation came to the product.
  public func opened(by channel: AcquisitionChannel) {
    recorder.record(.firstOpen(acquisitionChannel: channel))
  }

  /// An AI operation begins.
  /// - Parameters:
  ///   - feature: the feature.
  ///   - mode: who executes it.
  /// - Returns: the operation, which is to be told its outcome.
  public func begin(_ feature: Feature, mode: ExecutionMode) -> AIOperation {
    AIOperation(feature, mode, .app, recorder, environment.uptime)
  }

  /// The purchase page is shown.
  public func purchaseViewed() { recorder.record(.purchaseViewed) }

  /// A purchase begins.
  public func purchaseStarted() { recorder.record(.purchaseStarted) }

  /// The user cancelled a purchase. One that succeeds is not recorded: the App Store's transaction tells of it.
  public func purchaseCancelled() { recorder.record(.purchaseCancelled) }

  /// The user shared an invitation.
  public func referralShared() { recorder.record(.referralShared) }

  /// The app was opened by an invitation link.
  public func inviteOpened() { recorder.record(.inviteOpened) }

  /// Records an event under a chosen id, for tests.
  package func record(_ kind: EventKind, id: UUIDValue) { recorder.record(kind, id: id) }

  // MARK: - Delivery

  /// Writes what was recorded, and waits until it survives a loss of power: before the app is suspended.
  /// - Returns: whether it is on the disk, or was dropped because collection is not allowed.
  @discardableResult
  public func flush() async -> Bool { await recorder.flush(isDurable: true) }

  /// The same from where nothing can be awaited, such as `applicationDidEnterBackground`: it takes some milliseconds, and
  /// the system is asked not to suspend the process meanwhile.
  public func flushBeforeSuspension() {
    ApplePlatform.withoutSuspension { [recorder] isExpired in
      if !isExpired { _ = recorder.flushNow() }
    }
  }

  /// Delivers what app and keyboard have recorded.
  /// - Parameter maximumBatches: how many requests at most, each with up to 50 items: little in a background refresh.
  /// - Returns: how it ended.
  public func uploadAvailable(maximumBatches: Int = 20) async -> UploadResult {
    _ = await recorder.flush(isDurable: false)
    return await uploader.upload(maximumBatches: maximumBatches)
  }

  // MARK: - Consent and identity

  /// Whether the user allows collection. Switching it off drops at once what waits, in memory and on the disk, and
  /// forgets the identity; switching it on again begins with a new one.
  /// - Parameter isAllowed: what the user wants.
  /// - Returns: whether it is on the disk. Where not, call it again: after the first unlock, say.
  @discardableResult
  public func setCollectionAllowed(_ isAllowed: Bool) async -> Bool {
    if !isAllowed { recorder.stop() }
    return await recorder.change { state in
      if isAllowed { return state.installation == nil ? .fresh(sequence: 0) : nil }
      return state.installation == nil ? nil : .off(sequence: 0)
    }
  }

  /// Somebody is signed in. Where that is another account than before, a new identity begins and what waits is dropped:
  /// an installation belongs to one account for ever. Signing out changes nothing.
  /// - Parameter account: the account's id. It is kept as a salted digest, to be compared with.
  /// - Returns: whether it is on the disk.
  @discardableResult
  public func signedIn(as account: UUIDValue) async -> Bool {
    await recorder.change { state in
      guard let installation = state.installation else { return nil }
      if state.account == ClientState.digest(of: account, for: installation) { return nil }
      var next = state.account == nil ? state : .fresh(sequence: 0)
      next.account = next.installation.map { ClientState.digest(of: account, for: $0) }
      return next
    }
  }

  /// The account was deleted: a new identity begins, and what waits is dropped.
  /// - Returns: whether it is on the disk.
  @discardableResult
  public func accountDeleted() async -> Bool {
    recorder.drop()
    return await recorder.change { state in state.installation == nil ? nil : .fresh(sequence: 0) }
  }

  // MARK: - Diagnostics

  /// What the client can tell about itself, for a debug screen.
  public func diagnostics() async -> DiagnosticsSnapshot { await recorder.snapshot() }
}
