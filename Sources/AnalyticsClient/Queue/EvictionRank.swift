import AnalyticsContract

/// Which events go first when there is no room: the lowest rank, and within a rank the oldest. Sessions and keyboard
/// activations are many and alike; a first open can't be had again.
enum EvictionRank: UInt8, Comparable {
  /// SESSION_STARTED and KEYBOARD_ACTIVATED.
  case activation
  /// AI_FEATURE_STARTED.
  case operationStarted
  /// AI_FEATURE_SUCCEEDED and AI_FEATURE_FAILED.
  case operationEnded
  /// What leads to a purchase or an invitation.
  case purchaseOrReferral
  /// FIRST_OPEN.
  case firstOpen

  /// The rank of a type.
  init(_ type: EventType) {
    self =
      switch type {
      case .sessionStarted, .keyboardActivated: .activation
      case .aiFeatureStarted: .operationStarted
      case .aiFeatureSucceeded, .aiFeatureFailed: .operationEnded
      case .purchaseViewed, .purchaseStarted, .purchaseCancelled, .referralShared, .inviteOpened: .purchaseOrReferral
      case .firstOpen: .firstOpen
      }
  }

  static func < (left: EvictionRank, right: EvictionRank) -> Bool { left.rawValue < right.rawValue }
}
