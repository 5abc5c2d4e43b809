import Foundation
import TestSupport
import Testing

/// What a person sees who starts the server for the first time.
@Suite("Welcome", .ownThread)
struct WelcomeTests {
  private static let welcoming = ServerOptions(arguments: ["--welcome"])

  @Test("the request that is printed works as it stands, and again as a replay")
  func request() async throws {
    try await withServer(Self.welcoming) { server in
      let text = try shown(by: server, times: 1)
      #expect(text.contains("http://127.0.0.1:\(server.port)/readyz"))
      let start = try #require(text.range(of: "  curl "))
      let end = try #require(text[start.lowerBound...].firstRange(of: "}'"))
      let pasted = String(text[start.lowerBound..<end.upperBound])
      for expected in ["{\"accepted\":1,\"replayed\":0}", "{\"accepted\":0,\"replayed\":1}"] {
        #expect(try runCommand(["bash", "-c", pasted]).output == expected)
      }
    }
  }

  /// What has been printed, once it was printed to its end so many times: it comes after the server is ready.
  private func shown(by server: ServerProcess, times: Int) throws -> String {
    var text = ""
    let isWhole = try waitUntil(seconds: 30) {
      text = try String(contentsOfFile: server.folder.file("server.out"), encoding: .utf8)
      return text.components(separatedBy: "Ctrl-C").count == times + 1
    }
    #expect(isWhole)
    return text
  }

  @Test("the first token is shown once and is one")
  func token() async throws {
    try await withServer(Self.welcoming) { server in
      let token = try #require(
        try shown(by: server, times: 1).split(whereSeparator: \.isWhitespace).first { $0.hasPrefix("osga_") })
      let reply = try exchange(
        "GET", path: "/v1/admin/nothing", port: server.port, headers: [("Authorization", "Bearer \(token)")])
      #expect(reply.status == 404)
      #expect(!server.log.contains(token))
      _ = server.terminate()
      try server.restart()
      #expect(
        try shown(by: server, times: 2).components(separatedBy: "osga_").count == 2,
        "only the first start shows a token")
    }
  }
}
