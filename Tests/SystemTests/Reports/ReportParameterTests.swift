import TestSupport
import Testing

/// What reports may be asked for, and by whom.
@Suite("Report parameters", .serialized, .ownThread)
struct ReportParameterTests {
  /// A query that is refused: the parameter that is blamed, and the rule where it is settled.
  private struct Refused {
    var query: String
    var path: String
    var rule: String?

    init(_ query: String, _ path: String, _ rule: String? = nil) {
      (self.query, self.path, self.rule) = (query, path, rule)
    }
  }

  private static let refused = [
    Refused("from=", "from"), Refused("from", "from"), Refused("from=qzxwkvjy", "from"),
    Refused("from=2026-13-01", "from"), Refused("from=2026-11-31", "from"), Refused("from=2025-02-29", "from"),
    Refused("from=20261101", "from"), Refused("from=2026-11-1", "from"), Refused("from=2026-W48-1", "from"),
    Refused("from=2026-11-01T00:00:00Z", "from"), Refused("from=%202026-11-01", "from"),
    Refused("from=2026-11-01%00", "from"), Refused("from=2026-11-01%0A", "from"), Refused("from=+2026-11-01", "from"),
    Refused("from=%zz", "from"), Refused("from=2026-11-0%EF%BC%91", "from"), Refused("from=-2026-11-01", "from"),
    Refused("to=", "to"), Refused("to", "to"), Refused("to=qzxwkvjy", "to"), Refused("to=2026-11-00", "to"),
    Refused("to=2026-11-30", "to"), Refused("to=9999-12-31", "to"), Refused("from=2026-11-30&to=2026-11-30", "to"),
    Refused("from=2026-11-20&to=2026-11-19", "to"),
    // The default is yesterday.
    Refused("from=2026-11-29", "to"),
    Refused("from=2024-11-28&to=2026-11-29", "from"), Refused("from=2024-11-27", "from"),
    Refused("from=1970-01-01&to=2026-11-28", "from"),
    Refused("granularity=", "granularity"), Refused("granularity=DAY", "granularity"),
    Refused("granularity=qzxwkvjy", "granularity"), Refused("granularity=day%20", "granularity"),
    Refused("format=", "format"), Refused("format=qzxwkvjy", "format"), Refused("format=JSON", "format"),
    Refused("qzxwkvjy=1", "", "unknown_parameter"), Refused("From=2026-11-01", "", "unknown_parameter"),
    Refused("qzxwkvjy", "", "unknown_parameter"), Refused("from=2026-11-01&limit=5", "", "unknown_parameter"),
    Refused("from=2026-11-01&from=2026-11-01", "from", "duplicate_parameter"),
    Refused("to=2026-11-01&to=2026-11-02", "to", "duplicate_parameter"),
    Refused("granularity=day&granularity=week", "granularity", "duplicate_parameter"),
    Refused("format=csv&format=csv", "format", "duplicate_parameter"),
    Refused("from=2026-11-01&%66rom=2026-11-01", "from", "duplicate_parameter"),
  ]

  @Test("a parameter that is wrong is refused by its name, without a word of its value")
  func refusals() async throws {
    try await withServer { server in
      let client = try ReportClient(server)
      for report in ["overview", "retention"] {
        for refused in Self.refused {
          let reply = try client.get(report, refused.query)
          let comment: Comment = "\(report)?\(refused.query): \(reply.status) \(reply.text.prefix(200))"
          // The parameter's own name may be told, its value not.
          let values = refused.query.split(separator: "&").compactMap { $0.split(separator: "=").dropFirst().last }
          expectError(reply, 422, sent: Array(values.joined(separator: "&").utf8), comment)
          let violations = ErrorBody(reply)?.violations ?? []
          let isNamed = violations.contains {
            $0.path == refused.path && (refused.rule == nil || $0.rule == refused.rule)
          }
          #expect(isNamed, comment)
          #expect(violations.allSatisfy { ["", "from", "to", "granularity", "format"].contains($0.path) }, comment)
        }
      }
      let several = ErrorBody(try client.get("ai", "from=x&to=y&granularity=z&format=w"))?.violations ?? []
      #expect(Set(several.map(\.path)) == ["from", "to", "granularity", "format"])
    }
  }

