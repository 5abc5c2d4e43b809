import AnalyticsContract
import Testing

/// Sorted members, no white space, absent members left out: the bytes that the clients in the field send.
@Suite struct CanonicalBodies {
  private func body(_ items: BatchItems, _ form: TransportForm) -> String {
    String(decoding: Batch(installation: Sample.installation, items: items).body(form: form), as: UTF8.self)
  }

  @Test func `An event with the identity at the root`() {
    #expect(
      body(.events([Sample.event]), .root)
        == #"{"events":[{"appVersion":"2.0.0","clientEventId":"B0A1C2D3-E4F5-4A6B-9C8D-7E6F5A4B3C2D","#
        + #""durationBucket":"S3_TO_10","eventType":"AI_FEATURE_FAILED","executionMode":"BYOK","#
        + #""failureCategory":"PROVIDER","feature":"AI_ASSISTANT","occurredAt":"2026-11-29T10:00:00.123Z","#
        + #""osVersion":"26.1","surface":"KEYBOARD"}],"installationId":"6f1c2d3e-4a5b-4c6d-8e7f-90a1b2c3d4e5"}"#)
  }

  @Test func `An event with the identity in every item`() {
    #expect(
      body(.events([Sample.event]), .everyItem)
        == #"{"events":[{"appVersion":"2.0.0","clientEventId":"B0A1C2D3-E4F5-4A6B-9C8D-7E6F5A4B3C2D","#
        + #""durationBucket":"S3_TO_10","eventType":"AI_FEATURE_FAILED","executionMode":"BYOK","#
        + #""failureCategory":"PROVIDER","feature":"AI_ASSISTANT","#
        + #""installationId":"6F1C2D3E-4A5B-4C6D-8E7F-90A1B2C3D4E5","occurredAt":"2026-11-29T10:00:00.123Z","#
        + #""osVersion":"26.1","surface":"KEYBOARD"}]}"#)
  }

  @Test func `A summary with the identity at the root`() {
    #expect(
      body(.summaries([Sample.summary]), .root)
        == #"{"installationId":"6f1c2d3e-4a5b-4c6d-8e7f-90a1b2c3d4e5","summaries":[{"appVersion":"2.1.0","#
        + #""chineseCharacterCount":120,"chineseOnlySessionCount":4,"#
        + #""clientSummaryId":"C1B2A3D4-E5F6-4B7C-8D9E-0F1A2B3C4D5E","englishCharacterCount":340,"#
        + #""englishOnlySessionCount":3,"inputSessionCount":10,"mixedLanguageSessionCount":2,"#
        + #""osVersion":"26.2","otherCharacterCount":56,"otherOnlySessionCount":1,"summaryDate":"2026-11-28"}]}"#)
  }

  @Test func `A summary with the identity in every item`() {
    #expect(
      body(.summaries([Sample.summary]), .everyItem)
        == #"{"summaries":[{"appVersion":"2.1.0","chineseCharacterCount":120,"chineseOnlySessionCount":4,"#
        + #""clientSummaryId":"C1B2A3D4-E5F6-4B7C-8D9E-0F1A2B3C4D5E","englishCharacterCount":340,"#
        + #""englishOnlySessionCount":3,"inputSessionCount":10,"#
        + #""installationId":"6F1C2D3E-4A5B-4C6D-8E7F-90A1B2C3D4E5","mixedLanguageSessionCount":2,"#
        + #""osVersion":"26.2","otherCharacterCount":56,"otherOnlySessionCount":1,"summaryDate":"2026-11-28"}]}"#)
  }

  @Test func `Absent dimensions and versions are left out, and items follow each other in order`() {
    let bare = Event(
      clientEventID: uuid("00000000-0000-0000-0000-0000000000ab"), occurredAt: instant("2026-11-29T10:00:00Z"),
      kind: .purchaseViewed)
    let invited = Event(
      clientEventID: uuid("00000000-0000-0000-0000-0000000000cd"), occurredAt: instant("2026-11-29T10:00:00.000001Z"),
      kind: .inviteOpened)
    #expect(
      body(.events([bare, invited]), .root)
        == #"{"events":[{"clientEventId":"00000000-0000-0000-0000-0000000000AB","eventType":"PURCHASE_VIEWED","#
        + #""occurredAt":"2026-11-29T10:00:00.000Z","surface":"APP"},{"acquisitionChannel":"REFERRAL","#
        + #""clientEventId":"00000000-0000-0000-0000-0000000000CD","eventType":"INVITE_OPENED","#
        + #""occurredAt":"2026-11-29T10:00:00.000001Z","surface":"INVITE_WEB"}],"#
        + #""installationId":"6f1c2d3e-4a5b-4c6d-8e7f-90a1b2c3d4e5"}"#)
  }

  @Test func `A full batch in either form fits the limits of the clients and the server`() {
    let widest = Event(
      clientEventID: .random(), occurredAt: instant("2026-11-29T10:00:00.123456Z"),
      kind: .aiFeatureFailed(
        .transcription, mode: .managed, on: .inviteWeb, failure: .insufficientCredits, duration: .from10To30s),
      appVersion: version(String(repeating: "9", count: 32)), osVersion: version(String(repeating: "9", count: 32)))
    for form in TransportForm.allCases {
      let body = Batch(
        installation: Sample.installation, items: .events(Array(repeating: widest, count: 50))
      ).body(form: form)
      #expect(body.count <= 60 * 1024)
      #expect(body.count <= ContractLimits.maximumBodyBytes)
    }
  }
}
