import AnalyticsContract
import Ingestion

/// The server's clock in all tests.
let now = instant("2026-11-29T10:00:00Z")

/// An instant from its text.
func instant(_ text: String) -> Instant { Instant(iso8601: text)! }

/// The installation of a number.
func installation(_ number: UInt64 = 1) -> InstallationID {
  InstallationID(UUIDValue(high: 0x6F1C_2D3E_4A5B_4C6D, low: 0x8E7F_0000_0000_0000 | number))!
}

/// The identity in the fixtures' bodies, and another one.
let identity = "6f1c2d3e-4a5b-4c6d-8e7f-000000000001"
let otherIdentity = "6f1c2d3e-4a5b-4c6d-8e7f-000000000002"

/// What the decoder makes of a body.
func decode(_ body: [UInt8], _ endpoint: IngestionEndpoint = .events) -> Result<Batch, BatchRejection> {
  do throws(BatchRejection) { return .success(try BatchDecoder(for: endpoint, at: now).decode(body)) } catch {
    return .failure(error)
  }
}

/// What the decoder makes of a body, as text: `batch`, or the status and each violation's path and rule, sorted.
func verdict(_ body: String, _ endpoint: IngestionEndpoint = .events) -> String {
  verdict(Array(body.utf8), endpoint)
}

func verdict(_ body: [UInt8], _ endpoint: IngestionEndpoint = .events) -> String {
  switch decode(body, endpoint) {
  case .success: "batch"
  case .failure(let rejection):
    "\(rejection.code.status) "
      + rejection.violations.map { "\($0.path) \($0.rule.rawValue)" }.sorted().joined(separator: "; ")
  }
}

/// Whether the decoder says that a body is no JSON.
func isSyntaxError(_ body: [UInt8], _ endpoint: IngestionEndpoint = .events) -> Bool {
  guard case .failure(let rejection) = decode(body, endpoint) else { return false }
  return rejection.code == .invalidRequest && rejection.violations.contains { $0.rule == .invalidJSON }
}

/// A JSON value whose members keep their order and may repeat.
indirect enum JSON {
  /// A token as it is.
  case raw(String)
  /// A text without anything that has to be escaped.
  case text(String)
  case array([JSON])
  case object([(name: String, value: JSON)])

  var canonical: String {
    switch self {
    case .raw(let token): token
    case .text(let text): "\"\(text)\""
    case .array(let values): "[" + values.map(\.canonical).joined(separator: ",") + "]"
    case .object(let members):
      "{" + members.map { "\"\($0.name)\":\($0.value.canonical)" }.joined(separator: ",") + "}"
    }
  }

  /// The members' names of an object.
  var names: [String] {
    guard case .object(let members) = self else { return [] }
    return members.map(\.name)
  }

  /// The object without a member.
  func removing(_ name: String) -> JSON {
    guard case .object(let members) = self else { return self }
    return .object(members.filter { $0.name != name })
  }

  /// The object with a member replaced or appended.
  func setting(_ name: String, _ value: JSON) -> JSON {
    guard case .object(let members) = self else { return self }
    if !names.contains(name) { return appending(name, value) }
    return .object(members.map { $0.name == name ? (name, value) : $0 })
  }

  /// The object with a member appended, even where it has one of that name.
  func appending(_ name: String, _ value: JSON) -> JSON {
    guard case .object(let members) = self else { return self }
    return .object(members + [(name, value)])
  }
}

extension JSON {
  /// An event with every member but the identity.
  static let event = JSON.object([
    ("appVersion", .text("2.0.0")),
    ("clientEventId", .text("B0A1C2D3-E4F5-4A6B-9C8D-7E6F5A4B3C2D")),
    ("durationBucket", .text("S3_TO_10")),
    ("eventType", .text("AI_FEATURE_FAILED")),
    ("executionMode", .text("BYOK")),
    ("failureCategory", .text("PROVIDER")),
    ("feature", .text("AI_ASSISTANT")),
    ("occurredAt", .text("2026-11-29T09:59:00.123Z")),
    ("osVersion", .text("26.1")),
    ("surface", .text("KEYBOARD")),
  ])

  /// A summary with every member but the identity.
  static let summary = JSON.object([
    ("appVersion", .text("2.1.0")),
    ("chineseCharacterCount", .raw("120")),
    ("chineseOnlySessionCount", .raw("4")),
    ("clientSummaryId", .text("C1B2A3D4-E5F6-4B7C-8D9E-0F1A2B3C4D5E")),
    ("englishCharacterCount", .raw("340")),
    ("englishOnlySessionCount", .raw("3")),
    ("inputSessionCount", .raw("10")),
    ("mixedLanguageSessionCount", .raw("2")),
    ("osVersion", .text("26.2")),
    ("otherCharacterCount", .raw("56")),
    ("otherOnlySessionCount", .raw("1")),
    ("summaryDate", .text("2026-11-28")),
  ])

  /// The body with some items and, unless it is `nil`, an identity at the root.
  static func body(
    _ items: [JSON], root: String? = identity, to endpoint: IngestionEndpoint = .events
  ) -> JSON {
    let collection = (name: endpoint == .events ? "events" : "summaries", value: JSON.array(items))
    guard let root else { return .object([collection]) }
    let identity = (name: "installationId", value: JSON.text(root))
    return .object(endpoint == .events ? [collection, identity] : [identity, collection])
  }
}

/// What the decoder makes of the fixture event after a change.
func verdictOfEvent(_ change: (JSON) -> JSON) -> String { verdict(JSON.body([change(.event)]).canonical) }

/// What the decoder makes of the fixture summary after a change.
func verdictOfSummary(_ change: (JSON) -> JSON) -> String {
  verdict(JSON.body([change(.summary)], to: .keyboardUsage).canonical, .keyboardUsage)
}

/// A submission of an installation of a number with some events.
func submission(_ number: UInt64, items: Int = 1, session: AccessToken? = nil) -> Submission {
  let events = (0..<items).map { position in
    Event(
      clientEventID: UUIDValue(high: number + 1, low: UInt64(position)), occurredAt: now, kind: .purchaseViewed)
  }
  return Submission(
    installation: installation(number).digest, items: .events(events), session: session, receivedAt: now)
}
