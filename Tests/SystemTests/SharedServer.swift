import TestSupport

/// The server that all tests use which need nothing of their own: the clock of the fixtures, and fresh installations.
/// It ends with the test process.
enum SharedServer {
  private static let started = Result { try ServerProcess() }

  static var server: ServerProcess {
    get throws { try started.get() }
  }

  static var port: UInt16 {
    get throws { try server.port }
  }
}

/// Sends one request over a connection of its own.
///
/// A server may answer before it has read everything and stop reading: an early end of the sending direction isn't a
/// failure as long as the answer comes.
func exchange(
  _ method: String = "POST", path: String, port: UInt16, headers: [(String, String)] = [], body: [UInt8]? = nil
) throws -> HTTPReply {
  let connection = try HTTPConnection(port: port)
  do {
    try connection.send(HTTPConnection.requestBytes(method, path, headers: headers, body: body))
  } catch HTTPConnectionError.closed {}
  return try connection.receive(isHead: method == "HEAD")
}

let jsonHeaders = [("Content-Type", "application/json")]

func bearer(_ token: String) -> (String, String) { ("Authorization", "Bearer \(token)") }

/// Sends a batch to a server.
func post(
  _ batch: WireBatch, _ form: TransportForm = .root, to port: UInt16, headers: [(String, String)] = []
) throws -> HTTPReply {
  try exchange(path: batch.path, port: port, headers: jsonHeaders + headers, body: batch.body(form))
}

/// Sends a body, as it stands, to one of the ingestion endpoints of a server.
func post(
  _ body: String, _ kind: WireBatch.Kind = .events, to port: UInt16, headers: [(String, String)] = jsonHeaders
) throws -> HTTPReply {
  try post(Array(body.utf8), kind, to: port, headers: headers)
}

/// Sends a body, as it stands, to one of the ingestion endpoints of a server.
func post(
  _ body: [UInt8], _ kind: WireBatch.Kind = .events, to port: UInt16, headers: [(String, String)] = jsonHeaders
) throws -> HTTPReply {
  try exchange(path: WireBatch(kind, installation: "", items: []).path, port: port, headers: headers, body: body)
}

/// Gives a test an empty place for the data of servers that it starts itself, and removes it afterwards.
func withDatabase<Value>(
  isolation: isolated (any Actor)? = #isolation, _ body: (ServerDatabase) async throws -> Value
) async throws -> Value {
  let folder = try TemporaryFolder()
  defer { folder.remove() }
  let database = try ServerDatabase.make(in: folder.path)
  defer { database.remove() }
  return try await body(database)
}
