import AnalyticsContract
import HTTPServer
import ServerFacts

/// Guards the paths that need a token. Without one, nothing tells which of them exist.
struct ScopedRoutes: Sendable {
  let credentials: any CredentialStore

  /// Guards every path below the prefixes that has no endpoint of its own.
  func add(to router: inout Router) {
    router.add(below: "/v1/admin/", guarded(.admin, route: .admin))
    router.add(below: "/v1/server/", guarded(.server, route: .server))
  }

  private func guarded(_ scope: TokenScope, route: Route) -> Endpoint {
    Endpoint(route: route, methods: [.get, .post, .put, .patch, .delete, .options, .other], bodyLimit: 0) { request in
      if let refusal = await refusal(of: request, without: scope) { return .error(refusal) }
      return .error(.notFound)
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
