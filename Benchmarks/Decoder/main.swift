// Measures decoding with validation on one core, beside Foundation's JSONDecoder on the same bodies in the same run:
// swift run -c release decoder-benchmark
//
// JSONDecoder does less for its time: it is not strict about members, knows no rule of the catalog and checks no time.
import AnalyticsContract
import Foundation
import Ingestion

struct PlainBatch: Decodable {
  struct PlainEvent: Decodable {
    var clientEventId: UUID
    var eventType: String
    var occurredAt: String
    var surface: String
    var acquisitionChannel: String?
    var feature: String?
    var executionMode: String?
    var failureCategory: String?
    var durationBucket: String?
    var appVersion: String?
    var osVersion: String?
  }

  var installationId: UUID
  var events: [PlainEvent]
}

let now = UTCClock.system.now
let kinds: [EventKind] = [
  .sessionStarted(on: .app), .sessionStarted(on: .keyboard), .keyboardActivated,
  .aiFeatureStarted(.polish, mode: .managed, on: .keyboard),
  .aiFeatureSucceeded(.polish, mode: .managed, on: .keyboard, duration: .from1To3s),
  .aiFeatureFailed(.transcription, mode: .local, on: .app, failure: .timeout, duration: .atLeast30s),
  .purchaseViewed, .purchaseCancelled, .referralShared, .inviteOpened,
]

func body(events count: Int) -> [UInt8] {
  let events = (0..<count).map { number in
    Event(
      clientEventID: .random(), occurredAt: now.advanced(bySeconds: -Int64(number) * 60),
      kind: kinds[number % kinds.count], appVersion: ReleaseVersion("2.0.0"), osVersion: ReleaseVersion("26.0.1"))
  }
  return Batch(installation: InstallationID(.random())!, items: .events(events)).body()
}

/// Events a second, the median of five rounds of half a second.
func rate(_ bodies: [[UInt8]], _ eventsPerBody: Int, _ decode: ([UInt8]) throws -> Int) rethrows -> Double {
  var rates: [Double] = []
  for _ in 0..<5 {
    let start = ContinuousClock.now
    var events = 0
    var position = 0
    while ContinuousClock.now - start < .milliseconds(500) {
      for _ in 0..<20 {
        events += try decode(bodies[position % bodies.count])
        position += 1
      }
    }
    precondition(events == position * eventsPerBody, "a body was not decoded whole")
    rates.append(Double(events) / ((ContinuousClock.now - start) / .seconds(1)))
  }
  return rates.sorted()[2]
}

print("| events a body | bytes | decode and validate, events/s | JSONDecoder, events/s | ratio |")
print("| --: | --: | --: | --: | --: |")
for count in [1, 10, 50] {
  let bodies = (0..<200).map { _ in body(events: count) }
  let decoder = BatchDecoder(for: .events, at: now)
  let strict = try rate(bodies, count) { try decoder.decode($0).items.count }
  let foundation = try rate(bodies, count) { body in
    try JSONDecoder().decode(PlainBatch.self, from: Data(body)).events.count
  }
  let row: [any CVarArg] = [count, bodies[0].count, Int(strict), Int(foundation), strict / foundation]
  print(String(format: "| %d | %d | %ld | %ld | %.1f |", arguments: row))
}
