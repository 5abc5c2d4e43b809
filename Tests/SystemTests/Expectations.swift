import Foundation
import TestSupport
import Testing

/// What the server counted of a batch that it took.
struct Outcome: Equatable, Sendable {
  var accepted: Int
  var replayed: Int

  /// The exact body of a 200, or nil when it is anything else. Clients keep their items unless it is exactly this.
  init?(_ reply: HTTPReply) {
    guard reply.status == 200, let match = reply.text.wholeMatch(of: /{"accepted":(\d+),"replayed":(\d+)}/),
      let accepted = Int(match.1), let replayed = Int(match.2)
    else { return nil }
    self.init(accepted: accepted, replayed: replayed)
  }

  init(accepted: Int, replayed: Int) {
    self.accepted = accepted
    self.replayed = replayed
  }
}

/// A failed request as its JSON tells it.
struct ErrorBody: Equatable {
  struct Violation: Equatable {
    var path: String
    var rule: String
  }

  var code: String
  var message: String
  var violations: [Violation]?

  /// Nil unless the shape is exactly that of the contract.
  init?(_ reply: HTTPReply) {
    guard let root = try? JSONSerialization.jsonObject(with: Data(reply.body)) as? [String: Any],
      Set(root.keys) == ["error"], let error = root["error"] as? [String: Any],
      Set(error.keys).isSubset(of: ["code", "message", "violations"]),
      let code = error["code"] as? String, let message = error["message"] as? String
    else { return nil }
    self.code = code
    self.message = message
    guard let list = error["violations"] else { return }
    guard let objects = list as? [[String: Any]] else { return nil }
    var violations: [Violation] = []
    for object in objects {
      guard Set(object.keys) == ["path", "rule"], let path = object["path"] as? String,
        let rule = object["rule"] as? String
      else { return nil }
      violations.append(Violation(path: path, rule: rule))
    }
    self.violations = violations
  }
}

let errorCodes: [Int: String] = [
  400: "invalid_request", 401: "unauthorized", 403: "forbidden", 404: "not_found", 405: "method_not_allowed",
  408: "request_timeout", 409: "conflict", 413: "payload_too_large", 415: "unsupported_media_type",
  422: "validation_failed", 429: "rate_limited", 503: "unavailable",
]

/// Expects the headers that every JSON response has.
func expectCommonHeaders(
  _ reply: HTTPReply, _ comment: Comment? = nil, sourceLocation: SourceLocation = #_sourceLocation
) {
  func values(_ name: String) -> [String] { reply.headers.filter { $0.name == name }.map(\.value) }
  let type = values("content-type")
  #expect(type.count == 1 && isJSON(type[0]), comment, sourceLocation: sourceLocation)
  expectSafetyHeaders(reply, comment, sourceLocation: sourceLocation)
}

/// Expects the headers that every response has, whatever its media type.
func expectSafetyHeaders(
  _ reply: HTTPReply, _ comment: Comment? = nil, sourceLocation: SourceLocation = #_sourceLocation
) {
  func values(_ name: String) -> [String] { reply.headers.filter { $0.name == name }.map(\.value) }
  #expect(values("cache-control") == ["no-store"], comment, sourceLocation: sourceLocation)
  #expect(values("x-content-type-options") == ["nosniff"], comment, sourceLocation: sourceLocation)
  #expect(values("x-request-id").count == 1, comment, sourceLocation: sourceLocation)
  #expect((values("x-request-id").first ?? "").utf8.count >= 8, comment, sourceLocation: sourceLocation)
}

private func isJSON(_ mediaType: String) -> Bool {
  mediaType.split(separator: ";")[0].trimmingCharacters(in: .whitespaces).lowercased() == "application/json"
}

