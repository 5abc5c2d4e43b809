import AnalyticsContract

/// A UUID from its text.
func uuid(_ text: String) -> UUIDValue { UUIDValue(text: text)! }

/// An instant from its text.
func instant(_ text: String) -> Instant { Instant(iso8601: text)! }

/// A release version from its text.
func version(_ text: String) -> ReleaseVersion { ReleaseVersion(text)! }

/// Lets a closure read bytes.
func reading<Result>(_ bytes: [UInt8], _ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
  bytes.withUnsafeBufferPointer(body)
}

extension Digest {
  /// The digest as lower-case hexadecimal text.
  var hexadecimal: String {
    withUnsafeBytes { bytes in
      bytes.map { String($0 / 16, radix: 16) + String($0 % 16, radix: 16) }.joined()
    }
  }
}

extension UsageCounts {
  /// All counters in the order of the contract's document: characters (Chinese, English, other), input sessions, and
  /// sessions (Chinese only, English only, mixed, other only).
  init(_ values: Int32...) {
    self.init()
    let order: [UsageCounter] = [
      .chineseCharacters, .englishCharacters, .otherCharacters, .inputSessions, .chineseOnlySessions,
      .englishOnlySessions, .mixedLanguageSessions, .otherOnlySessions,
    ]
    for (counter, value) in zip(order, values) { self[counter] = value }
  }
}

/// The fixtures that several suites use.
enum Sample {
  static let installation = InstallationID(uuid("6f1c2d3e-4a5b-4c6d-8e7f-90a1b2c3d4e5"))!

  static let event = Event(
    clientEventID: uuid("b0a1c2d3-e4f5-4a6b-9c8d-7e6f5a4b3c2d"), occurredAt: instant("2026-11-29T10:00:00.123Z"),
    kind: .aiFeatureFailed(.aiAssistant, mode: .byok, on: .keyboard, failure: .provider, duration: .from3To10s),
    appVersion: version("2.0.0"), osVersion: version("26.1"))

  static let summary = KeyboardUsageSummary(
    clientSummaryID: uuid("c1b2a3d4-e5f6-4b7c-8d9e-0f1a2b3c4d5e"), date: CalendarDay(iso8601: "2026-11-28")!,
    counts: UsageCounts(120, 340, 56, 10, 4, 3, 2, 1), appVersion: version("2.1.0"), osVersion: version("26.2"))
}
