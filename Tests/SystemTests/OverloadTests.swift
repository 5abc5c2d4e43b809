import Foundation
import TestSupport
import Testing

/// A database that doesn't answer, and one that is full. No client may get an answer that makes it drop its items.
@Suite("Overload and full disk", .serialized, .ownThread)
struct OverloadTests {
  /// What a well-formed upload may get when the server can't take it; nil is a broken connection.
  static let harmless: Set<Int?> = [nil, 200, 408, 429, 503]

  /// Expects answers that keep the items at the client, with the time after which to try again.
  private func expectHarmless(_ sent: [SentBatch], sourceLocation: SourceLocation = #_sourceLocation) {
    let statuses = Set(sent.map(\.status))
    #expect(statuses.isSubset(of: Self.harmless), "\(statuses)", sourceLocation: sourceLocation)
    for batch in sent where batch.status == 503 || batch.status == 429 {
      let seconds = batch.retryAfter.flatMap { Int($0) }
      #expect(seconds.map { $0 >= 0 } == true, "Retry-After in seconds", sourceLocation: sourceLocation)
    }
  }

  @Test("while another connection holds the database, clients keep their items, and lose none")
  func lockedDatabase() async throws {
    try await withServer { server in
      let port = server.port
      let blocker = try server.openDatabase()
      try blocker.holdDatabase()
      let clients = 300
      let answered = LockedList<Int>()
      async let running = onThreads(clients) { index in
        var bodies = WireBodies(seed: "lockedDatabase \(index)")
        let batch = index % 10 == 9 ? bodies.summaries(7) : bodies.events([1, 10, 50][index % 3])
        defer { answered.append(index) }
        guard let connection = try? HTTPConnection(port: port, timeoutSeconds: 60) else {
          return SentBatch(batch: batch, status: nil, answer: "", retryAfter: nil)
        }
        return BatchLoad.send(batch, over: connection)
      }
      // Held until everybody has an answer, or long enough to fill every queue.
      _ = try await onThread { waitUntil(seconds: 4) { answered.count == clients } }
      let health = try exchange("GET", path: "/healthz", port: port)
      #expect(health.status == 200, "the process itself is well")
      try blocker.execute("ROLLBACK")
      blocker.close()
      let sent = try await running
      expectHarmless(sent)
      let retried = try await retryUntilTaken(sent, server)
      #expect(retried == [])
      let events = sent.filter { $0.batch.kind == .events }.map(\.batch.items.count).reduce(0, +)
      #expect(try server.openDatabase().eventCount() == events)
    }
  }

  @Test("a crowd of clients gets nothing but success or a time to come back")
  func crowd() async throws {
    try await withServer { server in
      let load = BatchLoad(seed: "crowd", sizes: [50])
      try await load.run(clients: 200, port: server.port, limit: 5)
      let sent = load.sent
      expectHarmless(sent)
      #expect(sent.contains { $0.isAcknowledged })
      #expect(try await retryUntilTaken(sent, server) == [])
      let events = sent.filter { $0.batch.kind == .events }.map(\.batch.items.count).reduce(0, +)
      #expect(try server.openDatabase().eventCount() == events)
    }
  }

  /// Sends batches again until they are taken, as clients do.
  /// - Returns: what went wrong: acknowledged batches that aren't there, batches in part, and batches never taken.
  private func retryUntilTaken(_ sent: [SentBatch], _ server: ServerProcess) async throws -> [String] {
    let port = server.port
    return try await onThread {
      var faults: [String] = []
      for before in sent {
        let count = before.batch.items.count
        var last = before
        let isTaken = waitUntil(seconds: 30) {
          guard let connection = try? HTTPConnection(port: port) else { return false }
          last = BatchLoad.send(before.batch, over: connection)
          return last.status == 200
        }
        let whole =
          ["{\"accepted\":0,\"replayed\":\(count)}"]
          + (before.isAcknowledged ? [] : ["{\"accepted\":\(count),\"replayed\":0}"])
        if !isTaken || !whole.contains(last.answer) {
          faults.append("sent with \(before.status ?? 0), resent \(last.status ?? 0) \(last.answer), \(count) items")
        }
      }
      return faults
    }
  }

