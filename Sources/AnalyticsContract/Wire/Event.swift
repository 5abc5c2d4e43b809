/// One event of the contract.
public struct Event: Sendable, Hashable, Redacted {
  /// The client's id of the event, the same on every retry; with the installation it is the idempotency key.
  public let clientEventID: UUIDValue
  /// When it happened, by the device's clock.
  public let occurredAt: Instant
  /// What happened.
  public let kind: EventKind
  /// The app's version.
  public let appVersion: ReleaseVersion?
  /// The operating system's version.
  public let osVersion: ReleaseVersion?

  /// - Parameters:
  ///   - clientEventID: the client's id of the event; not the nil UUID.
  ///   - occurredAt: when it happened.
  ///   - kind: what happened.
  ///   - appVersion: the app's version.
  ///   - osVersion: the operating system's version.
  public init(
    clientEventID: UUIDValue, occurredAt: Instant, kind: EventKind, appVersion: ReleaseVersion? = nil,
    osVersion: ReleaseVersion? = nil
  ) {
    self.clientEventID = clientEventID
    self.occurredAt = occurredAt
    self.kind = kind
    self.appVersion = appVersion
    self.osVersion = osVersion
  }
}
