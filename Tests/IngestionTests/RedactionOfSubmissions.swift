import AnalyticsContract
import Ingestion
import Testing

@Suite struct RedactionOfSubmissions {
  @Test func `A submission and a credential show their types alone, whatever encloses them`() {
    let token = AccessToken(digest: Digest(hashing: "token"), account: UUIDValue(high: 0xABCDEF, low: 11_259_375))
    let values: [(any Redacted, String)] = [
      (submission(0xABCDEF, items: 2, session: token), "Submission"),
      (token, "AccessToken"), (IngestionCredential.bearer(token), "IngestionCredential"),
      (IngestionCredential.malformed, "IngestionCredential"), (IngestionCredential.absent, "IngestionCredential"),
    ]
    for (value, name) in values {
      #expect("\(value)" == "\(name)(redacted)")
      #expect(String(reflecting: value) == "\(name)(redacted)")
      #expect(Mirror(reflecting: value).children.isEmpty)
      for whole in [
        value, [value], Optional(value) as Any, (value, 1), ["k": value], Result<Any, Never>.success(value),
      ] as [Any] {
        var text = "\(whole) \(String(reflecting: whole)) "
        dump(whole, to: &text)
        #expect(text.contains("\(name)(redacted)"))
        for secret in [
          "bearer", "malformed", "absent", "purchase", "PURCHASE", "abcdef", "ABCDEF", "11259375", "words",
        ] {
          #expect(!text.contains(secret), "\(text)")
        }
        #expect(!text.contains(String(now.microseconds)))
      }
    }
  }
}
