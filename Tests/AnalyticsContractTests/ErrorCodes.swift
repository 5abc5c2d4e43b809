import AnalyticsContract
import Testing

@Suite struct ErrorCodes {
  @Test func `Codes and statuses are those of the contract's table`() {
    let table: [String: Int] = [
      "invalid_request": 400, "unauthorized": 401, "forbidden": 403, "not_found": 404, "method_not_allowed": 405,
      "request_timeout": 408, "conflict": 409, "payload_too_large": 413, "unsupported_media_type": 415,
      "validation_failed": 422, "rate_limited": 429, "unavailable": 503, "internal": 500,
    ]
    #expect(Dictionary(uniqueKeysWithValues: ErrorCode.allCases.map { ($0.wireName.description, $0.status) }) == table)
  }

  @Test func `No two codes share a status`() {
    #expect(Set(ErrorCode.allCases.map(\.status)).count == ErrorCode.allCases.count)
  }

  @Test func `Each code has a message of its own that JSON takes as it is`() {
    let messages = ErrorCode.allCases.map(\.message.description)
    #expect(Set(messages).count == messages.count)
    for message in messages {
      #expect(!message.isEmpty)
      #expect(message.utf8.allSatisfy { (0x20...0x7E).contains($0) && $0 != 0x22 && $0 != 0x5C })
    }
  }
}
