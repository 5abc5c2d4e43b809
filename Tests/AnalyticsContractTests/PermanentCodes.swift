import AnalyticsContract
import Testing

/// Databases hold these numbers for years: a failure here means that stored data would change its meaning. New values
/// get new numbers; nothing here is ever edited.
@Suite struct PermanentCodes {
  @Test func `Event types`() {
    expectCodes(
      of: EventType.self,
      [
        1: "FIRST_OPEN", 2: "SESSION_STARTED", 3: "KEYBOARD_ACTIVATED", 4: "AI_FEATURE_STARTED",
        5: "AI_FEATURE_SUCCEEDED", 6: "AI_FEATURE_FAILED", 7: "PURCHASE_VIEWED", 8: "PURCHASE_STARTED",
        9: "PURCHASE_CANCELLED", 10: "REFERRAL_SHARED", 11: "INVITE_OPENED",
      ])
  }

  @Test func `Surfaces`() {
    expectCodes(of: Surface.self, [1: "APP", 2: "KEYBOARD", 3: "INVITE_WEB"])
  }

  @Test func `Acquisition channels`() {
    expectCodes(
      of: AcquisitionChannel.self, [1: "APP_STORE_ORGANIC", 2: "REFERRAL", 3: "SOCIAL_CONTENT", 4: "UNKNOWN"])
  }

  @Test func `Features`() {
    expectCodes(
      of: Feature.self,
      [1: "TRANSCRIPTION", 2: "POLISH", 3: "AI_ASSISTANT", 4: "AGENT", 5: "HOTWORD", 6: "OTHER"])
  }

  @Test func `Execution modes`() {
    expectCodes(of: ExecutionMode.self, [1: "MANAGED", 2: "LOCAL", 3: "BYOK"])
  }

  @Test func `Failure categories`() {
    expectCodes(
      of: FailureCategory.self,
      [
        1: "NETWORK", 2: "PROVIDER", 3: "TIMEOUT", 4: "CANCELLED", 5: "INSUFFICIENT_CREDITS", 6: "VALIDATION",
        7: "UNKNOWN",
      ])
  }

  @Test func `Duration buckets`() {
    expectCodes(
      of: DurationBucket.self, [1: "LT_1S", 2: "S1_TO_3", 3: "S3_TO_10", 4: "S10_TO_30", 5: "GTE_30S"])
  }

  @Test func `Lateness buckets`() {
    expectCodes(of: Lateness.self, [1: "LT_1M", 2: "LT_1H", 3: "LT_1D", 4: "LT_7D", 5: "GTE_7D"])
  }

  @Test func `Ingestion endpoints`() {
    #expect(IngestionEndpoint.allCases.map(\.code) == [1, 2])
    #expect(
      IngestionEndpoint.allCases.map(\.path.description) == ["/v1/analytics/events", "/v1/analytics/keyboard-usage"])
    #expect(IngestionEndpoint.allCases.map(\.collection) == [.events, .summaries])
  }

  @Test func `Bits of activity`() {
    let bits: [(ActivityKinds, Int64)] = [
      (.app, 1), (.keyboard, 2), (.ai, 4), (.aiSucceeded, 8), (.purchaseViewed, 16), (.purchaseStarted, 32),
      (.purchaseCancelled, 64), (.usageReported, 128),
    ]
    for (kind, bit) in bits { #expect(kind.rawValue == bit) }
  }

  private func expectCodes<Value: CatalogValue>(
    of type: Value.Type, _ table: [UInt8: String], sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let found = Dictionary(uniqueKeysWithValues: Value.allCases.map { ($0.code, $0.name) })
    #expect(found == table, sourceLocation: sourceLocation)
    for code in UInt8.min ... .max {
      #expect(Value(rawValue: code)?.name == table[code], sourceLocation: sourceLocation)
    }
  }
}
