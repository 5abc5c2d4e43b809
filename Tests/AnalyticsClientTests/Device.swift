import AnalyticsContract
import Foundation

@testable import AnalyticsClient

/// A device with its container, clocks and network. Clients that are made from it stand for its processes.
final class Device: @unchecked Sendable {
  let folder: String
  let network = ScriptedNetwork()
  // Set by the test between calls.
  private let lock = NSLock()
  private var instant = Instant(iso8601: "2026-11-20T12:00:00Z")!
  private var uptime: Int64 = 1_000_000_000_000
  var limits = QueueLimits()
  var isContainerAvailable = true

  init() {
    folder = NSTemporaryDirectory() + "client-\(UUID().uuidString)"
    try! FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  var now: Instant { lock.withLock { instant } }

  /// Time goes by.
  func advance(seconds: Int64) {
    lock.withLock {
      instant = instant.advanced(bySeconds: seconds)
      uptime += seconds * 1_000_000_000
    }
  }

  /// Somebody sets the clock.
  func setClock(back seconds: Int64) { lock.withLock { instant = instant.advanced(bySeconds: -seconds) } }

  private var configuration: ClientConfiguration {
    var configuration = ClientConfiguration(
      container: { [weak self] in (self?.isContainerAvailable ?? false) ? self?.folder : nil }, appVersion: "2.1.0",
      osVersion: "26.1")
    configuration.clock = .reading { [weak self] in self?.now ?? Instant(microseconds: 0) }
    configuration.uptime = MonotonicClock { [weak self] in
      guard let self else { return 0 }
      return self.lock.withLock { self.uptime }
    }
    configuration.limits = limits
    // Tests write when they say so.
    configuration.gatherMilliseconds = 3_600_000
    return configuration
  }

  func app(tokens: (any AccessTokenSource)? = nil) -> AppAnalytics {
    AppAnalytics(configuration, transport: network, tokens: tokens)
  }

  func keyboard() -> KeyboardAnalytics { KeyboardAnalytics(configuration, transport: network) }

  /// The folder of the queue of the present identity.
  func segments() throws -> SegmentFolder {
    let store = StateStore(folder: Folder(path: folder).folder(ClientEnvironment.folderName))
    return SegmentFolder(folder: store.folder.folder(try store.current().folderName).folder("queue"))
  }
}

/// Answers requests as a test says, and remembers them.
final class ScriptedNetwork: Transport, @unchecked Sendable {
  struct Sent: Sendable {
    let path: String
    let body: [UInt8]
    let isCompressed: Bool
    let token: String?

    /// The body as JSON.
    var json: [String: Any] {
      var bytes = body
      if isCompressed { bytes = gunzip(body) }
      return (try? JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any]) ?? [:]
    }

    var items: [[String: Any]] { (json["events"] ?? json["summaries"]) as? [[String: Any]] ?? [] }
    var ids: [String] { items.compactMap { ($0["clientEventId"] ?? $0["clientSummaryId"]) as? String } }
    var types: [String] { items.compactMap { $0["eventType"] as? String } }
    var installation: String { json["installationId"] as? String ?? "" }
  }

  /// The answer; `nil` where the network breaks.
  typealias Answer = @Sendable (Sent) -> UploadAnswer?

  private let lock = NSLock()
  private var log: [Sent] = []
  private var answers: [Answer] = []
  private var usual: Answer = { .confirming($0.items.count) }
  private var isCancelling = false

  var sent: [Sent] { lock.withLock { log } }

  /// The next requests are answered so, one after the other, and then as usual.
  func next(_ answers: Answer...) { lock.withLock { self.answers += answers } }

  /// All other requests are answered so.
  func always(_ answer: @escaping Answer) { lock.withLock { usual = answer } }

  /// Requests are cancelled on their way, or not any more.
  func cancels(_ isCancelling: Bool) { lock.withLock { self.isCancelling = isCancelling } }

  func send(_ request: UploadRequest) async throws(TransportError) -> UploadAnswer {
    let sent = Sent(
      path: request.path, body: request.body, isCompressed: request.isCompressed, token: request.accessToken)
    let answer = lock.withLock {
      log.append(sent)
      return answers.isEmpty ? usual : answers.removeFirst()
    }
    if lock.withLock({ isCancelling }) { throw .cancelled }
    guard let answer = answer(sent) else { throw .network }
    return answer
  }
}

extension UploadAnswer {
  static func confirming(_ count: Int, replayed: Int = 0) -> UploadAnswer {
    UploadAnswer(status: 200, body: Array("{\"accepted\":\(count - replayed),\"replayed\":\(replayed)}".utf8))
  }
}

/// Undoes gzip with the machine's own program, which shares nothing with the encoder.
private func gunzip(_ bytes: [UInt8]) -> [UInt8] {
  let process = Process()
  process.executableURL = URL(filePath: "/usr/bin/env")
  process.arguments = ["gunzip", "-c"]
  let (input, output) = (Pipe(), Pipe())
  process.standardInput = input
  process.standardOutput = output
  try! process.run()
  input.fileHandleForWriting.write(Data(bytes))
  try! input.fileHandleForWriting.close()
  let data = output.fileHandleForReading.readDataToEndOfFile()
  process.waitUntilExit()
  return Array(data)
}
