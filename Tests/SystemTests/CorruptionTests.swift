import TestSupport
import Testing

/// Every truncation and every single-byte corruption of a small valid body.
@Suite("Truncation and corruption", .ownThread)
struct CorruptionTests {
  /// Small bodies of both kinds and forms.
  private static func samples(_ bodies: inout WireBodies) -> [(kind: WireBatch.Kind, body: [UInt8])] {
    let event = bodies.batch(of: bodies.event("AI_FEATURE_FAILED").with("durationBucket", "S1_TO_3"))
    let summary = bodies.summaries(1)
    return [(.events, event.body()), (.events, event.body(.legacy)), (.summaries, summary.body())]
  }

  private static func path(_ kind: WireBatch.Kind) -> String { WireBatch(kind, installation: "", items: []).path }

  @Test("every truncation is 400")
  func truncations() throws {
    var bodies = WireBodies(seed: "truncations")
    let connection = try HTTPConnection(port: SharedServer.port)
    for (kind, body) in Self.samples(&bodies) {
      for count in 0..<body.count {
        let reply = try connection.request(
          "POST", Self.path(kind), headers: jsonHeaders, body: Array(body.prefix(count)))
        #expect(reply.status == 400, "\(kind), \(count) of \(body.count) bytes: \(reply.text.prefix(200))")
      }
    }
    // Nothing of what was cut short is stored.
    bodies = WireBodies(seed: "truncations")
    for (index, (kind, body)) in Self.samples(&bodies).enumerated() {
      let reply = try connection.request("POST", Self.path(kind), headers: jsonHeaders, body: body)
      // The second body is the first one in the other form.
      expectTaken(reply, accepted: index == 1 ? 0 : 1, replayed: index == 1 ? 1 : 0)
    }
  }

  @Test("every single-byte corruption is refused or is another valid body, and the server lives on")
  func corruptions() async throws {
    try await withServer { server in
      let port = server.port
      var bodies = WireBodies(seed: "corruptions")
      let samples = Self.samples(&bodies)
      let tallies = try await onThreads(samples.count) { index in
        try Self.corrupt(samples[index].body, samples[index].kind, port: port)
      }
      for tally in tallies {
        #expect(tally.unexpected.isEmpty, "\(tally.unexpected.prefix(5))")
        #expect(tally.refused > 500)
      }
      let stored = try server.openDatabase().eventCount()
      #expect(stored == tallies.prefix(2).map(\.accepted).reduce(0, +), "what was accepted is what is stored")
      #expect(server.process.exitStatus == nil)
    }
  }

  private struct Tally: Sendable {
    var accepted = 0
    var refused = 0
    var unexpected: [String] = []
  }

  private static func corrupt(_ body: [UInt8], _ kind: WireBatch.Kind, port: UInt16) throws -> Tally {
    var tally = Tally()
    var connection = try HTTPConnection(port: port)
    for index in body.indices {
      let own = body[index]
      let replacements = Set<UInt8>([
        0x00, 0x20, 0x22, 0x2c, 0x30, 0x41, 0x5c, 0x5d, 0x7d, 0x80, 0xff, own ^ 1, own ^ 0x20,
      ])
      for replacement in replacements.subtracting([own]) {
        var corrupted = body
        corrupted[index] = replacement
        let reply = try connection.request("POST", path(kind), headers: jsonHeaders, body: corrupted)
        let isRight: Bool
        if let outcome = Outcome(reply) {
          tally.accepted += outcome.accepted
          isRight = outcome.accepted + outcome.replayed == 1
        } else {
          tally.refused += 1
          isRight = [400, 409, 422].contains(reply.status) && ErrorBody(reply)?.code == errorCodes[reply.status]
        }
        if !isRight {
          tally.unexpected.append("byte \(index) as \(replacement): \(reply.status) \(reply.text.prefix(200))")
          connection = try HTTPConnection(port: port)
        }
      }
    }
    return tally
  }
}
