import AnalyticsContract
import Testing

/// Every type, surface and single dimension as a client would write it, against the document's table.
@Suite struct RulesOnTheWire {
  private struct Row {
    let type: String
    let surfaces: Set<String>
    var required: [String: String] = [:]
    var optional: [String: String] = [:]
    /// The only value of a required dimension.
    var fixed: String?
  }

  private static let everywhere: Set = ["APP", "KEYBOARD", "INVITE_WEB"]
  private static let ai = ["feature": "POLISH", "executionMode": "LOCAL"]

  private static let rows: [Row] = [
    Row(type: "FIRST_OPEN", surfaces: ["APP"], required: ["acquisitionChannel": "UNKNOWN"]),
    Row(type: "SESSION_STARTED", surfaces: ["APP", "KEYBOARD"]),
    Row(type: "KEYBOARD_ACTIVATED", surfaces: ["KEYBOARD"]),
    Row(type: "AI_FEATURE_STARTED", surfaces: everywhere, required: ai),
    Row(
      type: "AI_FEATURE_SUCCEEDED", surfaces: everywhere,
      required: ai.merging(["durationBucket": "LT_1S"]) { $1 }),
    Row(
      type: "AI_FEATURE_FAILED", surfaces: everywhere, required: ai.merging(["failureCategory": "NETWORK"]) { $1 },
      optional: ["durationBucket": "GTE_30S"]),
    Row(type: "PURCHASE_VIEWED", surfaces: ["APP"]),
    Row(type: "PURCHASE_STARTED", surfaces: ["APP"]),
    Row(
      type: "PURCHASE_CANCELLED", surfaces: ["APP"], required: ["failureCategory": "CANCELLED"],
      fixed: "failureCategory"),
    Row(type: "REFERRAL_SHARED", surfaces: ["APP"]),
    Row(
      type: "INVITE_OPENED", surfaces: ["INVITE_WEB"], required: ["acquisitionChannel": "REFERRAL"],
      fixed: "acquisitionChannel"),
  ]

  private static let values: [String: [String]] = [
    "acquisitionChannel": ["APP_STORE_ORGANIC", "REFERRAL", "SOCIAL_CONTENT", "UNKNOWN"],
    "feature": ["TRANSCRIPTION", "POLISH", "AI_ASSISTANT", "AGENT", "HOTWORD", "OTHER"],
    "executionMode": ["MANAGED", "LOCAL", "BYOK"],
    "failureCategory": [
      "NETWORK", "PROVIDER", "TIMEOUT", "CANCELLED", "INSUFFICIENT_CREDITS", "VALIDATION", "UNKNOWN",
    ],
    "durationBucket": ["LT_1S", "S1_TO_3", "S3_TO_10", "S10_TO_30", "GTE_30S"],
  ]

  private func event(_ row: Row, _ surface: String? = nil) -> JSON {
    let base = JSON.object([
      ("clientEventId", .text("B0A1C2D3-E4F5-4A6B-9C8D-7E6F5A4B3C2D")), ("eventType", .text(row.type)),
      ("occurredAt", .text("2026-11-29T09:59:00Z")), ("surface", .text(surface ?? row.surfaces.sorted()[0])),
    ])
    return row.required.sorted { $0.key < $1.key }.reduce(base) { $0.appending($1.key, .text($1.value)) }
  }

  private func judge(_ event: JSON) -> String { verdict(JSON.body([event]).canonical) }

  @Test(arguments: 0..<11)
  func `A type is taken on its surfaces and refused on the others`(row: Int) {
    let row = Self.rows[row]
    for surface in Self.everywhere {
      #expect(
        judge(event(row, surface)) == (row.surfaces.contains(surface) ? "batch" : "422 /events/0/surface not_allowed"))
    }
  }

  @Test(arguments: 0..<11)
  func `A dimension that the type does not name is refused with each of its values`(row: Int) {
    let row = Self.rows[row]
    for (name, values) in Self.values where row.required[name] == nil {
      for value in values {
        #expect(
          judge(event(row).appending(name, .text(value)))
            == (row.optional[name] != nil ? "batch" : "422 /events/0/\(name) not_allowed"))
      }
      #expect(judge(event(row).appending(name, .raw("null"))) == "batch")
    }
  }

  @Test(arguments: 0..<11)
  func `A dimension that the type requires is taken with each allowed value and missed where it is not there`(row: Int)
  {
    let row = Self.rows[row]
    for name in row.required.keys {
      #expect(judge(event(row).removing(name)) == "422 /events/0/\(name) required")
      for value in Self.values[name]! {
        let isAllowed = row.fixed != name || value == row.required[name]
        #expect(
          judge(event(row).setting(name, .text(value))) == (isAllowed ? "batch" : "422 /events/0/\(name) not_allowed"))
      }
    }
  }
}
