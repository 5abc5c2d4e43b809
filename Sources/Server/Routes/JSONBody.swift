import HTTPServer
import Ingestion

extension Request {
  /// The bytes of a body that is meant as JSON, or why there are none.
  var jsonBody: Result<[UInt8], BodyFailure> {
    guard MediaType.isJSON(headers(.contentType)) else { return .failure(.unsupportedMediaType) }
    return switch body {
    case .bytes(let bytes): .success(bytes)
    case .tooLarge: .failure(.tooLarge)
    case .undecodable: .failure(.undecodable)
    case .unsupportedEncoding: .failure(.unsupportedMediaType)
    case .timedOut: .failure(.timedOut)
    }
  }
}

/// Judges the `Content-Type` of a request.
enum MediaType {
  /// Whether the body is meant as JSON: `application/json` in any letter case and with any parameters, or no type.
  static func isJSON(_ fields: [String]) -> Bool {
    guard let field = fields.first else { return true }
    if fields.count > 1 { return false }
    let type = field.prefix { $0 != ";" }.lowercased()
    return type.trimmingSuffix(while: { $0 == " " || $0 == "\t" }) == Answer.json
  }
}

extension StringProtocol {
  fileprivate func trimmingSuffix(while predicate: (Character) -> Bool) -> SubSequence {
    var end = endIndex
    while end > startIndex, predicate(self[index(before: end)]) { end = index(before: end) }
    return self[..<end]
  }
}
