import Foundation
import TestSupport
import Testing

/// Health, metrics and the log.
@Suite("Operation", .ownThread)
struct OperationTests {
  @Test("health and readiness are JSON", arguments: ["/healthz", "/readyz"])
  func health(_ path: String) throws {
    let reply = try exchange("GET", path: path, port: SharedServer.port)
    #expect(reply.status == 200)
    expectCommonHeaders(reply)
    #expect(throws: Never.self) {
      try JSONSerialization.jsonObject(with: Data(reply.body), options: [.fragmentsAllowed])
    }
  }

  private func metrics(_ server: ServerProcess) throws -> PrometheusPage {
    let reply = try exchange("GET", path: "/metrics", port: server.port)
    #expect(reply.status == 200)
    expectSafetyHeaders(reply)
    #expect(reply.header("content-type")?.hasPrefix("text/plain") == true)
    return try PrometheusPage(reply.text)
  }

  @Test("metrics are in the Prometheus text format and count what happened")
  func metrics() async throws {
    try await withServer { server in
      var bodies = WireBodies(seed: "metrics")
      // One of everything first, so that every label that will be counted is there before and after.
      func traffic(accepted: Int, replays: Int, conflicts: Int, invalid: Int, malformed: Int, missing: Int) throws {
        var last = bodies.events(1)
        for _ in 0..<accepted {
          last = WireBatch(.events, installation: bodies.installation(), items: (0..<7).map { _ in bodies.event() })
          expectTaken(try post(last, to: server.port), accepted: 7)
        }
        for _ in 0..<replays { expectTaken(try post(last, to: server.port), accepted: 0, replayed: 7) }
        var conflict = last
        conflict.items[3]["osVersion"] = "1"
        for _ in 0..<conflicts { expectError(try post(conflict, to: server.port), 409, sent: []) }
        var wrong = last
        wrong.items[3]["surface"] = "NOWHERE"
        for _ in 0..<invalid { expectError(try post(wrong, to: server.port), 422, sent: []) }
        for _ in 0..<malformed { expectError(try post("{", to: server.port), 400, sent: []) }
        for _ in 0..<missing { _ = try exchange("GET", path: "/no/such/path", port: server.port) }
      }
      try traffic(accepted: 1, replays: 1, conflicts: 1, invalid: 1, malformed: 1, missing: 1)
      let before = try metrics(server)
      try traffic(accepted: 23, replays: 13, conflicts: 11, invalid: 17, malformed: 19, missing: 29)
      let after = try metrics(server)

      let (old, new) = (before.values, after.values)
      for key in before.growing { #expect(new[key] ?? -1 >= old[key]!, "\(key) went back") }
      /// The keys of what moved by exactly so much and is called so.
      func moved(by delta: Double, naming words: [String]) -> [String] {
        after.growing.filter { key in
          new[key]! - (old[key] ?? 0) == delta && words.contains { key.lowercased().contains($0) }
        }
      }
      #expect(!moved(by: 23 * 7, naming: ["accepted"]).isEmpty, "items accepted")
      #expect(!moved(by: 13 * 7, naming: ["replayed"]).isEmpty, "items replayed")
      #expect(!moved(by: 11, naming: ["conflict", "409"]).isEmpty, "batches in conflict")
      #expect(!moved(by: 17, naming: ["validation_failed", "422"]).isEmpty, "batches that failed validation")
      #expect(!moved(by: 19, naming: ["invalid_request", "400"]).isEmpty, "batches that were no JSON")
      #expect(!moved(by: 29, naming: ["404"]).isEmpty, "requests without a route")
      #expect(!moved(by: 23 + 13, naming: ["200"]).isEmpty, "requests that were answered with success")
      #expect(after.families.values.contains { $0.type == "histogram" })
      for word in ["memory", "cpu", "queue"] {
        #expect(after.order.contains { $0.contains(word) }, "\(word)")
      }
      #expect(!new.keys.contains { $0.contains("no/such/path") })
    }
  }

  @Test("metrics are whole and never go back while clients send")
  func metricsUnderLoad() async throws {
    try await withServer { server in
      let load = BatchLoad(seed: "metricsUnderLoad")
      async let running: Void = load.run(clients: 4, port: server.port, limit: 50)
      var last: [String: Double] = [:]
      for _ in 0..<20 {
        let page = try metrics(server)
        let values = page.values
        for (key, value) in last where page.growing.contains(key) { #expect(values[key] ?? -1 >= value, "\(key)") }
        last = values
      }
      try await running
      #expect(load.sent.allSatisfy { $0.isAcknowledged })
    }
  }

  @Test("the log is one JSON object a line, whatever clients send")
  func log() async throws {
    try await withServer { server in
      var bodies = WireBodies(seed: "log")
      for body in ["", "{", "{\"\\n\":1}", "\u{0}", bodies.events(2).json(), "\"\n{\"event\":\"forged\"}\n"] {
        _ = try post(body, to: server.port)
        _ = try exchange("GET", path: "/a%0a%7b%22event%22%3a%22forged%22%7d", port: server.port)
      }
      #expect(server.terminate() == .code(0))
      let lines = server.log.split(separator: "\n", omittingEmptySubsequences: true)
      #expect(!lines.isEmpty)
      for line in lines {
        let object = try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
        #expect(object != nil, "\(line.prefix(300))")
        #expect(object?["event"] as? String != "forged")
      }
    }
  }
}
