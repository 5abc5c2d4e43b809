import Glibc
import HTTPServer
import TestSupport

/// A configuration with the headers that the tests look at.
func configuration(_ change: (inout HTTPServer.Configuration) -> Void = { _ in }) -> HTTPServer.Configuration {
  var configuration = HTTPServer.Configuration(keptHeaders: ["Authorization", "Content-Type", "X-Kept"])
  change(&configuration)
  return configuration
}

/// Starts a server with a body limit of 128 KiB, calls a function with it that may block, and stops it.
func withHTTPServer<Result: Sendable>(
  _ configuration: HTTPServer.Configuration = configuration(),
  limit: @escaping @Sendable (RequestHead) -> Int = { _ in 128 * 1024 },
  handler: @escaping @Sendable (Request) async -> Response = echo,
  _ body: @escaping @Sendable (HTTPServer) async throws -> Result
) async throws -> Result {
  try await onBlockingThread {
    let server = try HTTPServer(configuration: configuration, bodyLimit: limit, handler: handler)
    defer { server.stop(gracePeriodSeconds: 0) }
    return try await body(server)
  }
}

/// Answers with the request's body, or with the status that its absence asks for.
@Sendable func echo(_ request: Request) -> Response {
  switch request.body {
  case .bytes(let bytes): Response(status: 200, headers: [("X-Path", request.path)], body: bytes)
  case .tooLarge: Response(status: 413, body: Array("too large".utf8))
  case .undecodable: Response(status: 400, body: Array("undecodable".utf8))
  case .unsupportedEncoding: Response(status: 415)
  case .timedOut: Response(status: 408, body: Array("too slow".utf8))
  }
}

/// Answers like ``echo(_:)``, from another thread.
@Sendable func slowEcho(_ request: Request) async -> Response {
  await Task.yield()
  return await Task.detached { echo(request) }.value
}

extension Response {
  /// A response with text as its body.
  init(_ text: String) { self.init(status: 200, body: Array(text.utf8)) }
}

/// Something that a test waits for.
actor Gate {
  private var isOpen = false
  private var waiting: [CheckedContinuation<Void, Never>] = []

  func open() {
    isOpen = true
    waiting.forEach { $0.resume() }
    waiting = []
  }

  func wait() async {
    if isOpen { return }
    await withCheckedContinuation { waiting.append($0) }
  }
}

extension HTTPServer {
  /// One request on a connection of its own.
  func fetch(
    _ method: String, _ path: String, headers: [(String, String)] = [], body: [UInt8]? = nil
  ) throws -> HTTPReply {
    try HTTPConnection(port: port).request(method, path, headers: headers, body: body)
  }

  /// The response to bytes sent on a connection of their own.
  func reply(to text: String) throws -> HTTPReply {
    let connection = try HTTPConnection(port: port)
    try connection.send(text)
    return try connection.receive()
  }
}