  @Test(
    "on a full disk the server says so, stays alive, and goes on when there is room",
    .enabled(if: DatabaseUnderTest.isSQLite, "the disk of a PostgreSQL server is not the program's"),
    .enabled(if: Mounting.isPermitted, "mounting a small file system is not permitted here"))
  func fullFileSystem() async throws {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    let disk = try #require(try folder.mountMemory("disk", size: "3m"))
    try await withServer(ServerOptions(database: .sqlite(path: disk + "/analytics.sqlite"))) { server in
      try await fillAndRecover(server) {
        let isBigger = try folder.remount(disk, "size=64m")
        #expect(isBigger)
      }
    }
  }

  @Test(
    "when writes to the files fail the server says so, stays alive, and goes on when they succeed",
    .enabled(if: DatabaseUnderTest.isSQLite, "the program itself writes to no file of PostgreSQL"))
  func failingWrites() async throws {
    var options = ServerOptions()
    options.ignoresFileSizeSignal = true
    try await withServer(options) { server in
      func limitFiles(_ size: String) throws {
        let pid = String(server.process.pid)
        let result = try runCommand(["prlimit", "--pid", pid, "--fsize=\(size):unlimited"])
        #expect(result.status == .code(0), "\(result.error)")
      }
      try limitFiles("2000000")
      try await fillAndRecover(server) { try limitFiles("unlimited") }
    }
  }

  private func fillAndRecover(_ server: ServerProcess, makeRoom: () throws -> Void) async throws {
    var bodies = WireBodies(seed: "fillAndRecover \(server.database.url)")
    var sent: [SentBatch] = []
    func send(_ batch: WireBatch) throws -> SentBatch {
      BatchLoad.send(batch, over: try HTTPConnection(port: server.port, timeoutSeconds: 60))
    }
    while sent.last?.status != 503, sent.count < 3000 { sent.append(try send(bodies.events(50))) }
    #expect(sent.last?.status == 503, "the disk is full at last")
    // Now in every size and kind, until it doesn't even take the smallest.
    for size in [1, 10, 50, 1, 1] { sent.append(try send(bodies.events(size))) }
    sent.append(try send(bodies.summaries(35)))
    expectHarmless(sent)
    #expect(sent.allSatisfy { $0.status != nil }, "no connection is cut")
    #expect(try exchange("GET", path: "/healthz", port: server.port).status == 200)
    let isUnready = try waitUntil(seconds: 10) {
      let small = try send(bodies.events(50))
      sent.append(small)
      return try exchange("GET", path: "/readyz", port: server.port).status == 503
    }
    #expect(isUnready, "/readyz says that the database takes nothing")

    try makeRoom()
    let isReady = try waitUntil(seconds: 30) {
      try exchange("GET", path: "/readyz", port: server.port).status == 200
    }
    #expect(isReady)
    #expect(server.process.exitStatus == nil)
    #expect(try await retryUntilTaken(sent, server) == [])
    let events = sent.filter { $0.batch.kind == .events }.map(\.batch.items.count).reduce(0, +)
    #expect(try server.openDatabase().eventCount() == events)
    try server.restart()
    #expect(try await retryUntilTaken(sent.map { SentBatch(batch: $0.batch, status: 200, answer: "") }, server) == [])
    #expect(try server.openDatabase().integrity() == "ok")
  }
}

/// Whether this machine lets the tests mount a file system.
enum Mounting {
  static let isPermitted: Bool = {
    guard let folder = try? TemporaryFolder() else { return false }
    defer { folder.remove() }
    return ((try? folder.mountMemory("probe", size: "1m")) ?? nil) != nil
  }()
}
