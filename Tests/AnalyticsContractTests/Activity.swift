import Testing

@testable import AnalyticsContract

@Suite struct Activity {
  @Test func `An event shows its surface, its use of AI and its step of a purchase, and no more`() {
    for type in EventType.allCases {
      for surface in Surface.allCases {
        var expected: ActivityKinds = []
        if surface == .app { expected.insert(.app) }
        if surface == .keyboard { expected.insert(.keyboard) }
        if [.aiFeatureStarted, .aiFeatureSucceeded, .aiFeatureFailed].contains(type) { expected.insert(.ai) }
        if type == .aiFeatureSucceeded { expected.insert(.aiSucceeded) }
        if type == .purchaseViewed { expected.insert(.purchaseViewed) }
        if type == .purchaseStarted { expected.insert(.purchaseStarted) }
        if type == .purchaseCancelled { expected.insert(.purchaseCancelled) }
        #expect(EventKind(type: type, surface: surface).activity == expected)
      }
    }
  }

  @Test func `No event reports usage`() {
    for type in EventType.allCases {
      for surface in Surface.allCases {
        #expect(!EventKind(type: type, surface: surface).activity.contains(.usageReported))
      }
    }
  }
}
