import Foundation
import TestSupport
import Testing

extension PostgreSQLFaultTests {
  /// A server that can't use its database at its start ends with a reason, so that whoever started it can tell.
  @Suite("Start without a database")
  struct Start {
    @Test("nobody listens, nobody answers, the password is wrong, or the database doesn't exist")
    func unreachable() async throws {
      try await withCluster { cluster in
        try expectNoStart(cluster.url(ports: [FreePort.take()]))
        try expectNoStart(cluster.url(ports: [FreePort.take()]), command: ["migrate"])
        try expectNoStart(cluster.url(ports: [FreePort.take(), FreePort.take()]))
        try expectNoStart(cluster.url(password: "wr0ngUmbrella9"), secret: "wr0ngUmbrella9")
        try expectNoStart(
          cluster.url().replacingOccurrences(
            of: "/" + PostgreSQLCluster.database, with: "/nosuchdatabase"))
        let network = try TCPProxy(to: cluster.port)
        defer { network.remove() }
        network.set(.silent)
        try expectNoStart(cluster.url(ports: [network.port]))
      }
    }

    @Test("the printed configuration has no password")
    func printedConfiguration() throws {
      let url = "postgres://somebody:\(PostgreSQLCluster.password)@127.0.0.1:1/analytics"
      let result = try ServerProcess.run(["serve", "--print-config", "--database", url])
      #expect(result.status == .code(0))
      #expect(!(result.output + result.error).contains(PostgreSQLCluster.password))
    }
  }
}

/// Expects that a program which needs this database ends with a text that a person can act on, and that tells no password.
func expectNoStart(
  _ url: String, command: [String] = ["serve", "--listen", "127.0.0.1:0"],
  secret: String = PostgreSQLCluster.password, sourceLocation: SourceLocation = #_sourceLocation
) throws {
  let result = try ServerProcess.run(command + ["--database", url], seconds: 60)
  let text = result.error + result.output
  #expect(result.status == .code(1), "\(text.suffix(500))", sourceLocation: sourceLocation)
  #expect(text.lowercased().contains("database"), "\(text.suffix(500))", sourceLocation: sourceLocation)
  for word in ["Fatal error", "Stack dump", "backtrace", secret] {
    #expect(!text.contains(word), "\(text.suffix(500))", sourceLocation: sourceLocation)
  }
}
