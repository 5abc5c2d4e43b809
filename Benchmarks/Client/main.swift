import AnalyticsClient
import AnalyticsContract
import Foundation

// What the client costs the app: a record call, the start with a full queue, memory. swift run -c release client-benchmark

struct NoNetwork: Transport {
  func send(_ request: UploadRequest) async throws(TransportError) -> UploadAnswer { throw .network }
}

/// This process's own memory in kilobytes: what is not shared with others.
func memory() -> Int {
  let text = (try? String(contentsOfFile: "/proc/self/smaps_rollup", encoding: .utf8)) ?? ""
  return text.split(separator: "\n").filter { $0.hasPrefix("Private_") }
    .reduce(0) { $0 + (Int($1.split(separator: " ").dropFirst().first ?? "") ?? 0) }
}

func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

func milliseconds(_ duration: Duration) -> Double {
  Double(duration.components.seconds) * 1000 + Double(duration.components.attoseconds) / 1e15
}

let container = NSTemporaryDirectory() + "client-benchmark-\(UUID().uuidString)"
try FileManager.default.createDirectory(atPath: container, withIntermediateDirectories: true)
defer { try? FileManager.default.removeItem(atPath: container) }
let configuration = ClientConfiguration(folder: container, appVersion: "2.1.0", osVersion: "26.1")

// Everything that a process needs once is there before memory is looked at.
let first = AppAnalytics(configuration, transport: NoNetwork())
first.purchaseViewed()
_ = await first.flush()
let before = memory()

let app = AppAnalytics(configuration, transport: NoNetwork())
var calls: [Double] = []
for _ in 0..<200 {
  let start = ContinuousClock.now
  for _ in 0..<50 { app.purchaseViewed() }
  calls.append(milliseconds(ContinuousClock.now - start) / 50 * 1000)
  _ = await app.flush()
}
print("record: \(String(format: "%.2f", median(calls))) µs a call, median of \(calls.count) × 50")

var starts: [Double] = []
for _ in 0..<20 {
  let start = ContinuousClock.now
  let next = AppAnalytics(configuration, transport: NoNetwork())
  // Opens the container, writes an event beside ten thousand, makes it durable.
  next.purchaseViewed()
  _ = await next.flush()
  starts.append(milliseconds(ContinuousClock.now - start))
}
let snapshot = await app.diagnostics()
print("start: \(String(format: "%.1f", median(starts))) ms with \(snapshot.queuedEvents) queued events, median of 20")
let uploadStart = ContinuousClock.now
_ = await app.uploadAvailable(maximumBatches: 1)
print("first batch: \(String(format: "%.1f", milliseconds(ContinuousClock.now - uploadStart))) ms to the network")
print("memory: \(max(0, memory() - before)) KiB more than with an empty queue")
