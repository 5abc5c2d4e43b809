/// The types of event that exist.
public enum EventType: UInt8, CatalogValue {
  /// The app was opened for the first time on this installation.
  case firstOpen = 1
  /// The app or the keyboard began to be used after a pause.
  case sessionStarted = 2
  /// The custom keyboard became active.
  case keyboardActivated = 3
  /// An AI operation began.
  case aiFeatureStarted = 4
  /// An AI operation gave its result.
  case aiFeatureSucceeded = 5
  /// An AI operation failed or was cancelled.
  case aiFeatureFailed = 6
  /// The purchase page was shown.
  case purchaseViewed = 7
  /// A purchase was begun.
  case purchaseStarted = 8
  /// A purchase was cancelled by the user.
  case purchaseCancelled = 9
  /// An invitation was shared.
  case referralShared = 10
  /// An invitation link was handled by the app.
  case inviteOpened = 11

  /// The name on the wire.
  public var wireName: StaticString {
    switch self {
    case .firstOpen: "FIRST_OPEN"
    case .sessionStarted: "SESSION_STARTED"
    case .keyboardActivated: "KEYBOARD_ACTIVATED"
    case .aiFeatureStarted: "AI_FEATURE_STARTED"
    case .aiFeatureSucceeded: "AI_FEATURE_SUCCEEDED"
    case .aiFeatureFailed: "AI_FEATURE_FAILED"
    case .purchaseViewed: "PURCHASE_VIEWED"
    case .purchaseStarted: "PURCHASE_STARTED"
    case .purchaseCancelled: "PURCHASE_CANCELLED"
    case .referralShared: "REFERRAL_SHARED"
    case .inviteOpened: "INVITE_OPENED"
    }
  }
}
