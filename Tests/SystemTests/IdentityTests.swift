import Foundation
import TestSupport
import Testing

/// UUIDs, and the two forms in which a batch names its installation.
@Suite("Identifiers", .ownThread)
struct IdentityTests {
  static let malformed = [
    "", " ", "0", "device-1", "6ba7b8109dad11d180b400c04fd430c8", "{6ba7b810-9dad-11d1-80b4-00c04fd430c8}",
    "urn:uuid:6ba7b810-9dad-11d1-80b4-00c04fd430c8", " 6ba7b810-9dad-11d1-80b4-00c04fd430c8",
    "6ba7b810-9dad-11d1-80b4-00c04fd430c8 ", "6ba7b810-9dad-11d1-80b4-00c04fd430c",
    "6ba7b810-9dad-11d1-80b4-00c04fd430c88", "6ba7b81-09dad-11d1-80b4-00c04fd430c8",
    "6ba7b810-9dad-11d180b4-00c04fd430c8-", "6ba7b810_9dad_11d1_80b4_00c04fd430c8",
    "6ba7b810-9dad-11d1-80b4-00c04fd430cg", "6ba7b810-9dad-11d1-80b4-00c04fd430c\\u0000",
    "６ba7b810-9dad-11d1-80b4-00c04fd430c8",
    "6ba7b810\u{2010}9dad\u{2010}11d1\u{2010}80b4\u{2010}00c04fd430c8", "6ba7b810--9dad-11d1-80b4-00c04fd430c",
    "0x6ba7b8-9dad-11d1-80b4-00c04fd430c8", "+ba7b810-9dad-11d1-80b4-00c04fd430c8",
    "6ba7b810-9dad-11d1-80b4-00c04fd430c8\\n", "00000000-0000-0000-0000-000000000000",
  ]

  @Test("a malformed or nil installation identifier is refused in both forms", arguments: malformed)
  func malformedInstallation(_ text: String) throws {
    var bodies = WireBodies(seed: "malformedInstallation \(text)")
    var batch = bodies.events(2, installation: text)
    batch.items = batch.items.map { $0.with("appVersion", "2.0.0") }
    let root = batch.json(.root)
    expectError(try post(root, to: SharedServer.port), 422, sent: Array(root.utf8))
    let list = batch.items.map { $0.with("installationId", text).json }.joined(separator: ",")
    let legacy = "{\"events\":[\(list)]}"
    expectError(try post(legacy, to: SharedServer.port), 422, sent: Array(legacy.utf8))
  }

  @Test("a malformed or nil client identifier is refused", arguments: malformed)
  func malformedClientID(_ text: String) throws {
    var bodies = WireBodies(seed: "malformedClientID \(text)")
    let events = bodies.batch(of: bodies.event().with("clientEventId", text))
    expectError(try post(events, to: SharedServer.port), 422, sent: events.body())
    let summaries = WireBatch(
      .summaries, installation: bodies.installation(), items: [bodies.summary().with("clientSummaryId", text)])
    expectError(try post(summaries, to: SharedServer.port), 422, sent: summaries.body())
  }

  @Test("a UUID of any version, variant and letter case is an identifier, and its case makes no other one of it")
  func anyVersion() throws {
    var bodies = WireBodies(seed: "anyVersion")
    var forms = ["FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF", "00000000-0000-0000-0000-000000000001"]
    for version in "0123456789ABCDEF" {
      for variant in "07BF" {
        var id = Array(bodies.uuid())
        id[14] = version
        id[19] = variant
        forms.append(String(id))
      }
    }
    for form in forms {
      var batch = WireBatch(.events, installation: form, items: [bodies.event("SESSION_STARTED")])
      expectTaken(try post(batch, to: SharedServer.port), accepted: 1, "\(form)")
      batch.installation = form.lowercased()
      batch.items = batch.items.map { $0.with("clientEventId", $0["clientEventId"]!.lowercased()) }
      expectTaken(try post(batch, to: SharedServer.port), accepted: 0, replayed: 1, "\(form)")
      batch.installation = form.capitalized
      expectTaken(try post(batch, .legacy, to: SharedServer.port), accepted: 0, replayed: 1, "\(form)")
    }
  }

  @Test("a root and item identifiers together must all agree", arguments: [WireBatch.Kind.events, .summaries])
  func rootAndItems(_ kind: WireBatch.Kind) throws {
    var bodies = WireBodies(seed: "rootAndItems \(kind)")
    func fresh() -> WireBatch { kind == .events ? bodies.events(3) : bodies.summaries(3) }
    let own = "installationId"

    var agreeing = fresh()
    agreeing.items[0][own] = agreeing.installation.uppercased()
    agreeing.items[2][own] = agreeing.installation
    expectTaken(try post(agreeing, to: SharedServer.port), accepted: 3)
    expectTaken(try post(agreeing, .legacy, to: SharedServer.port), accepted: 0, replayed: 3)

    var disagreeing = fresh()
    disagreeing.items[2][own] = bodies.uuid()
    expectError(try post(disagreeing, to: SharedServer.port), 422, sent: disagreeing.body())

    let bare = fresh()
    func withoutRoot(_ items: [WireItem]) -> String {
      "{\"\(kind.rawValue)\":[\(items.map(\.json).joined(separator: ","))]}"
    }
    func refused(_ items: [WireItem], sourceLocation: SourceLocation = #_sourceLocation) throws {
      let body = withoutRoot(items)
      expectError(
        try post(body, kind, to: SharedServer.port), 422, sent: Array(body.utf8), sourceLocation: sourceLocation)
    }
    try refused(bare.items)
    try refused([bare.items[0].with(own, bare.installation), bare.items[1], bare.items[2]])
    try refused([bare.items[0], bare.items[1], bare.items[2].with(own, bare.installation)])
    try refused(bare.items.map { $0.with(own, bodies.uuid()) })
    try refused(bare.items.map { $0.with(own, json: "null") })
    // Nothing of what was refused is stored.
    expectTaken(try post(bare, .legacy, to: SharedServer.port), accepted: 3)
  }

  @Test("null for an identifier in one place leaves it to the other place")
  func nullIdentity() throws {
    var bodies = WireBodies(seed: "nullIdentity")
    let batch = bodies.events(2)
    let list = batch.items.map { $0.with("installationId", batch.installation).json }.joined(separator: ",")
    let legacy = "{\"installationId\":null,\"events\":[\(list)]}"
    expectTaken(try post(legacy, to: SharedServer.port), accepted: 2)
    var root = batch
    root.items = batch.items.map { $0.with("installationId", json: "null") }
    expectTaken(try post(root, to: SharedServer.port), accepted: 0, replayed: 2)
  }

  @Test("one client identifier in two installations is two events")
  func sameIDElsewhere() throws {
    var bodies = WireBodies(seed: "sameIDElsewhere")
    var batch = bodies.events(1)
    expectTaken(try post(batch, to: SharedServer.port), accepted: 1)
    batch.installation = bodies.installation()
    batch.items[0]["osVersion"] = "27.1"
    expectTaken(try post(batch, to: SharedServer.port), accepted: 1)
  }
}
