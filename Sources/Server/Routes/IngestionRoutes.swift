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
    let answer = await ingestor.ingest(request.jsonBody, to: endpoint, credential: credential)
    record(answer, endpoint, credential)
    switch answer {
    case .stored(let accepted, let replayed):
      return .counts(accepted: accepted, replayed: replayed)
    case .refused(let code, let violations):
      return .error(code, violations: violations)
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
