import AnalyticsContract
import HTTPServer

/// An answer as a route makes it: what goes around every answer is added in one place, ``RequestPipeline``.
struct Answer: Sendable {
  /// The status code.
  var status: Int
  /// The error code, where it is an error.
  var error: ErrorCode?
  /// The media type.
  var contentType = Self.json
  /// Further header fields.
  var headers: [(name: String, value: String)] = []
  /// The body.
  var body: [UInt8]

  static let json = "application/json"

  /// How long clients are told to wait before they retry, in seconds. They add jitter of their own.
  static let retryAfterSeconds = "5"

  /// An error in the contract's form, with the header fields that its code brings and those given.
  static func error(
    _ code: ErrorCode, violations: [Violation] = [], headers: [(name: String, value: String)] = []
  ) -> Answer {
    error(code, places: violations.map { ($0.path, $0.rule) }, headers: headers)
  }

  /// An error that parameters of the query are to blame for; an empty name for one that nobody knows.
  static func error(_ code: ErrorCode, parameters: [(name: String, rule: ViolationRule)]) -> Answer {
    error(
      code, places: parameters.prefix(ContractLimits.maximumViolations).map { ($0.name, $0.rule) }, headers: [])
  }

  private static func error(
    _ code: ErrorCode, places: [(path: String, rule: ViolationRule)], headers: [(name: String, value: String)]
  ) -> Answer {
    var answer = Answer(status: code.status, error: code, headers: headers, body: errorBody(code, places))
    switch code {
    case .unauthorized: answer.headers.append(("WWW-Authenticate", "Bearer error=\"invalid_token\""))
    case .unavailable, .rateLimited: answer.headers.append(("Retry-After", retryAfterSeconds))
    default: break
    }
    return answer
  }

  /// What became of the items of a request that was taken.
  static func counts(accepted: Int, replayed: Int) -> Answer {
    var body: [UInt8] = []
    body.append("{\"accepted\":")
    body.append(decimal: accepted)
    body.append(",\"replayed\":")
    body.append(decimal: replayed)
    body.append("}")
    return Answer(status: 200, body: body)
  }

  /// A text that a person or a probe reads as JSON: `{"status":"…"}`.
  static func status(_ status: Int, _ text: StaticString) -> Answer {
    var body: [UInt8] = []
    body.append("{\"status\":\"")
    body.append(text)
    body.append("\"}")
    return Answer(status: status, body: body)
  }

  // Codes, messages, paths and rules are ASCII from the source code without quotes, so nothing needs escaping.
  private static func errorBody(_ code: ErrorCode, _ violations: [(path: String, rule: ViolationRule)]) -> [UInt8] {
    var body: [UInt8] = []
    body.append("{\"error\":{\"code\":\"")
    body.append(code.wireName)
    body.append("\",\"message\":\"")
    body.append(code.message)
    body.append("\"")
    for (position, violation) in violations.enumerated() {
      body.append(position == 0 ? ",\"violations\":[" : ",")
      body.append("{\"path\":\"")
      body.append(contentsOf: violation.path.utf8)
      body.append("\",\"rule\":\"")
      body.append(contentsOf: violation.rule.rawValue.utf8)
      body.append("\"}")
    }
    if !violations.isEmpty { body.append("]") }
    body.append("}}")
    return body
  }
}
