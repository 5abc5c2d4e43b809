import AnalyticsContract
import Ingestion
import Testing

@Suite struct Identities {
  private static let mine = identity
  private static let other = otherIdentity
  private static let absent = "null"

  /// The verdict on a batch whose items have these identities, `nil` for none.
  private func judge(
    _ items: [String?], root: String?, rootFirst: Bool = false, _ endpoint: IngestionEndpoint
  ) -> String {
    let item: JSON = endpoint == .events ? .event : .summary
    let name = endpoint == .events ? "events" : "summaries"
    let values = items.enumerated().map { position, id -> JSON in
      guard let id else { return item }
      // The identity is the first member of some items and the last of the others.
      guard case .object(let members) = item, position % 2 == 0 else {
        return item.appending("installationId", .text(id))
      }
      return .object([("installationId", .text(id))] + members)
    }
    let collection = (name: name, value: JSON.array(values))
    guard let root else { return verdict(JSON.object([collection]).canonical, endpoint) }
    let identity = (name: "installationId", value: root == Self.absent ? JSON.raw("null") : .text(root))
    return verdict(JSON.object(rootFirst ? [identity, collection] : [collection, identity]).canonical, endpoint)
  }

  private func path(_ endpoint: IngestionEndpoint, _ index: Int) -> String {
    "/\(endpoint == .events ? "events" : "summaries")/\(index)/installationId"
  }

  @Test(arguments: IngestionEndpoint.allCases)
  func `The root alone, every item alone, or both where they agree, name the installation`(endpoint: IngestionEndpoint)
  {
    let upper = Self.mine.uppercased()
    for rootFirst in [false, true] {
      #expect(judge([nil, nil, nil], root: Self.mine, rootFirst: rootFirst, endpoint) == "batch")
      #expect(judge([nil, nil, nil], root: upper, rootFirst: rootFirst, endpoint) == "batch")
      #expect(judge([upper, upper, upper], root: Self.absent, rootFirst: rootFirst, endpoint) == "batch")
      #expect(judge([upper, Self.mine, upper], root: Self.mine, rootFirst: rootFirst, endpoint) == "batch")
      for present in 0..<8 {
        let items = (0..<3).map { present >> $0 & 1 == 1 ? upper : nil }
        #expect(judge(items, root: Self.mine, rootFirst: rootFirst, endpoint) == "batch")
      }
    }
    #expect(judge([Self.mine, upper], root: nil, endpoint) == "batch")
    #expect(judge([upper], root: nil, endpoint) == "batch")
  }

  @Test(arguments: IngestionEndpoint.allCases)
  func `No identity at all is missing at the root`(endpoint: IngestionEndpoint) {
    #expect(judge([nil], root: nil, endpoint) == "422 /installationId identity_missing")
    #expect(judge([nil, nil, nil], root: nil, endpoint) == "422 /installationId identity_missing")
    #expect(judge([nil], root: Self.absent, endpoint) == "422 /installationId identity_missing")
  }

