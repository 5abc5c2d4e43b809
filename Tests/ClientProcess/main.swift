import AnalyticsClient
import AnalyticsContract
import Foundation

// An app or its keyboard extension as a process of its own, for tests that kill it: records events whose ids it writes
// down first, makes them durable, writes that down too, and uploads. Arguments: app, keyboard or drain; the container; the
// server's address; the file to write down in.

let arguments = CommandLine.arguments
guard arguments.count == 5, let server = URL(string: arguments[3]) else { exit(2) }
let (role, container, journal) = (arguments[1], arguments[2], arguments[4])
let transport = FaultyTransport(URLSessionTransport(server: server, timeoutSeconds: 5), isFaulty: role != "drain")
var configuration = ClientConfiguration(folder: container, appVersion: "2.1.0", osVersion: "26.1")
// Claims of killed processes are void after a second, and nobody waits between two attempts.
configuration.leaseSeconds = 1
configuration.firstWaitSeconds = 0

func note(_ kind: String, _ ids: [UUIDValue]) {
  let text = ids.map { "\(kind) \($0.text())\n" }.joined()
  let descriptor = open(journal, O_WRONLY | O_CREAT | O_APPEND, 0o600)
  defer { close(descriptor) }
  _ = Array(text.utf8).withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
}

func run(
  _ record: (UUIDValue) -> Void, _ flush: () async -> Bool, _ upload: () async -> UploadResult
) async {
  while true {
    let ids = (0..<Int.random(in: 1...20)).map { _ in UUIDValue.random() }
    note("wanted", ids)
    for id in ids { record(id) }
    if await flush() { note("recorded", ids) }
    _ = await upload()
    try? await Task.sleep(for: .milliseconds(Int.random(in: 0...20)))
  }
}

switch role {
case "app":
  let app = AppAnalytics(configuration, transport: transport)
  app.opened(by: .unknown)
  await run(
    { app.record(.purchaseViewed, id: $0) }, { await app.flush() }, { await app.uploadAvailable(maximumBatches: 3) })
case "keyboard":
  let keyboard = KeyboardAnalytics(configuration, transport: transport)
  await run(
    { keyboard.record(.aiFeatureStarted(.polish, mode: .local, on: .keyboard), id: $0) }, { await keyboard.flush() },
    { await keyboard.uploadAvailable(maximumBatches: 3) })
case "drain":
  let app = AppAnalytics(configuration, transport: transport)
  // What a killed process had claimed is free after its lease.
  for _ in 0..<3 {
    while await app.uploadAvailable(maximumBatches: 1000).end != .everythingSent {}
    try? await Task.sleep(for: .seconds(2))
  }
  print(await app.diagnostics().queuedEvents)
default: exit(2)
}

/// A network and a server on a bad day.
struct FaultyTransport: Transport {
  let transport: URLSessionTransport
  let isFaulty: Bool

  init(_ transport: URLSessionTransport, isFaulty: Bool) {
    self.transport = transport
    self.isFaulty = isFaulty
  }

  func send(_ request: UploadRequest) async throws(TransportError) -> UploadAnswer {
    guard isFaulty else { return try await transport.send(request) }
    switch Int.random(in: 0..<20) {
    case 0: throw .network
    case 1: return UploadAnswer(status: 503, retryAfterSeconds: 0)
    case 2: return UploadAnswer(status: 429, retryAfterSeconds: 0)
    case 3: return UploadAnswer(status: 401)
    case 4:
      // The server has it, and nobody hears of that.
      _ = try await transport.send(request)
      throw .network
    case 5:
      _ = try await transport.send(request)
      return UploadAnswer(status: 502)
    default: return try await transport.send(request)
    }
  }
}
