import Foundation
import TestSupport
import Testing

/// Three nodes on one database, HAProxy in front of them, and clients that send through it or to a node.
final class FaultRig: @unchecked Sendable {
  /// `OSG_ANALYTICS_SOAK=1` asks for many more rounds.
  static let isSoak = ProcessInfo.processInfo.environment["OSG_ANALYTICS_SOAK"] == "1"

  /// What the product promises: this long after the database takes connections again, the service is back.
  static let promise = 10.0
  /// What a busy machine may add to that.
  static let slack = 5.0

  let name: String
  let nodes: [ServerProcess]
  let proxy: HAProxyProcess
  let load: PersistentLoad
  private let probes = LockedList<Int>()
  private let rounds = LockedList<Int>()

  /// Starts everything.
  /// - Parameters:
  ///   - name: a text that no other rig uses on the same database.
  ///   - databases: the database as each node reaches it.
  ///   - clients: how many clients send.
  /// - Throws: `ServerProcessError`.
  init(_ name: String, databases: [ServerDatabase], clients: Int) async throws {
    self.name = name
    // All at once: of those that find no schema, one creates it.
    let starts = try await onThreads(databases.count) { index in
      var options = ServerOptions()
      options.database = databases[index]
      // The same port after a restart: HAProxy looks for the node there.
      options.port = FreePort.take()
      return Result { try ServerProcess(options) }
    }
    do {
      let nodes = try starts.map { try $0.get() }
      (self.nodes, proxy) = (nodes, try HAProxyProcess(nodes: nodes.map(\.port)))
    } catch {
      for start in starts { try? start.get().remove() }
      throw error
    }
    // Some see what HAProxy would do about a node's answer, some the answer itself.
    load = PersistentLoad(seed: name, ports: [proxy.port, proxy.port] + nodes.map(\.port), clients: clients)
    load.start()
  }

  func remove() {
    for node in nodes { node.process.send(SIGCONT) }
    load.stop()
    proxy.remove()
    for node in nodes { node.remove() }
  }

  /// The answer of a node to a GET; nil when there is none.
  func status(_ path: String, of node: ServerProcess) -> Int? {
    let connection = try? HTTPConnection(port: node.port, timeoutSeconds: 30)
    return try? connection?.request("GET", path).status
  }

  /// Expects that nodes say that they can't serve, and that their processes are well.
  func expectUnready(
    _ nodes: [ServerProcess]? = nil, within seconds: Double = 15, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    let nodes = nodes ?? self.nodes
    let answers = try await onThreads(nodes.count) { [self] index in
      (
        isUnready: waitUntil(seconds: seconds) { status("/readyz", of: nodes[index]) == 503 },
        health: status("/healthz", of: nodes[index])
      )
    }
    for answer in answers {
      #expect(answer.isUnready, "/readyz without a database", sourceLocation: sourceLocation)
      #expect(answer.health == 200, sourceLocation: sourceLocation)
    }
  }

  /// Expects that each node takes batches again in the time that is promised, is ready, and that clients get through.
  func expectService(
    _ nodes: [ServerProcess]? = nil, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    let nodes = nodes ?? self.nodes
    let start = ContinuousClock.now
    let before = load.acknowledged
    let bound = Self.promise + Self.slack
    let round = rounds.count
    rounds.append(1)
    let times = try await onThreads(nodes.count) { [self] index -> Duration? in
      var bodies = WireBodies(seed: "\(name) probe \(round) \(nodes[index].port)")
      let batch = bodies.events(1)
      // Counted before it is known: it is sent until it is taken.
      probes.append(1)
      let isTaken = waitUntil(seconds: bound) {
        (try? post(batch, to: nodes[index].port))?.status == 200
      }
      return isTaken ? ContinuousClock.now - start : nil
    }
    for time in times {
      #expect(time != nil, "no 200 within \(bound) s", sourceLocation: sourceLocation)
    }
    for node in nodes {
      let isReady = waitUntil(seconds: bound) { status("/readyz", of: node) == 200 }
      #expect(isReady, "/readyz with a database", sourceLocation: sourceLocation)
    }
    let hasProgress = waitUntil(seconds: bound) { load.acknowledged > before }
    #expect(hasProgress, "clients get through", sourceLocation: sourceLocation)
  }

  /// Ends the load and expects that everything acknowledged is stored once, that nothing is stored in part, that clients
  /// saw only what they can live with, and that no node ended.
  func finish(on cluster: PostgreSQLCluster, sourceLocation: SourceLocation = #_sourceLocation) async throws {
    load.stop()
    #expect(load.faults.isEmpty, "\(load.faults.prefix(5))", sourceLocation: sourceLocation)
    for node in nodes {
      #expect(node.process.exitStatus == nil, "\(node.log.suffix(500))", sourceLocation: sourceLocation)
    }
    let missing = try await load.resend(to: nodes.map(\.port))
    #expect(missing.isEmpty, "\(missing.count): \(missing.prefix(5))", sourceLocation: sourceLocation)

    let (events, summaries) = load.items
    let database = try cluster.connect()
    let all = events + probes.count
    #expect(try database.integer("SELECT count(*) FROM events") == all, sourceLocation: sourceLocation)
    #expect(
      try database.integer("SELECT sum(event_count) FROM event_day_totals") == all, sourceLocation: sourceLocation)
    #expect(
      try database.integer("SELECT count(*) FROM keyboard_summaries") == summaries, sourceLocation: sourceLocation)
    #expect(
      try database.integer("SELECT sum(summary_count) FROM usage_day_totals") == summaries,
      sourceLocation: sourceLocation)
    #expect(!cluster.log.contains("deadlock detected"), sourceLocation: sourceLocation)
    #expect(
      try database.integer("SELECT sum(deadlocks) FROM pg_stat_database") == 0, sourceLocation: sourceLocation)
    for node in nodes {
      #expect(!node.log.contains(PostgreSQLCluster.password), "a password in a log", sourceLocation: sourceLocation)
    }
  }
}

/// Starts a rig, gives it to a test and removes it afterwards, also when the test fails.
func withRig(
  _ name: String, databases: [ServerDatabase], clients: Int = 7, isolation: isolated (any Actor)? = #isolation,
  _ body: (FaultRig) async throws -> Void
) async throws {
  let rig = try await FaultRig(name, databases: databases, clients: clients)
  defer { rig.remove() }
  try await body(rig)
}

/// Starts a cluster, gives it to a test and removes it afterwards, also when the test fails.
func withCluster(
  settings: [String: String] = [:], small: PostgreSQLCluster.SmallDisk? = nil, size: String = "64m",
  isolation: isolated (any Actor)? = #isolation, _ body: (PostgreSQLCluster) async throws -> Void
) async throws {
  let cluster = try PostgreSQLCluster(settings: settings, small: small, size: size)
  defer { cluster.remove() }
  try await body(cluster)
}
