/// One row of the table of events, copied from the wire contract and not from the product's code.
public struct WireEventRow: Sendable, CustomStringConvertible {
  /// The event type.
  public var type: String
  /// The surfaces that it may come from.
  public var surfaces: [String]
  /// The dimensions that must be there.
  public var required: [String] = []
  /// The dimensions that may be there.
  public var optional: [String] = []
  /// The dimensions of which only one value is allowed.
  public var fixed: [String: String] = [:]

  /// The event type.
  public var description: String { type }
}

/// The names and values of the wire contract, written down a second time for the tests.
public enum WireCatalog {
  /// Where events come from.
  public static let surfaces = ["APP", "KEYBOARD", "INVITE_WEB"]

  /// The values of the dimensions that only some event types have.
  public static let dimensions: [String: [String]] = [
    "acquisitionChannel": ["APP_STORE_ORGANIC", "REFERRAL", "SOCIAL_CONTENT", "UNKNOWN"],
    "feature": ["TRANSCRIPTION", "POLISH", "AI_ASSISTANT", "AGENT", "HOTWORD", "OTHER"],
    "executionMode": ["MANAGED", "LOCAL", "BYOK"],
    "failureCategory": [
      "NETWORK", "PROVIDER", "TIMEOUT", "CANCELLED", "INSUFFICIENT_CREDITS", "VALIDATION", "UNKNOWN",
    ],
    "durationBucket": ["LT_1S", "S1_TO_3", "S3_TO_10", "S10_TO_30", "GTE_30S"],
  ]

  /// The table of events.
  public static let rows: [WireEventRow] = [
    WireEventRow(type: "FIRST_OPEN", surfaces: ["APP"], required: ["acquisitionChannel"]),
    WireEventRow(type: "SESSION_STARTED", surfaces: ["APP", "KEYBOARD"]),
    WireEventRow(type: "KEYBOARD_ACTIVATED", surfaces: ["KEYBOARD"]),
    WireEventRow(type: "AI_FEATURE_STARTED", surfaces: surfaces, required: ["feature", "executionMode"]),
    WireEventRow(
      type: "AI_FEATURE_SUCCEEDED", surfaces: surfaces, required: ["feature", "executionMode", "durationBucket"]),
    WireEventRow(
      type: "AI_FEATURE_FAILED", surfaces: surfaces, required: ["feature", "executionMode", "failureCategory"],
      optional: ["durationBucket"]),
    WireEventRow(type: "PURCHASE_VIEWED", surfaces: ["APP"]),
    WireEventRow(type: "PURCHASE_STARTED", surfaces: ["APP"]),
    WireEventRow(
      type: "PURCHASE_CANCELLED", surfaces: ["APP"], required: ["failureCategory"],
      fixed: ["failureCategory": "CANCELLED"]),
    WireEventRow(type: "REFERRAL_SHARED", surfaces: ["APP"]),
    WireEventRow(
      type: "INVITE_OPENED", surfaces: ["INVITE_WEB"], required: ["acquisitionChannel"],
      fixed: ["acquisitionChannel": "REFERRAL"]),
  ]

  /// The row of an event type.
  public static func row(_ type: String) -> WireEventRow { rows.first { $0.type == type }! }

  /// The counters of a summary that count characters, then those that count sessions.
  public static let characterCounters = ["chineseCharacterCount", "englishCharacterCount", "otherCharacterCount"]
  /// The counters of a summary that add up to `inputSessionCount`.
  public static let languageSessionCounters = [
    "chineseOnlySessionCount", "englishOnlySessionCount", "mixedLanguageSessionCount", "otherOnlySessionCount",
  ]
  /// All integer members of a summary.
  public static let counters = characterCounters + ["inputSessionCount"] + languageSessionCounters

  /// The members of events and summaries that aren't dimensions or counters.
  public static let otherMembers = [
    "installationId", "events", "summaries", "clientEventId", "eventType", "occurredAt", "surface", "appVersion",
    "osVersion", "clientSummaryId", "summaryDate",
  ]

  /// Every name and value of the contract: what an error may mention although the client sent it too.
  public static let names: [String] =
    otherMembers + counters + surfaces + rows.map(\.type) + dimensions.keys + dimensions.values.flatMap { $0 }
}
