import AnalyticsContract
import HTTPServer
import ServerFacts

/// Guards the paths that need a token. Without one, nothing tells which of them exist.
struct ScopedRoutes: Sendable {
  let credentials: any CredentialStore

  /// Guards every path below the prefixes that has no endpoint of its own.
  func add(to router: inout Router) {
    router.add(below: "/v1/admin/", guarded(.admin, nothing(.admin)))
    router.add(below: "/v1/server/", guarded(.server, nothing(.server)))
  }

  /// An endpoint that only a token of a scope opens. Without one not even its methods are told.
  func guarded(_ scope: TokenScope, _ endpoint: Endpoint) -> Endpoint {
    var guarded = endpoint
    guarded.refusal = { request in await refusal(of: request, without: scope) }
    return guarded
  }

  private func nothing(_ route: Route) -> Endpoint {
    Endpoint(route: route, methods: [.get, .post, .put, .patch, .delete, .options, .other], bodyLimit: 0) { _ in
      .error(.notFound)
    }
  }

  /// Why a request may not pass; `nil` where it has a valid token of the scope.
  private func refusal(of request: Request, without scope: TokenScope) async -> ErrorCode? {
    guard case .token(let token) = BearerToken(request) else { return .unauthorized }
    do {
      guard let granted = try await credentials.scope(ofToken: token.digest) else { return .unauthorized }
      return granted == scope ? nil : .forbidden
    } catch {
      return .unavailable
    }
  }
}
