import Foundation
import TestSupport
import Testing

/// Accounts that are deleted while everything else goes on.
@Suite("Erasure under load", .ownThread)
struct ErasureRaceTests {
  /// The accounts that clients use at the moment, and those that are gone.
  private final class Accounts: @unchecked Sendable {
    // The lock guards everything.
    private let lock = NSLock()
    private var current: [(account: String, session: String)?]
    private var deleted: [String] = []

    init(count: Int) { current = Array(repeating: nil, count: count) }

    subscript(index: Int) -> (account: String, session: String)? { lock.withLock { current[index] } }

    /// Puts another account into a place; the one that was there is to be deleted.
    func replace(_ index: Int, with new: (account: String, session: String)) -> String? {
      lock.withLock {
        let old = current[index]?.account
        current[index] = new
        if let old { deleted.append(old) }
        return old
      }
    }

    var gone: [String] { lock.withLock { deleted } }
  }

  private static func sha256(_ text: String) throws -> String {
    String(try runCommand(["sh", "-c", "printf %s \"$1\" | sha256sum", "sh", text]).output.prefix(64))
  }

  @Test("no deletion leaves an orphan or a trace, whatever happens at the same time")
  func race() async throws {
    let seconds = ProcessInfo.processInfo.environment["OSG_ANALYTICS_SOAK"] == "1" ? 60.0 : 5
    try await withDatabase { database in
      var nodes: [ServerProcess] = []
      defer { for node in nodes { node.remove() } }
      for _ in 0..<(nodeCounts.max() ?? 1) {
        nodes.append(try ServerProcess(ServerOptions(arguments: storeKitArguments, database: database)))
      }
      let token = try nodes[0].createToken(scope: "server")
      let ports = nodes.map(\.port)
      let accounts = Accounts(count: 6)
      // Sessions and their digests, made before by a program that shares nothing with the server.
      var names = WireFacts(seed: "race sessions")
      let sessions = (0..<600).map { _ in "session-\(names.digest())" }
      let listed = sessions.joined(separator: "\n")
      let digests = try runCommand([
        "sh", "-c", "printf '%s\\n' \"$1\" | while read -r s; do printf %s \"$s\" | sha256sum; done", "sh", listed,
      ]).output.split(separator: "\n").map { String($0.prefix(64)) }
      try #require(digests.count == sessions.count)
      let shared = (0..<12).map { _ in names.bodies.installation() }
      let answers = LockedList<(Int, String)>()
      let deadline = Date(timeIntervalSinceNow: seconds)
      _ = try await onThreads(8) { client in
        var source = WireFacts(seed: "race \(client)")
        var connections = try ports.map { try HTTPConnection(port: $0, timeoutSeconds: 60) }
        var next = client
        func send(_ path: String, _ body: [UInt8], _ bearers: [String]) throws {
          let node = Int.random(in: 0..<ports.count, using: &source.bodies.generator)
          let headers = jsonHeaders + bearers.map { bearer($0) }
          for attempt in 0..<2 {
            do {
              let reply = try connections[node].request("POST", path, headers: headers, body: body)
              answers.append((reply.status, "\(path) \(reply.text)"))
              return
            } catch  where attempt == 0 {
              connections[node] = try HTTPConnection(port: ports[node], timeoutSeconds: 60)
            }
          }
        }
        func state(_ facts: [WireItem]) throws {
          try send(WireFacts.path, Array(WireFacts.json(facts).utf8), [token])
        }
        while Date() < deadline {
          let place = Int.random(in: 0..<6, using: &source.bodies.generator)
          switch Int.random(in: 0..<20, using: &source.bodies.generator) {
          case 0, 1:
            guard next < sessions.count else { fallthrough }
            let account = source.uuid()
            try state([source.fact("SESSION_ISSUED", ["accountId": account, "tokenDigest": digests[next]])])
            let old = accounts.replace(place, with: (account, sessions[next]))
            next += 8
            if let old { try state([source.fact("ACCOUNT_DELETED", ["accountId": old])]) }
          case 2...6:
            let known = accounts[place]?.account
            let account = known ?? source.uuid()
            let second = accounts[(place + 1) % 6]?.account ?? source.uuid()
            let all = [
              source.fact("ACCOUNT_CREATED", ["accountId": account]),
              source.fact("CREDITS_SETTLED", ["accountId": account]),
              source.fact("REFERRAL_CODE_ISSUED", ["accountId": account]),
              source.fact("REFERRAL_BOUND", ["inviterAccountId": account, "inviteeAccountId": second]),
              source.fact("REFERRAL_BOUND", ["inviterAccountId": second, "inviteeAccountId": account]),
              source.fact("SESSION_ISSUED", ["accountId": account]),
            ]
            // A second date of creation would be a conflict.
            let count = Int.random(in: 1...5, using: &source.bodies.generator)
            try state(Array(all.shuffled(using: &source.bodies.generator).prefix(count)))
          default:
            let installation = shared.randomElement(using: &source.bodies.generator)!
            let isFresh = Int.random(in: 0..<4, using: &source.bodies.generator) == 0
            let batch =
              Bool.random(using: &source.bodies.generator)
              ? source.bodies.events(3, installation: isFresh ? nil : installation)
              : source.bodies.summaries(2, installation: isFresh ? nil : installation)
            let session = Bool.random(using: &source.bodies.generator) ? accounts[place]?.session : nil
            try send(batch.path, batch.body(), session.map { [$0] } ?? [])
          }
        }
      }
      let statuses = Dictionary(grouping: answers.all, by: \.0)
      for (status, all) in statuses where ![200, 401, 409, 503].contains(status) {
        Issue.record("\(status) \(all.count) times: \(all[0].1)")
      }
      #expect((statuses[200]?.count ?? 0) > 50)
      // No fact is in conflict with another one.
      let conflicts = (statuses[409] ?? []).filter { $0.1.hasPrefix(WireFacts.path) }
      #expect(conflicts.isEmpty, "\(conflicts.count)")
      #expect(accounts.gone.count > 5)

      let checked = try nodes[0].run(["check"])
      #expect(checked.status == .code(0), "\(checked.output)\(checked.error)")
      let connection = try database.connect()
      #expect(try connection.integrity() == "ok")
      connection.close()
      for node in nodes { #expect(node.terminate() == .code(0)) }
      var places: [Data] = []
      switch database {
      case .sqlite(let path): places.append(FileManager.default.contents(atPath: path) ?? Data())
      case .postgresql(let database):
        places.append(Data(try runCommand(["pg_dump", "--dbname", database.superuser.url]).output.utf8))
      }
      for (index, account) in accounts.gone.enumerated() {
        let isLeft = places.contains { $0.holds(anyOf: Needles.spellings(ofUUID: account)) }
        #expect(!isLeft, "deleted account \(index) of \(accounts.gone.count)")
      }
    }
  }
}