  @Test("defaults, and everything that is at a limit, is answered")
  func accepted() async throws {
    try await withServer { server in
      let client = try ReportClient(server)
      for (query, from, to) in [
        ("", "2026-11-01", "2026-11-28"), ("to=2026-11-29", "2026-11-02", "2026-11-29"),
        ("to=2026-03-01", "2026-02-02", "2026-03-01"), ("from=2026-11-28", "2026-11-28", "2026-11-28"),
        ("from=2024-11-28", "2024-11-28", "2026-11-28"),
        ("from=2024-11-29&to=2026-11-29", "2024-11-29", "2026-11-29"),
        ("from=2024-02-29&to=2024-02-29", "2024-02-29", "2024-02-29"),
        ("from=2026%2D11%2d05", "2026-11-05", "2026-11-28"), ("%66%72om=2026-11-05", "2026-11-05", "2026-11-28"),
        ("granularity=day&format=json", "2026-11-01", "2026-11-28"),
      ] {
        for report in ReportHistory.reports {
          let reply = try client.get(report, query)
          let answer = OrderedJSON(reply.text)
          #expect(reply.status == 200, "\(report)?\(query)")
          #expect(answer?["from"]?.text == from, "\(report)?\(query)")
          #expect(answer?["to"]?.text == to, "\(report)?\(query)")
          #expect(answer?["granularity"]?.text == "day", "\(report)?\(query)")
        }
      }
    }
  }

  @Test("who may ask, for what, and how")
  func scope() async throws {
    try await withServer { server in
      let client = try ReportClient(server)
      let service = try server.createToken(scope: "server", name: "service")
      var bodies = WireBodies(seed: "report scope")
      let session = try server.issueSession(account: bodies.uuid())
      for report in ReportHistory.reports {
        let path = ReportClient.prefix + report
        func reply(_ method: String, _ headers: [(String, String)]) throws -> HTTPReply {
          try exchange(method, path: path, port: server.port, headers: headers)
        }
        // Without a token nobody learns what is wrong with the rest.
        for query in ["", "?from=qzxwkvjy", "?qzxwkvjy"] {
          expectError(try exchange("GET", path: path + query, port: server.port), 401, sent: [], "\(report)")
        }
        expectError(try reply("GET", [bearer(service)]), 403, sent: [], "\(report)")
        expectError(try reply("GET", [bearer(client.token + "x")]), 401, sent: [], "\(report)")
        expectError(try reply("GET", [bearer(session)]), 401, 403, sent: [], "\(report)")
        for method in ["POST", "PUT", "DELETE", "PATCH"] {
          let refused = try reply(method, [bearer(client.token)])
          expectError(refused, 405, sent: [], "\(method) \(report)")
          #expect(refused.header("allow")?.contains("GET") == true, "\(method) \(report)")
          expectError(try reply(method, []), 401, sent: [], "\(method) \(report)")
        }
        for query in ["", "format=csv", "granularity=week"] {
          let (got, head) = (try client.get(report, query), try client.get(report, query, method: "HEAD"))
          #expect(head.status == 200 && head.body.isEmpty, "\(report)?\(query)")
          #expect(head.header("content-length") == "\(got.body.count)", "\(report)?\(query)")
          #expect(head.header("content-type") == got.header("content-type"), "\(report)?\(query)")
        }
      }
      for report in ["qzxwkvjy", "", "Overview", "overview/", "overview/ai", "overview.json", "ai%2F"] {
        expectError(try client.get(report), 404, sent: [], "\(report)")
        expectError(try client.get(report, "from=qzxwkvjy"), 404, sent: [], "\(report)")
        expectError(
          try exchange("GET", path: ReportClient.prefix + report, port: server.port), 401, sent: [], "\(report)")
      }
    }
  }
}
