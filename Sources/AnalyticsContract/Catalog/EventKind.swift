/// What happened: an event's type with its surface and dimensions, without when and who.
///
/// The public constructors build only what the catalog allows, so that an event which the server would refuse can't be
/// written down in client code.
public struct EventKind: Sendable, Hashable, Redacted {
  /// The event's type.
  public let type: EventType
  /// Where it happened.
  public let surface: Surface
  /// How the installation came to the product.
  public let acquisitionChannel: AcquisitionChannel?
  /// The AI feature.
  public let feature: Feature?
  /// Who executed the AI operation.
  public let executionMode: ExecutionMode?
  /// Why it did not succeed.
  public let failureCategory: FailureCategory?
  /// How long it took.
  public let durationBucket: DurationBucket?

  /// Any combination, allowed or not: for what has been decoded and is yet to be judged by ``EventRule``.
  package init(
    type: EventType, surface: Surface, acquisitionChannel: AcquisitionChannel? = nil, feature: Feature? = nil,
    executionMode: ExecutionMode? = nil, failureCategory: FailureCategory? = nil,
    durationBucket: DurationBucket? = nil
  ) {
    self.type = type
    self.surface = surface
    self.acquisitionChannel = acquisitionChannel
    self.feature = feature
    self.executionMode = executionMode
    self.failureCategory = failureCategory
    self.durationBucket = durationBucket
  }

  /// The code of a dimension's value, 0 where it is absent.
  public func code(of dimension: Dimension) -> UInt8 {
    switch dimension {
    case .acquisitionChannel: acquisitionChannel?.code ?? 0
    case .feature: feature?.code ?? 0
    case .executionMode: executionMode?.code ?? 0
    case .failureCategory: failureCategory?.code ?? 0
    case .durationBucket: durationBucket?.code ?? 0
    }
  }

  /// A bit for each dimension that is present, by its raw value.
  var presentDimensions: UInt8 {
    (acquisitionChannel == nil ? 0 : 1) | (feature == nil ? 0 : 2) | (executionMode == nil ? 0 : 4)
      | (failureCategory == nil ? 0 : 8) | (durationBucket == nil ? 0 : 16)
  }

  /// All codes in one integer, a byte each: a compact key for counting.
  public var packed: UInt64 {
    var packed = UInt64(type.code) << 8 | UInt64(surface.code)
    for dimension in Dimension.allCases { packed = packed << 8 | UInt64(code(of: dimension)) }
    return packed
  }

  /// Equal where all values are.
  public static func == (left: EventKind, right: EventKind) -> Bool { left.packed == right.packed }

  /// Feeds all values at once.
  public func hash(into hasher: inout Hasher) { hasher.combine(packed) }
}

extension EventKind {
  /// The surfaces that the app's own code runs on.
  public enum AppSurface: Sendable, CaseIterable {
    /// The containing app.
    case app
    /// The keyboard extension.
    case keyboard

    /// The catalog's value.
    public var surface: Surface { self == .app ? .app : .keyboard }
  }

  /// The first time that the app was opened; once an installation.
  public static func firstOpen(acquisitionChannel: AcquisitionChannel) -> EventKind {
    EventKind(type: .firstOpen, surface: .app, acquisitionChannel: acquisitionChannel)
  }

  /// The app or the keyboard began to be used.
  public static func sessionStarted(on surface: AppSurface) -> EventKind {
    EventKind(type: .sessionStarted, surface: surface.surface)
  }

  /// The keyboard became active.
  public static var keyboardActivated: EventKind { EventKind(type: .keyboardActivated, surface: .keyboard) }

  /// An AI operation began.
  public static func aiFeatureStarted(_ feature: Feature, mode: ExecutionMode, on surface: Surface) -> EventKind {
    EventKind(type: .aiFeatureStarted, surface: surface, feature: feature, executionMode: mode)
  }

  /// An AI operation gave its result.
  public static func aiFeatureSucceeded(
    _ feature: Feature, mode: ExecutionMode, on surface: Surface, duration: DurationBucket
  ) -> EventKind {
    EventKind(
      type: .aiFeatureSucceeded, surface: surface, feature: feature, executionMode: mode, durationBucket: duration)
  }

  /// An AI operation failed, or was cancelled (`failure` is then `.cancelled`).
  public static func aiFeatureFailed(
    _ feature: Feature, mode: ExecutionMode, on surface: Surface, failure: FailureCategory,
    duration: DurationBucket? = nil
  ) -> EventKind {
    EventKind(
      type: .aiFeatureFailed, surface: surface, feature: feature, executionMode: mode, failureCategory: failure,
      durationBucket: duration)
  }

  /// The purchase page was shown.
  public static var purchaseViewed: EventKind { EventKind(type: .purchaseViewed, surface: .app) }

  /// A purchase was begun.
  public static var purchaseStarted: EventKind { EventKind(type: .purchaseStarted, surface: .app) }

  /// A purchase was cancelled by the user.
  public static var purchaseCancelled: EventKind {
    EventKind(type: .purchaseCancelled, surface: .app, failureCategory: .cancelled)
  }

  /// An invitation was shared.
  public static var referralShared: EventKind { EventKind(type: .referralShared, surface: .app) }

  /// An invitation link was handled by the app.
  public static var inviteOpened: EventKind {
    EventKind(type: .inviteOpened, surface: .inviteWeb, acquisitionChannel: .referral)
  }
}
