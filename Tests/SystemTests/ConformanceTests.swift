import Foundation
import TestSupport
import Testing

/// One request of the conformance file with the answer that it must get.
struct ConformanceCase: Decodable, Sendable, CustomTestStringConvertible {
  var name: String
  var path: String
  var body: String
  var status: Int
  var code: String?

  var testDescription: String { name }

  /// How many items the body names; every item has exactly one client id.
  var itemCount: Int { ids.count }
  /// Items that repeat an id of the batch.
  var repeatedCount: Int { ids.count - Set(ids).count }

  private var ids: [String] {
    body.matches(of: /"client(?:Event|Summary)Id": ?"([^"]*)"/).map { String($0.1) }
  }

  static let all: [ConformanceCase] = {
    struct File: Decodable {
      var clock: String
      var cases: [ConformanceCase]
    }
    let file = try? JSONDecoder().decode(File.self, from: Data(fixture("cases")))
    return file?.clock == "2026-11-29T12:00:00Z" ? file?.cases ?? [] : []
  }()
}

/// The bytes of a fixture.
func fixture(_ name: String) -> [UInt8] {
  let url = Bundle.module.url(forResource: name, withExtension: "json", subdirectory: "Fixtures")
  return url.flatMap { try? Data(contentsOf: $0) }.map { Array($0) } ?? []
}

@Suite("Conformance with the fixtures", .ownThread)
struct ConformanceTests {
  @Test("the conformance file is complete")
  func caseCount() {
    #expect(ConformanceCase.all.count >= 100)
  }

  @Test("a conformance case gets the answer it expects", .serialized, arguments: ConformanceCase.all)
  func conformanceCase(_ example: ConformanceCase) throws {
    let reply = try exchange(
      path: example.path, port: SharedServer.port, headers: jsonHeaders, body: Array(example.body.utf8))
    if example.status == 200 {
      let repeated = example.repeatedCount
      expectTaken(reply, accepted: example.itemCount - repeated, replayed: repeated)
    } else {
      expectError(reply, example.status, sent: Array(example.body.utf8))
      #expect(ErrorBody(reply)?.code == example.code)
    }
  }

  @Test("what one client generation sent is replayed in the form of the other", arguments: [true, false])
  func clientGenerations(releasedFirst: Bool) async throws {
    let bodies = [fixture("events-released-client"), fixture("events-next-client")]
    try await withServer { server in
      for (index, body) in (releasedFirst ? bodies : bodies.reversed()).enumerated() {
        let reply = try post(body, to: server.port)
        expectTaken(reply, accepted: index == 0 ? 14 : 0, replayed: index == 0 ? 0 : 14)
      }
      #expect(try server.openDatabase().eventCount() == 14)
    }
  }

  @Test("keyboard usage of the next client is taken once, then replayed")
  func keyboardUsage() async throws {
    try await withServer { server in
      let body = fixture("keyboard-usage-next-client")
      expectTaken(try post(body, .summaries, to: server.port), accepted: 3)
      expectTaken(try post(body, .summaries, to: server.port), accepted: 0, replayed: 3)
      // The same summaries as a released client would have sent them: the identifier in every item, in upper case.
      let id = "6513270E-269E-4D37-B2A7-4DE452E6B438"
      let text = String(decoding: body, as: UTF8.self)
        .replacingOccurrences(of: "\"installationId\":\"\(id.lowercased())\",", with: "")
        .replacingOccurrences(of: "{\"appVersion\"", with: "{\"installationId\":\"\(id)\",\"appVersion\"")
      expectTaken(try post(text, .summaries, to: server.port), accepted: 0, replayed: 3)
    }
  }

  @Test("letter case of identifiers, the form of UTC and white space are not part of the values")
  func spelling() async throws {
    try await withServer { server in
      let text = String(decoding: fixture("events-next-client"), as: UTF8.self)
      expectTaken(try post(text, to: server.port), accepted: 14)
      let ids = text.matches(of: /[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}/).map { String($0.output) }
      #expect(Set(ids).count == 15)
      let spellings = [
        ids.reduce(text) { $0.replacingOccurrences(of: $1, with: $1.lowercased()) },
        ids.reduce(text) { $0.replacingOccurrences(of: $1, with: $1.uppercased()) },
        text.replacing(/Z"/) { _ in "+00:00\"" },
        text.replacing(/(\.\d{3})Z"/) { "\($0.1)000000+00:00\"" },
        text.replacingOccurrences(of: ",", with: " ,\r\n\t"),
        text.replacingOccurrences(of: "APP", with: "\\u0041\\u0050P"),
      ]
      for spelling in spellings {
        #expect(spelling != text)
        expectTaken(try post(spelling, to: server.port), accepted: 0, replayed: 14)
      }
      #expect(try server.openDatabase().eventCount() == 14)
    }
  }

  @Test("every response has a request id of its own, and never one that the client chose")
  func requestIDs() throws {
    var bodies = WireBodies(seed: "requestIDs")
    var seen: Set<String> = []
    for index in 0..<20 {
      let path = index % 2 == 0 ? "/healthz" : "/no/such/route"
      let reply = try exchange("GET", path: path, port: SharedServer.port, headers: [("X-Request-Id", "chosen-by-me")])
      seen.insert(reply.header("x-request-id") ?? "none")
      let taken = try post(bodies.events(1), to: SharedServer.port, headers: [("X-Request-Id", "chosen-by-me")])
      seen.insert(taken.header("x-request-id") ?? "none")
    }
    #expect(seen.count == 40)
    #expect(!seen.contains("chosen-by-me"))
    #expect(!seen.contains("none"))
  }
}