  @Test(arguments: IngestionEndpoint.allCases)
  func `Without a root the first item that has none is reported`(endpoint: IngestionEndpoint) {
    for present in 1..<15 {
      let items = (0..<4).map { present >> $0 & 1 == 1 ? Self.mine : nil }
      let missing = items.firstIndex(of: nil)!
      #expect(judge(items, root: nil, endpoint) == "422 \(path(endpoint, missing)) identity_missing")
      #expect(
        judge(items, root: Self.absent, rootFirst: true, endpoint) == "422 \(path(endpoint, missing)) identity_missing")
    }
  }

  @Test(arguments: IngestionEndpoint.allCases)
  func `An item that differs from those before is in conflict, even in one digit`(endpoint: IngestionEndpoint) {
    for different in 1..<4 {
      let items = (0..<4).map { $0 == different ? Self.other : Self.mine }
      #expect(judge(items, root: nil, endpoint) == "422 \(path(endpoint, different)) identity_conflict")
    }
    let digits = Array(Self.mine)
    for position in digits.indices where digits[position] != "-" {
      var changed = digits
      changed[position] = changed[position] == "0" ? "f" : "0"
      #expect(
        judge([Self.mine, String(changed)], root: nil, endpoint) == "422 \(path(endpoint, 1)) identity_conflict")
    }
  }

  @Test(arguments: IngestionEndpoint.allCases, [false, true])
  func `An item that differs from the root is in conflict, wherever the root stands`(
    endpoint: IngestionEndpoint, rootFirst: Bool
  ) {
    #expect(
      judge([Self.other], root: Self.mine, rootFirst: rootFirst, endpoint)
        == "422 \(path(endpoint, 0)) identity_conflict")
    #expect(
      judge([nil, Self.other, nil], root: Self.mine, rootFirst: rootFirst, endpoint)
        == "422 \(path(endpoint, 1)) identity_conflict")
    for items in [
      [Self.mine, Self.other], [Self.other, Self.mine], [Self.other, Self.other], [nil, Self.other, Self.mine],
    ] {
      let verdict = judge(items, root: Self.mine, rootFirst: rootFirst, endpoint)
      #expect(verdict.hasPrefix("422 "))
      #expect(verdict.contains("identity_conflict"))
      #expect(!verdict.contains("identity_missing"))
    }
  }

  @Test(arguments: [
    "", " ", "x", "00000000-0000-0000-0000-000000000000", "6f1c2d3e4a5b4c6d8e7f000000000001",
    "{6f1c2d3e-4a5b-4c6d-8e7f-000000000001}", "6f1c2d3e-4a5b-4c6d-8e7f-00000000000",
    "6f1c2d3e-4a5b-4c6d-8e7f-0000000000012",
    "6f1c2d3e-4a5b-4c6d-8e7f-00000000000g", " 6f1c2d3e-4a5b-4c6d-8e7f-000000000001",
  ])
  func `A malformed or nil identity is reported where it stands, and not as missing too`(id: String) {
    for endpoint in IngestionEndpoint.allCases {
      #expect(judge([nil], root: id, endpoint) == "422 /installationId uuid")
      #expect(judge([nil], root: id, rootFirst: true, endpoint) == "422 /installationId uuid")
      #expect(judge([Self.mine], root: id, endpoint) == "422 /installationId uuid")
      #expect(judge([id], root: Self.mine, endpoint) == "422 \(path(endpoint, 0)) uuid")
      #expect(judge([Self.mine, id], root: nil, endpoint) == "422 \(path(endpoint, 1)) uuid")
      #expect(judge([id, id], root: nil, endpoint) == "422 \(path(endpoint, 0)) uuid; \(path(endpoint, 1)) uuid")
    }
  }

  @Test func `The decoded installation is the one named, in any letter case and form`() {
    let expected = InstallationID(UUIDValue(text: Self.mine)!)!
    let bodies = [
      JSON.body([.event]), JSON.body([.event], root: Self.mine.uppercased()),
      JSON.body([.event.appending("installationId", .text(Self.mine.uppercased()))], root: nil),
      JSON.body([.event.appending("installationId", .text(Self.mine))], root: Self.mine.uppercased()),
    ]
    for body in bodies {
      guard case .success(let batch) = decode(Array(body.canonical.utf8)) else {
        Issue.record("no batch")
        continue
      }
      #expect(batch.installation == expected)
      #expect(batch.installation.digest == Digest(hashing: Self.mine))
    }
  }

  @Test func `The nil UUID names no event and no summary`() {
    let zero = JSON.text("00000000-0000-0000-0000-000000000000")
    #expect(verdictOfEvent { $0.setting("clientEventId", zero) } == "422 /events/0/clientEventId uuid")
    #expect(verdictOfSummary { $0.setting("clientSummaryId", zero) } == "422 /summaries/0/clientSummaryId uuid")
  }
}
