import TestSupport
import Testing

/// The prefixes that need a token of their scope.
@Suite("Admin and server scopes", .ownThread)
struct ScopeTests {
  @Test("a prefix is 401 without its token, 403 with the other scope's, and 404 where nothing is")
  func scopes() async throws {
    try await withServer { server in
      var bodies = WireBodies(seed: "scopes")
      let tokens = [
        "admin": try server.createToken(scope: "admin", name: "first"),
        "server": try server.createToken(scope: "server", name: "second"),
      ]
      let session = try server.issueSession(account: bodies.uuid())
      #expect(tokens["admin"]?.hasPrefix("osga_") == true)
      #expect(tokens["server"]?.hasPrefix("osgs_") == true)
      for (scope, other) in [("admin", "server"), ("server", "admin")] {
        for path in ["/v1/\(scope)/qzxw-kvjy", "/v1/\(scope)/qzxw/kvjy-wxzq"] {
          for method in ["GET", "POST"] {
            let body: [UInt8]? = method == "POST" ? Array("{}".utf8) : nil
            func reply(_ headers: [(String, String)]) throws -> HTTPReply {
              try exchange(method, path: path, port: server.port, headers: headers, body: body)
            }
            let comment: Comment = "\(method) \(path)"
            expectError(try reply([]), 401, sent: Array(path.utf8), comment)
            for value in ["Bearer unknown", "Bearer", "", "Basic YTpi", "Bearer \(tokens[scope]!)x", tokens[scope]!] {
              expectError(try reply([("Authorization", value)]), 401, sent: Array(path.utf8), comment)
            }
            expectError(try reply([bearer(tokens[scope]!), bearer(tokens[scope]!)]), 401, sent: [], comment)
            expectError(try reply([bearer(tokens[other]!)]), 403, sent: Array(path.utf8), comment)
            // A session is no token; whether it is "a valid token without the scope" is not settled.
            expectError(try reply([bearer(session)]), 401, 403, sent: Array(path.utf8), comment)
            expectError(try reply([bearer(tokens[scope]!)]), 404, sent: Array(path.utf8), comment)
          }
        }
      }
    }
  }

  @Test("every token is another one")
  func uniqueTokens() async throws {
    try await withServer { server in
      var bodies = WireBodies(seed: "uniqueTokens")
      let account = bodies.uuid()
      var tokens = [try server.issueSession(account: account), try server.issueSession(account: account)]
      for scope in ["admin", "server"] {
        for name in ["one", "two"] { tokens.append(try server.createToken(scope: scope, name: "\(scope)-\(name)")) }
      }
      #expect(Set(tokens).count == tokens.count)
      for token in tokens {
        #expect(token.utf8.count >= 32)
        #expect(token.wholeMatch(of: /[A-Za-z0-9_-]+/) != nil)
      }
    }
  }
}
