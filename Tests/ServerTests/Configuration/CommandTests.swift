import AnalyticsContract
import Testing

@testable import Server

@Suite struct CommandTests {
  private let account = "0A1B2C3D-0000-4000-8000-00000000ABCD"

  @Test func eachCommandIsReadWithItsArguments() throws {
    guard case .migrate(let migrate, nil) = try invocation("migrate --database sqlite:a") else { throw Missing() }
    #expect(migrate.database == .sqlite(path: "a"))
    let environment = ["OSG_ANALYTICS_DATABASE": "sqlite:b"]
    let line = "token create --scope server --name ci.job_1-a"
    guard case .createToken(let create, .server, "ci.job_1-a") = try invocation(line, environment) else {
      throw Missing()
    }
    #expect(create.database == .sqlite(path: "b"))
    guard case .createToken(_, .admin, "n") = try invocation("token create --name n --scope=admin") else {
      throw Missing()
    }
    guard case .listTokens = try invocation("token list") else { throw Missing() }
    guard case .revokeToken(_, "n") = try invocation("token revoke --name n") else { throw Missing() }
    guard case .issueSession(_, let issued, .seconds(86_400)) = try invocation("session issue --account \(account)")
    else { throw Missing() }
    #expect(issued.text() == account.lowercased())
    guard case .version = try invocation("version") else { throw Missing() }
    guard case .version = try invocation("--version") else { throw Missing() }
  }

  @Test(arguments: [1, 31_536_000]) func aSessionLastsUpToAYear(_ seconds: Int) throws {
    let line = "session issue --account \(account) --ttl \(seconds)"
    guard case .issueSession(_, _, .seconds(seconds)) = try invocation(line) else { throw Missing() }
  }

  @Test(arguments: ["0", "31536001", "-1", "1h"]) func otherTimesToLiveAreRefused(_ text: String) {
    #expect(
      complaint("session issue --account \(account) --ttl \(text)")
        == "--ttl: expected a whole number of seconds from 1 to 31536000, not \"\(text)\"")
  }

  @Test func tokenNamesHaveASmallAlphabet() throws {
    let longest = String(repeating: "x", count: 64)
    guard case .revokeToken(_, longest) = try invocation("token revoke --name \(longest)") else { throw Missing() }
    for name in [longest + "x", "a/b", "ä", "a,b", "a\u{0}"] {
      #expect(complaint("token revoke --name \(name)").hasPrefix("--name: expected 1 to 64 characters of A-Z a-z"))
    }
    #expect(complaint("token revoke --name=").hasPrefix("--name: expected 1 to 64 characters"))
  }

  @Test func scopesAreTheTwo() {
    #expect(complaint("token create --name n --scope root") == "--scope: expected admin or server, not \"root\"")
  }

  @Test func anAccountIsAUUIDAndNeverRepeated() {
    let wrong = [
      "x", "00000000-0000-0000-0000-000000000000", "0a1b2c3d000040008000-00000000abcd", account + "0",
      "0a1b2c3d-0000-4000-8000-00000000abcg", "0a1b2c3d-0000-4000-80000-0000000abcd",
      "{0a1b2c3d-0000-4000-8000-0000000abc}",
    ]
    for text in wrong {
      #expect(
        complaint("session issue --account \(text)")
          == "--account: expected a UUID, 8-4-4-4-12 hexadecimal digits, not all zero")
    }
  }

  @Test func anAccountDoesNotShowInDumps() throws {
    let argument = try #require(UUIDValue(text: account))
    var dumped = ""
    dump(argument, to: &dumped)
    dump([argument], to: &dumped)
    for text in ["\(argument)", String(reflecting: argument), dumped] {
      #expect(!text.lowercased().contains("0a1b2c3d"))
    }
  }

  @Test(arguments: [
    ("token create --scope admin", "--name"), ("token create --name n", "--scope"), ("token revoke", "--name"),
    ("session issue", "--account"),
  ]) func aRequiredFlagIsNamedWhenItIsMissing(_ line: String, _ flag: String) {
    #expect(complaint(line).hasPrefix("\(flag) is missing: expected "))
  }

  @Test func argumentsOfACommandAreNotTakenFromTheEnvironment() {
    let environment = ["OSG_ANALYTICS_NAME": "n", "OSG_ANALYTICS_SCOPE": "admin"]
    #expect(complaint("token create", environment).hasPrefix("--scope is missing"))
  }

  private struct Missing: Error {}
}

extension CommandTests {
  @Test func migrateTakesARoleOfPostgreSQLAlone() throws {
    guard case .migrate(_, "servers") = try invocation("migrate --database postgres://h/d --server-role servers") else {
      throw Missing()
    }
    #expect(
      complaint("migrate --server-role servers") == "--server-role: expected a postgres:// URL in --database with it")
    #expect(complaint("serve --server-role servers").hasPrefix("--server-role: unknown flag of serve"))
  }
}
