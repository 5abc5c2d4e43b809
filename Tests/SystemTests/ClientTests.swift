import Foundation
import TestSupport
import Testing

/// The client library as app and keyboard extension, two real processes with one container, against the real server.
@Suite("Client", .ownThread)
struct ClientTests {
  /// `OSG_ANALYTICS_SOAK=1` asks for many more kills.
  private static let kills = ProcessInfo.processInfo.environment["OSG_ANALYTICS_SOAK"] == "1" ? 400 : 12

  private static let program = URL(filePath: ServerProcess.binary).deletingLastPathComponent()
    .appending(path: "client-process").path

  /// What a process wrote down.
  private func ids(_ kind: String, in journal: String) -> Set<String> {
    // The last line of a killed process may be cut.
    let text = String(decoding: FileManager.default.contents(atPath: journal) ?? Data(), as: UTF8.self)
    let lines = text.split(separator: "\n").filter { $0.hasPrefix(kind + " ") }
    return Set(lines.map { String($0.dropFirst(kind.count + 1)) }.filter { $0.utf8.count == 36 })
  }

  @Test("whatever is killed, cut off or refused, every event that was recorded arrives, and once")
  func exactlyOnce() async throws {
    // With the machine's clock, which is the clients' too.
    try await withServer(ServerOptions(clock: nil)) { server in
      let folder = try TemporaryFolder()
      defer { folder.remove() }
      let network = try TCPProxy(to: server.port)
      defer { network.remove() }
      var generator = SeededGenerator(seed: "client")
      let journals = ["app", "keyboard"].map { folder.file($0 + ".journal") }
      func start(_ role: String, _ journal: String) throws -> ChildProcess {
        try ChildProcess(
          [Self.program, role, folder.path, "http://127.0.0.1:\(network.port)", journal],
          environment: childEnvironment(), folder: folder.path, output: folder.file(role + ".out"),
          error: folder.file(role + ".err"))
      }
      var clients = try [start("app", journals[0]), start("keyboard", journals[1])]
      defer { for client in clients { client.end() } }
      for kill in 0..<Self.kills {
        // By the work done, not by the clock.
        let victim = kill % 3
        let watched = victim == 2 ? Int.random(in: 0...1, using: &generator) : victim
        let before = ids("recorded", in: journals[watched]).count
        let more = Int.random(in: 5...120, using: &generator)
        #expect(
          waitUntil(seconds: 60) { ids("recorded", in: journals[watched]).count >= before + more }, "kill \(kill)")
        network.cut(kill % 4 == 1 ? .init(bytes: 200...20_000, seed: "\(kill)") : nil)
        network.delay(milliseconds: kill % 5 == 2 ? 20 : 0)
        if victim == 2 {
          try server.restart()
          network.redirect(to: server.port)
          network.dropAll()
        } else {
          clients[victim].end()
          clients[victim] = try start(victim == 0 ? "app" : "keyboard", journals[victim])
        }
      }
      for client in clients { client.end() }
      network.cut(nil)
      network.delay(milliseconds: 0)
      let drain = try start("drain", folder.file("drain.journal"))
      #expect(drain.wait(seconds: 120) == .code(0))
      #expect(try String(contentsOfFile: folder.file("drain.out"), encoding: .utf8) == "0\n")

      let id =
        DatabaseUnderTest.isSQLite
        ? """
        lower(substr(hex(client_event_id), 1, 8) || '-' || substr(hex(client_event_id), 9, 4) || '-' ||
          substr(hex(client_event_id), 13, 4) || '-' || substr(hex(client_event_id), 17, 4) || '-' ||
          substr(hex(client_event_id), 21))
        """ : "client_event_id::text"
      let database = try server.openDatabase()
      #expect(try database.rows("SELECT count(*) FROM installations") == [["1"]])
      #expect(try database.rows("SELECT count(*) FROM events WHERE event_type = 1") == [["1"]])
      for (journal, type) in zip(journals, [7, 4]) {
        let stored = try database.rows("SELECT \(id) FROM events WHERE event_type = \(type)").compactMap { $0[0] }
        let recorded = ids("recorded", in: journal)
        #expect(recorded.count > 50)
        #expect(recorded.subtracting(stored).count == 0, "recorded and not stored")
        #expect(Set(stored).count == stored.count, "stored twice")
        #expect(Set(stored).subtracting(ids("wanted", in: journal)).count == 0, "stored and never recorded")
      }
      for role in ["app", "keyboard", "drain"] {
        #expect(try String(contentsOfFile: folder.file(role + ".err"), encoding: .utf8) == "")
      }
    }
  }
}