/// Expects that a batch was taken, with these counts in exactly the body that clients understand.
func expectTaken(
  _ reply: HTTPReply, accepted: Int, replayed: Int = 0, _ comment: Comment? = nil,
  sourceLocation: SourceLocation = #_sourceLocation
) {
  #expect(reply.status == 200, comment, sourceLocation: sourceLocation)
  #expect(
    reply.text == "{\"accepted\":\(accepted),\"replayed\":\(replayed)}", comment, sourceLocation: sourceLocation)
  expectCommonHeaders(reply, comment, sourceLocation: sourceLocation)
}

/// Expects an error of the contract: status, code, shape, headers, and nothing of what the client sent.
func expectError(
  _ reply: HTTPReply, _ statuses: Int..., sent: [UInt8] = [], _ comment: Comment? = nil,
  sourceLocation: SourceLocation = #_sourceLocation
) {
  #expect(statuses.contains(reply.status), comment, sourceLocation: sourceLocation)
  expectCommonHeaders(reply, comment, sourceLocation: sourceLocation)
  guard let error = ErrorBody(reply) else {
    Issue.record("not the shape of an error: \(reply.text.prefix(400))", sourceLocation: sourceLocation)
    return
  }
  #expect(error.code == errorCodes[reply.status], comment, sourceLocation: sourceLocation)
  #expect(!error.message.isEmpty, comment, sourceLocation: sourceLocation)
  if let violations = error.violations {
    #expect(reply.status == 400 || reply.status == 422, comment, sourceLocation: sourceLocation)
    #expect(violations.count <= 20, comment, sourceLocation: sourceLocation)
  }
  if reply.status == 422 {
    #expect(error.violations?.isEmpty == false, comment, sourceLocation: sourceLocation)
  }
  if reply.status == 429 || reply.status == 503 {
    #expect(Int(reply.header("retry-after") ?? "").map { $0 >= 0 } == true, comment, sourceLocation: sourceLocation)
  }
  let repeated = repeatedBytes(in: reply.body, of: sent)
  #expect(repeated == nil, comment, sourceLocation: sourceLocation)
}

/// Expects a failure of the operator's world: exit status 1 and a text that a person can act on.
func expectFailure(
  _ result: CommandResult, mentioning words: [String], sourceLocation: SourceLocation = #_sourceLocation
) {
  #expect(result.status == .code(1), "\(result.error.suffix(400))", sourceLocation: sourceLocation)
  let text = result.error.lowercased()
  #expect(words.contains { text.contains($0) }, "\(result.error.suffix(400))", sourceLocation: sourceLocation)
  for word in ["fatal error", "stack dump", "backtrace", "crash"] {
    #expect(!text.contains(word), "\(result.error.suffix(400))", sourceLocation: sourceLocation)
  }
}

/// The first six bytes in a row of an error that the client sent too and that are no name of the contract. The values of
/// tests are no words of any language, so that no text of the server's own can hold them.
func repeatedBytes(in answer: [UInt8], of sent: [UInt8]) -> String? {
  let vocabulary =
    (WireCatalog.names + ["error", "code", "message", "violations", "path", "rule", "application/json", "application"]
    + errorCodes.values)
    .sorted { $0.utf8.count > $1.utf8.count }
  func withoutNames(_ bytes: [UInt8]) -> [[UInt8]] {
    var text = String(decoding: bytes, as: UTF8.self)
    for name in vocabulary { text = text.replacingOccurrences(of: name, with: "\u{0}") }
    return text.utf8.split(separator: 0).map { Array($0) }
  }
  func windows(_ parts: [[UInt8]]) -> Set<ArraySlice<UInt8>> {
    var all: Set<ArraySlice<UInt8>> = []
    for part in parts where part.count >= 6 {
      for start in 0...(part.count - 6) { all.insert(part[start..<(start + 6)]) }
    }
    return all
  }
  guard !sent.isEmpty else { return nil }
  let own = windows(withoutNames(answer))
  return own.intersection(windows(withoutNames(sent))).first.map { String(decoding: $0, as: UTF8.self) }
}
