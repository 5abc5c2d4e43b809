import AnalyticsContract
import Ingestion
import ServerFacts

/// Sends what a population does, as bodies of requests, through the code that answers real ones.
struct DemoSender: Sendable {
  let ingestor: Ingestor
  let store: any FactStore
  let clock: DemoClock
  let committer: GroupCommitter
  let appStore: DemoAppStore

  // MARK: - Clients

  /// Lets clients send side by side.
  func send(_ uploads: ArraySlice<DemoUpload>) async throws -> Demonstration.Result {
    try await withThrowingTaskGroup(of: Demonstration.Result.self) { group in
      for upload in uploads { group.addTask { try await send(upload) } }
      var sum = Demonstration.Result()
      for try await result in group { sum += result }
      return sum
    }
  }

  private func send(_ upload: DemoUpload) async throws -> Demonstration.Result {
    var result = Demonstration.Result()
    let credential =
      upload.token.map { IngestionCredential.bearer(AccessToken(digest: Digest(hashing: $0))) } ?? .absent
    // The first release named the installation in every item.
    let form: TransportForm = upload.events.first?.appVersion?.text == "2.0.0" ? .everyItem : .root
    let installation = upload.person.installation
    var bodies: [(body: [UInt8], endpoint: IngestionEndpoint)] = []
    for first in stride(from: 0, to: upload.events.count, by: ContractLimits.maximumItems) {
      let events = Array(upload.events[first..<min(first + ContractLimits.maximumItems, upload.events.count)])
      bodies.append((Batch(installation: installation, items: .events(events)).body(form: form), .events))
    }
    if !upload.summaries.isEmpty {
      bodies.append(
        (Batch(installation: installation, items: .summaries(upload.summaries)).body(form: form), .keyboardUsage))
    }
    for (body, endpoint) in bodies {
      for _ in 0..<(upload.isRepeated ? 2 : 1) {
        result.requests += 1
        guard
          case .stored(let accepted, let replayed) = await ingestor.ingest(
            .success(body), to: endpoint, credential: credential)
        else { throw DemoFailure.unexpectedAnswer }
        result.accepted += accepted
        result.replayed += replayed
      }
    }
    if upload.hasDefect, let event = upload.events.first {
      result.requests += 1
      // Another event under an id that is taken, a body cut short, or a token that nobody has.
      let answer =
        switch upload.person.number % 3 {
        case 0:
          await ingestor.ingest(
            .success(
              Batch(
                installation: installation,
                items: .events([
                  Event(
                    clientEventID: event.clientEventID, occurredAt: event.occurredAt.advanced(bySeconds: -1),
                    kind: event.kind, appVersion: event.appVersion, osVersion: event.osVersion)
                ])
              ).body()), to: .events, credential: .absent)
        case 1: await ingestor.ingest(.success(Array(bodies[0].body.dropLast())), to: .events, credential: .absent)
        default:
          await ingestor.ingest(
            .success(bodies[0].body), to: .events, credential: .bearer(AccessToken(digest: Digest(hashing: "nobody's")))
          )
        }
      guard case .refused = answer else { throw DemoFailure.unexpectedAnswer }
      result.refused += 1
    }
    return result
  }

  /// Lets pages of invitations be viewed.
  func view(_ count: Int) async throws {
    let day = clock.now.day
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<count { group.addTask { try await committer.countInvitationView(on: day) } }
      try await group.waitForAll()
    }
  }

  // MARK: - The account server

  /// The same for the same fact, so that the same plan states the same ones.
  private static func id(of name: String) -> UUIDValue {
    Digest(hashing: name).withUnsafeBytes { UUIDValue(bytes: UnsafeRawBufferPointer(rebasing: $0[..<16]))! }
  }

  /// States facts, as many at a time as a request takes.
  func state(
    _ facts: [DemoDay.Fact],
    purchases: [(purchase: DemoDay.Purchase, transaction: UInt64, account: UUIDValue, refundedAt: Instant?)]
  ) async throws -> Int {
    var members = facts.map { (at: $0.at, members: $0.members, name: $0.members) }
    for (purchase, transaction, account, refundedAt) in purchases {
      let jws = appStore.sign(purchase, transaction: transaction, account: account, refundedAt: refundedAt)
      members.append(
        (
          refundedAt ?? purchase.at, "\"type\":\"STOREKIT_TRANSACTION\",\"signedTransaction\":\"\(jws)\"",
          "transaction \(transaction) \(refundedAt == nil)"
        ))
    }
    let decoder = FactDecoder(at: clock.now) { (text) throws(StoreKitRefusal) in try appStore.verifier.verify(text) }
    var stated = 0
    for first in stride(from: 0, to: members.count, by: FactLimits.maximumFacts) {
      let objects = members[first..<min(first + FactLimits.maximumFacts, members.count)].map { fact in
        "{\"factId\":\"\(Self.id(of: fact.name).text())\",\"occurredAt\":\"\(fact.at.iso8601(fractionDigits: 6))\","
          + "\(fact.members)}"
      }
      let facts = try decoder.decode(Array("{\"facts\":[\(objects.joined(separator: ","))]}".utf8))
      guard case .stored(let accepted, _, _) = try await store.state(facts, at: clock.now) else {
        throw DemoFailure.unexpectedAnswer
      }
      stated += accepted
    }
    return stated
  }
}
