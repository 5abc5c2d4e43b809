import AnalyticsContract
import HTTPServer
import Ingestion
import ServerFacts

/// The two endpoints that the apps send to.
struct IngestionRoutes: Sendable {
  let ingestor: Ingestor
  let metrics: ServerMetrics
  /// Verifies tokens that state their account, where that is configured.
  let sessions: SessionTokenVerifier?
  let clock: UTCClock

  func add(to router: inout Router) {
    for endpoint in IngestionEndpoint.allCases {
      router.add(
        endpoint.path,
        Endpoint(
          route: endpoint == .events ? .events : .keyboardUsage, methods: [.post],
          bodyLimit: ContractLimits.maximumBodyBytes,
          methodRefused: {
            metrics.recordRejection(endpoint, .methodNotAllowed)
            ingestor.countRejection(.methodNotAllowed)
          },
          answer: { request in await answer(request, endpoint) }))
    }
  }

  private func answer(_ request: Request, _ endpoint: IngestionEndpoint) async -> Answer {
    let credential: IngestionCredential =
      switch BearerToken(request) {
      case .absent: .absent
      case .malformed: .malformed
      case .token(let token):
        .bearer(sessions?.session(of: token.text, at: clock.now) ?? AccessToken(digest: token.digest))
      }
    let answer = await ingestor.ingest(Self.body(of: request), to: endpoint, credential: credential)
    record(answer, endpoint, credential)
    switch answer {
    case .stored(let accepted, let replayed):
      var body: [UInt8] = []
      body.append("{\"accepted\":")
      body.append(decimal: accepted)
      body.append(",\"replayed\":")
      body.append(decimal: replayed)
      body.append("}")
      return Answer(status: 200, body: body)
    case .refused(let code, let violations):
      return .error(code, violations: violations)
    }
  }

  private static func body(of request: Request) -> Result<[UInt8], BodyFailure> {
    guard MediaType.isJSON(request.headers(.contentType)) else { return .failure(.unsupportedMediaType) }
    return switch request.body {
    case .bytes(let bytes): .success(bytes)
    case .tooLarge: .failure(.tooLarge)
    case .undecodable: .failure(.undecodable)
    case .unsupportedEncoding: .failure(.unsupportedMediaType)
    case .timedOut: .failure(.timedOut)
    }
  }

  private func record(_ answer: IngestionAnswer, _ endpoint: IngestionEndpoint, _ credential: IngestionCredential) {
    switch answer {
    case .stored(let accepted, let replayed):
      metrics.recordBatch(endpoint, accepted: accepted, replayed: replayed)
    case .refused(let code, _):
      metrics.recordRejection(endpoint, code)
    }
    switch (credential, answer) {
    case (.absent, _): break
    case (.malformed, _): metrics.sessionsChecked[.malformed].increment()
    case (.bearer, .refused(.unauthorized, _)): metrics.sessionsChecked[.refused].increment()
    case (.bearer, .refused(.unavailable, _)), (.bearer, .refused(.internal, _)):
      metrics.sessionsChecked[.failed].increment()
    case (.bearer, _): metrics.sessionsChecked[.valid].increment()
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
