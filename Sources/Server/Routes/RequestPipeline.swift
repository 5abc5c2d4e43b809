import AnalyticsContract
import HTTPServer

/// What happens around every request: a request id, the headers that every response has, metrics, a log line.
struct RequestPipeline: Sendable {
  let router: Router
  let metrics: ServerMetrics
  let logger: Logger

  /// The only header fields that are ever looked at.
  static let keptHeaders: [HeaderName] = [
    .authorization, .contentType, .acceptLanguage, .purpose, .secPurpose,
  ]

  func respond(to request: Request) async -> Response {
    let start = ContinuousClock.now
    metrics.httpRequestsInFlight.add(1)
    let (answer, route) = await router.answer(request)
    metrics.httpRequestsInFlight.add(-1)
    return finish(answer, route: route, duration: ContinuousClock.now - start)
  }

  /// The response to what is no request of HTTP, or none that this server takes: a bare status.
  func refuse(status: Int) -> Response {
    finish(Answer(status: status, body: []), route: .other, duration: .zero)
  }

  private func finish(_ answer: Answer, route: Route, duration: Duration) -> Response {
    let id = RequestID()
    metrics.recordAnswer(route: route, status: answer.status, duration: duration)
    if answer.status < 400 {
      logger.debug(
        "request_answered", .request(id), .field("route", route), .status(answer.status), .duration(duration))
    } else {
      // A client can cause these at will, so their number is limited.
      logger.clientWarning(
        "request_refused", .request(id), .field("route", route), .status(answer.status),
        .field("code", answer.error?.wireName ?? "none"), .duration(duration))
    }
    let headers: [(name: String, value: String)] = [
      ("Content-Type", answer.contentType), ("Cache-Control", "no-store"), ("X-Content-Type-Options", "nosniff"),
      ("X-Request-Id", id.description),
    ]
    return Response(status: answer.status, headers: headers + answer.headers, body: answer.body)
  }
}

extension HeaderName {
  static let authorization: HeaderName = "authorization"
  static let contentType: HeaderName = "content-type"
}
