import AnalyticsContract
import HTTPServer

/// What is served at one path or below one prefix.
struct Endpoint: Sendable {
  /// How metrics and logs name it.
  let route: Route
  /// The methods it takes; HEAD comes with GET.
  let methods: Set<Request.Method>
  /// The largest body it takes, in bytes.
  let bodyLimit: Int
  /// Told when a request is refused for its method.
  var methodRefused: @Sendable () -> Void = {}
  /// Why a request may not pass, judged before anything else; `nil` where it may.
  var refusal: @Sendable (Request) async -> ErrorCode? = { _ in nil }
  /// Answers a request whose method it takes.
  let answer: @Sendable (Request) async -> Answer
}

/// Finds the endpoint for a request, and answers those that have none. It knows nothing of sockets.
struct Router: Sendable {
  private var exact: [String: Endpoint] = [:]
  private var prefixes: [(prefix: String, endpoint: Endpoint)] = []

  /// Adds an endpoint for one path.
  mutating func add(_ path: StaticString, _ endpoint: Endpoint) { exact[path.description] = endpoint }

  /// Adds an endpoint for every path below a prefix that has no endpoint of its own.
  mutating func add(below prefix: StaticString, _ endpoint: Endpoint) {
    prefixes.append((prefix.description, endpoint))
  }

  /// The most bytes of a body that the endpoint for a request takes.
  func bodyLimit(for head: RequestHead) -> Int {
    guard let endpoint = endpoint(at: head.path), endpoint.methods.contains(head.method) else { return 0 }
    return endpoint.bodyLimit
  }

  /// Answers a request.
  /// - Returns: the answer, and where the request went.
  func answer(_ request: Request) async -> (Answer, Route) {
    guard let endpoint = endpoint(at: request.path) else { return (.error(.notFound), .other) }
    if let refusal = await endpoint.refusal(request) { return (.error(refusal), endpoint.route) }
    let method = request.method == .head ? .get : request.method
    guard endpoint.methods.contains(method) else {
      endpoint.methodRefused()
      return (.error(.methodNotAllowed, headers: [("Allow", Self.allow(endpoint.methods))]), endpoint.route)
    }
    return (await endpoint.answer(request), endpoint.route)
  }

  private func endpoint(at path: String) -> Endpoint? {
    exact[path] ?? prefixes.first { path.hasPrefix($0.prefix) }?.endpoint
  }

  private static func allow(_ methods: Set<Request.Method>) -> String {
    methods.contains(.get) ? "GET, HEAD" : "POST"
  }
}
