/// What an installation did on a day, as far as distinct counts of installations need it. The bits are permanent, like
/// the catalog's codes: activity rows hold them.
public struct ActivityKinds: OptionSet, Sendable, Hashable {
  /// The bits.
  public let rawValue: Int64

  /// - Parameter rawValue: the bits.
  public init(rawValue: Int64) { self.rawValue = rawValue }

  /// Any event of surface APP.
  public static let app = ActivityKinds(rawValue: 1 << 0)
  /// Any event of surface KEYBOARD.
  public static let keyboard = ActivityKinds(rawValue: 1 << 1)
  /// Any AI event.
  public static let ai = ActivityKinds(rawValue: 1 << 2)
  /// An AI operation that succeeded.
  public static let aiSucceeded = ActivityKinds(rawValue: 1 << 3)
  /// The purchase page was shown.
  public static let purchaseViewed = ActivityKinds(rawValue: 1 << 4)
  /// A purchase was begun.
  public static let purchaseStarted = ActivityKinds(rawValue: 1 << 5)
  /// A purchase was cancelled.
  public static let purchaseCancelled = ActivityKinds(rawValue: 1 << 6)
  /// A keyboard usage summary exists for the day.
  public static let usageReported = ActivityKinds(rawValue: 1 << 7)
}

extension EventKind {
  /// What an event of this kind shows about its day.
  public var activity: ActivityKinds {
    var activity: ActivityKinds = []
    switch surface {
    case .app: activity.insert(.app)
    case .keyboard: activity.insert(.keyboard)
    case .inviteWeb: break
    }
    switch type {
    case .aiFeatureStarted, .aiFeatureFailed: activity.insert(.ai)
    case .aiFeatureSucceeded: activity.formUnion([.ai, .aiSucceeded])
    case .purchaseViewed: activity.insert(.purchaseViewed)
    case .purchaseStarted: activity.insert(.purchaseStarted)
    case .purchaseCancelled: activity.insert(.purchaseCancelled)
    case .firstOpen, .sessionStarted, .keyboardActivated, .referralShared, .inviteOpened: break
    }
    return activity
  }
}
