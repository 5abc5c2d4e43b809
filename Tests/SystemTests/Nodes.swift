import TestSupport

/// How many servers a test may run on one database: SQLite has one.
let nodeCounts = DatabaseUnderTest.isSQLite ? [1] : [1, 3]

/// Starts servers on one database, gives them to a test and removes them and it afterwards, also when the test fails.
func withNodes<Value>(
  _ count: Int, isolation: isolated (any Actor)? = #isolation, _ body: ([ServerProcess]) async throws -> Value
) async throws -> Value {
  try await withDatabase { database in
    var nodes: [ServerProcess] = []
    defer { for node in nodes { node.remove() } }
    for _ in 0..<count { nodes.append(try ServerProcess(ServerOptions(database: database))) }
    return try await body(nodes)
  }
}

/// Sends bodies at the same instant, each over a connection of its own that already stands.
/// - Parameters:
///   - batches: what is sent.
///   - ports: where the batches go, in turn.
///   - headers: further headers for each batch, if any.
/// - Returns: the answers in the order of the batches.
/// - Throws: the first failure of a connection.
func sendTogether(
  _ batches: [WireBatch], ports: [UInt16], headers: [[(String, String)]] = []
) async throws -> [HTTPReply] {
  let gate = StartingGate(count: batches.count)
  return try await onThreads(batches.count) { index in
    let connection = Result { try HTTPConnection(port: ports[index % ports.count], timeoutSeconds: 60) }
    gate.arrive()
    let own = headers.isEmpty ? [] : headers[index]
    return try connection.get().request(
      "POST", batches[index].path, headers: jsonHeaders + own, body: batches[index].body())
  }
}
