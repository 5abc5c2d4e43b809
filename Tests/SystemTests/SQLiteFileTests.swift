import Foundation
import TestSupport
import Testing

/// What a server does with a file that isn't its own, or isn't its own alone.
@Suite("SQLite files", .ownThread, .enabled(if: DatabaseUnderTest.isSQLite, "PostgreSQL keeps its files itself"))
struct SQLiteFileTests {
  /// Runs a server that should fail, on a database path.
  private func serve(_ path: String, _ more: [String] = []) throws -> CommandResult {
    try ServerProcess.run(["serve", "--database", "sqlite:\(path)", "--listen", "127.0.0.1:0"] + more)
  }

  private func bytes(_ path: String) -> Data? { FileManager.default.contents(atPath: path) }

  private func path(_ server: ServerProcess) -> String { server.folder.file("analytics.sqlite") }

  @Test("a second server on the same database is refused, and the first one serves on")
  func secondServer() async throws {
    try await withServer { server in
      var bodies = WireBodies(seed: "secondServer")
      expectFailure(
        try serve(path(server)), mentioning: ["another", "already", "in use", "lock", "running", "second"])
      expectTaken(try post(bodies.events(3), to: server.port), accepted: 3)
      // The lock goes with the process, however that ends.
      server.kill()
      try server.restart()
      expectTaken(try post(bodies.events(3), to: server.port), accepted: 3)
    }
  }

  @Test("a file that is no database is left as it is")
  func textFile() throws {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    for (index, content) in ["my diary\n", String(repeating: "a long text. ", count: 1000), "SQLite format 3\0 not"]
      .enumerated()
    {
      let path = folder.file("notes-\(index).txt")
      try Data(content.utf8).write(to: URL(fileURLWithPath: path))
      expectFailure(try serve(path), mentioning: ["not a", "isn't", "is not", "not an", "foreign", "no database"])
      #expect(bytes(path) == Data(content.utf8))
    }
  }

  @Test("somebody else's database is left as it is")
  func foreignDatabase() throws {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    for (index, sql) in [
      "CREATE TABLE recipes (name TEXT)", "CREATE TABLE events (name TEXT)",
      "PRAGMA application_id = 252006675; PRAGMA user_version = 1; CREATE TABLE t(a)",
    ].enumerated() {
      let path = folder.file("foreign-\(index).sqlite")
      let database = try DatabaseFile(path: path)
      try database.execute(sql)
      database.close()
      let before = bytes(path)
      expectFailure(
        try serve(path), mentioning: ["not a", "isn't", "is not", "not an", "foreign", "another", "other"])
      #expect(bytes(path) == before, "\(sql)")
    }
  }

  @Test("a database of a newer version is left as it is")
  func newerDatabase() async throws {
    try await withServer { server in
      var bodies = WireBodies(seed: "newerDatabase")
      expectTaken(try post(bodies.events(3), to: server.port), accepted: 3)
      #expect(server.terminate() == .code(0))
      let database = try server.openDatabase()
      let version = try database.integer("PRAGMA user_version") ?? 0
      try database.execute("PRAGMA user_version = 9999")
      database.close()
      let before = bytes(path(server))
      for command in [["serve", "--listen", "127.0.0.1:0"], ["migrate"]] {
        let result = try ServerProcess.run(command + ["--database", server.database.url])
        expectFailure(result, mentioning: ["newer", "version", "upgrade"])
        #expect(bytes(path(server)) == before)
      }
      let again = try server.openDatabase()
      try again.execute("PRAGMA user_version = \(version)")
      again.close()
      try server.restart()
      bodies = WireBodies(seed: "newerDatabase")
      expectTaken(try post(bodies.events(3), to: server.port), accepted: 0, replayed: 3)
    }
  }

  @Test(
    "a read-only place is refused with a reason",
    .enabled(if: Mounting.isPermitted, "mounting a read-only file system is not permitted here"))
  func readOnly() async throws {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    let disk = try #require(try folder.mountMemory("disk", size: "8m"))
    var before: Data?
    try await withServer(ServerOptions(database: .sqlite(path: disk + "/analytics.sqlite"))) { server in
      #expect(server.terminate() == .code(0))
      before = bytes(disk + "/analytics.sqlite")
    }
    let isReadOnly = try folder.remount(disk, "ro")
    #expect(isReadOnly)
    let words = ["read-only", "readonly", "permission", "writ", "can't open", "cannot open", "unable to open"]
    expectFailure(try serve(disk + "/analytics.sqlite"), mentioning: words)
    #expect(bytes(disk + "/analytics.sqlite") == before)
    expectFailure(try serve(disk + "/new.sqlite"), mentioning: words)
    expectFailure(try serve(disk + "/new/folder/new.sqlite"), mentioning: words)
  }

  @Test("a path where no database can be is refused with a reason")
  func impossiblePaths() throws {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    try Data("x".utf8).write(to: URL(fileURLWithPath: folder.file("file")))
    for path in [
      folder.path, folder.file("file/analytics.sqlite"), "/dev/null/analytics.sqlite", "/proc/analytics.sqlite",
    ] {
      expectFailure(try serve(path), mentioning: ["open", "create", "folder", "directory", "file", "database"])
    }
  }

  @Test("of two servers that start together on a new database one serves and the other is refused")
  func startTogether() async throws {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    let path = "sqlite:" + folder.file("analytics.sqlite")
    let children = try (0..<2).map { index in
      try ChildProcess(
        [ServerProcess.binary, "serve", "--database", path, "--listen", "127.0.0.1:0"], environment: childEnvironment(),
        folder: folder.path, output: folder.file("\(index).out"), error: folder.file("\(index).log"))
    }
    defer { for child in children { child.end() } }
    func isListening(_ index: Int) -> Bool {
      let log = FileManager.default.contents(atPath: folder.file("\(index).log")).map {
        String(decoding: $0, as: UTF8.self)
      }
      return log?.contains("\"listening\"") == true
    }
    let isSettled = waitUntil(seconds: 20) {
      children.contains { $0.exitStatus != nil } && [0, 1].contains { isListening($0) }
    }
    #expect(isSettled)
    #expect(children.filter { $0.exitStatus == .code(1) }.count == 1)
    #expect(children.filter { $0.exitStatus == nil }.count == 1)
  }
}
