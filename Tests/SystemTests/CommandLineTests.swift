import Foundation
import TestSupport
import Testing

/// Commands, flags and their exit codes.
@Suite("Command line", .ownThread)
struct CommandLineTests {
  @Test(
    "what can't be understood is a usage error",
    arguments: [
      ["serve", "--no-such-flag"], ["--no-such-flag"], ["no-such-command"], ["serve", "--listen"],
      ["serve", "--database"],
      ["serve", "--listen", "nonsense"], ["serve", "--listen", "127.0.0.1:99999"],
      ["serve", "--listen", "127.0.0.1:-1"],
      ["serve", "--listen", "127.0.0.1:x"], ["serve", "--request-timeout", "soon"],
      ["serve", "--request-timeout", "-1"],
      ["serve", "--database", "mysql://localhost/x"], ["serve", "surplus"], ["token"], ["token", "create"],
      ["token", "create", "--scope", "root", "--name", "x"], ["token", "create", "--scope", "admin", "--name"],
      ["token", "no-such-verb"], ["session"], ["session", "issue"],
      ["session", "issue", "--account", "not-a-uuid"], ["session", "issue", "--account"],
      ["version", "--no-such-flag"],
      ["session", "issue", "--account", "6513270e-269e-4d37-b2a7-4de452e6b438", "--ttl", "soon"],
    ])
  func usage(_ arguments: [String]) throws {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    // Whatever is wrongly understood must not serve on a port of this machine or make a database in this folder.
    var environment = ["OSG_ANALYTICS_LISTEN": "127.0.0.1:0"]
    if !arguments.contains("--database") { environment["OSG_ANALYTICS_DATABASE"] = "sqlite:\(folder.file("x.sqlite"))" }
    let result = try ServerProcess.run(arguments, environment: environment, seconds: 10)
    #expect(result.status == .code(2), "\(result.error.suffix(300))")
    #expect(!result.error.isEmpty)
    #expect(result.output.isEmpty)
  }

  @Test("a clock from the environment needs the flag for test hooks, and must be one", arguments: ["serve", "session"])
  func clock(_ command: String) throws {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    let database = ["--database", "sqlite:\(folder.file("x.sqlite"))"]
    let arguments =
      database
      + (command == "serve"
        ? ["--listen", "127.0.0.1:0"] : ["--account", "6513270e-269e-4d37-b2a7-4de452e6b438"])
    let verbs = command == "serve" ? ["serve"] : ["session", "issue"]
    for value in ["fixed:2026-11-29T12:00:00Z", "offset:60"] {
      let environment = ["OSG_ANALYTICS_CLOCK": value]
      let refused = try ServerProcess.run(verbs + arguments, environment: environment, seconds: 10)
      #expect(refused.status == .code(2), "\(refused.error.suffix(300))")
    }
    for value in ["fixed:yesterday", "offset:soon", "2026-11-29T12:00:00Z", "stopped"] {
      let environment = ["OSG_ANALYTICS_CLOCK": value]
      let refused = try ServerProcess.run(
        verbs + arguments + ["--insecure-test-hooks"], environment: environment, seconds: 10)
      #expect(refused.status == .code(2), "\(value): \(refused.error.suffix(300))")
    }
  }

  @Test("version says something on standard output alone")
  func version() throws {
    let result = try ServerProcess.run(["version"])
    #expect(result.status == .code(0))
    #expect(!result.output.isEmpty)
    #expect(result.error.isEmpty)
  }

  @Test("the configuration is printed with secrets hidden")
  func printConfig() throws {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    let path = folder.file("shown.sqlite")
    let shown = try ServerProcess.run(
      ["serve", "--print-config", "--database", "sqlite:\(path)", "--listen", "127.0.0.1:0"], seconds: 10)
    #expect(shown.status == .code(0), "\(shown.error.suffix(300))")
    #expect(shown.output.contains(path))
    #expect(shown.output.contains("127.0.0.1:0"))

    let secret = "zZqS3cretMark91"
    for url in [
      "postgres://user:\(secret)@127.0.0.1:1/analytics", "postgresql://user:\(secret)@127.0.0.1:1/analytics",
      "postgres://127.0.0.1:1/analytics?user=u&password=\(secret)",
    ] {
      for (arguments, environment) in [
        (["serve", "--print-config", "--database", url], [:]),
        (["serve", "--print-config"], ["OSG_ANALYTICS_DATABASE": url]),
      ] {
        let hidden = try ServerProcess.run(arguments, environment: environment, seconds: 10)
        #expect(!hidden.output.contains(secret))
        #expect(!hidden.error.contains(secret))
      }
    }
  }

  @Test("a flag wins over the environment, and the environment over the default")
  func precedence() async throws {
    try await withDatabase { flag in
      try await withDatabase { variable in
        let environment = ["OSG_ANALYTICS_DATABASE": variable.url]
        let fromFlag = try ServerProcess.run(["migrate", "--database", flag.url], environment: environment)
        #expect(fromFlag.status == .code(0), "\(fromFlag.error)")
        #expect(try flag.connect().eventCount() == 0)
        #expect(throws: (any Error).self) { try variable.connect().eventCount() }
        let fromEnvironment = try ServerProcess.run(["migrate"], environment: environment)
        #expect(fromEnvironment.status == .code(0), "\(fromEnvironment.error)")
        #expect(try variable.connect().eventCount() == 0)
      }
    }
  }

  @Test("a token is printed alone on standard output and works on the running server at once")
  func tokens() async throws {
    try await withServer { server in
      for (arguments, path, status) in [
        (["token", "create", "--scope", "admin", "--name", "a"], "/v1/admin/nothing-here", 404),
        (["token", "create", "--scope", "server", "--name", "b"], "/v1/server/nothing-here", 404),
      ] {
        let result = try server.run(arguments)
        #expect(result.status == .code(0), "\(result.error)")
        let token = result.output.trimmingCharacters(in: .newlines)
        #expect(token.wholeMatch(of: /[A-Za-z0-9_-]+/) != nil)
        #expect(!result.error.contains(token))
        let reply = try exchange("GET", path: path, port: server.port, headers: [bearer(token)])
        expectError(reply, status, sent: [])
      }
    }
  }
}
