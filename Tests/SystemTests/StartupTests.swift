import Foundation
import TestSupport
import Testing

/// The first start on a new database, and what comes after it.
@Suite("Startup", .ownThread)
struct StartupTests {
  @Test("a port that is taken is refused with a reason")
  func portInUse() async throws {
    try await withServer { server in
      try await withDatabase { other in
        let listen = ["--listen", "127.0.0.1:\(server.port)"]
        let result = try ServerProcess.run(["serve", "--database", other.url] + listen)
        expectFailure(result, mentioning: ["in use", "address", "port", "listen", "bind"])
      }
      #expect(try exchange("GET", path: "/healthz", port: server.port).status == 200)
    }
  }

  @Test("a server that is killed while it starts, starts again")
  func killedWhileStarting() async throws {
    var generator = SeededGenerator(seed: "killedWhileStarting")
    for _ in 0..<12 {
      let delay = UInt32.random(in: 0...60_000, using: &generator)
      try await withDatabase { database in
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let child = try ChildProcess(
          [ServerProcess.binary, "migrate", "--database", database.url], environment: childEnvironment(),
          folder: folder.path, output: folder.file("out"), error: folder.file("log"))
        // Anywhere between its first instruction and its end.
        usleep(delay)
        child.end()
        let result = try ServerProcess.run(["migrate", "--database", database.url])
        #expect(result.status == .code(0), "\(result.error)")
        let connection = try database.connect()
        #expect(try connection.integrity() == "ok")
        #expect(try connection.eventCount() == 0)
      }
    }
  }

  @Test("serving is the default command, and tokens made while nothing serves are valid afterwards")
  func defaultCommand() async throws {
    var options = ServerOptions()
    options.command = []
    try await withServer(options) { server in
      var bodies = WireBodies(seed: "defaultCommand")
      #expect(server.terminate() == .code(0))
      let admin = try server.createToken(scope: "admin")
      let session = try server.issueSession(account: bodies.uuid())
      try server.restart()
      expectTaken(try post(bodies.events(3), to: server.port, headers: [bearer(session)]), accepted: 3)
      let reply = try exchange("GET", path: "/v1/admin/qzxw-kvjy", port: server.port, headers: [bearer(admin)])
      expectError(reply, 404, sent: [])
    }
  }

  @Test("migrate makes a database that serves, and may be repeated")
  func migrate() async throws {
    try await withDatabase { database in
      func migrate() throws {
        let result = try ServerProcess.run(["migrate", "--database", database.url])
        #expect(result.status == .code(0), "\(result.error)")
      }
      for _ in 0..<2 { try migrate() }
      let connection = try database.connect()
      #expect(try connection.eventCount() == 0)
      #expect(try connection.integrity() == "ok")
      connection.close()
      try await withServer(ServerOptions(database: database)) { server in
        var bodies = WireBodies(seed: "migrate")
        expectTaken(try post(bodies.events(3), to: server.port), accepted: 3)
        #expect(server.terminate() == .code(0))
      }
      try migrate()
    }
  }
}
