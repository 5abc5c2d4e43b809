import AnalyticsContract
import Ingestion
import Testing

@Suite struct DecodingRoundTrips {
  @Test(arguments: IngestionEndpoint.allCases, TransportForm.allCases)
  func `A valid batch is decoded to itself`(endpoint: IngestionEndpoint, form: TransportForm) {
    var random = SeededRandom(seed: 1)
    for _ in 0..<1000 {
      let batch = random.batch(endpoint)
      if decode(batch.body(form: form), endpoint) != .success(batch) {
        Issue.record("\(String(decoding: batch.body(form: form), as: UTF8.self))")
      }
    }
  }

  @Test(arguments: TransportForm.allCases)
  func `Every kind of event is decoded to itself, with and without versions`(form: TransportForm) {
    #expect(everyKind.count == 2604)
    var random = SeededRandom(seed: 2)
    for start in stride(from: 0, to: everyKind.count, by: 50) {
      let events = everyKind[start..<min(start + 50, everyKind.count)].map { random.event($0) }
      let batch = Batch(installation: installation(), items: .events(events))
      #expect(decode(batch.body(form: form)) == .success(batch))
    }
  }

  @Test(arguments: IngestionEndpoint.allCases)
  func `White space, order of members, escapes, letter case, null and ways to write UTC are no part of a batch`(
    endpoint: IngestionEndpoint
  ) {
    var random = SeededRandom(seed: 3)
    for _ in 0..<600 {
      let batch = random.batch(endpoint)
      let body = random.scrambled(batch)
      if decode(body, endpoint) != .success(batch) { Issue.record("\(String(decoding: body, as: UTF8.self))") }
    }
  }

  @Test(arguments: IngestionEndpoint.allCases)
  func `The clients' own bytes are a batch`(endpoint: IngestionEndpoint) {
    let item: JSON = endpoint == .events ? .event : .summary
    #expect(verdict(JSON.body([item], to: endpoint).canonical, endpoint) == "batch")
    let legacy = item.appending("installationId", .text(identity.uppercased()))
    #expect(verdict(JSON.body([legacy, legacy], root: nil, to: endpoint).canonical, endpoint) == "batch")
  }

  @Test func `The same item twice stays two items`() {
    guard case .success(let batch) = decode(Array(JSON.body([.event, .event]).canonical.utf8)) else {
      Issue.record("no batch")
      return
    }
    #expect(batch.items.count == 2)
    guard case .events(let events) = batch.items else { return }
    #expect(events[0] == events[1])
  }

  @Test func `A body to the other endpoint is of unknown structure`() {
    #expect(
      verdict(JSON.body([.event]).canonical, .keyboardUsage) == "400  unknown_member; /summaries missing_member")
    #expect(
      verdict(JSON.body([.summary], to: .keyboardUsage).canonical, .events)
        == "400  unknown_member; /events missing_member")
  }
}
