import Foundation

/// What became of one upload of a load.
public struct SentBatch: Sendable {
  /// The batch.
  public var batch: WireBatch
  /// Which client of a load sent it.
  public var client = 0
  /// The status of its answer; nil when the connection broke before one came.
  public var status: Int?
  /// The answer's body.
  public var answer: String
  /// The answer's `Retry-After`.
  public var retryAfter: String?

  /// An upload and its answer.
  public init(batch: WireBatch, status: Int?, answer: String, retryAfter: String? = nil) {
    self.batch = batch
    self.status = status
    self.answer = answer
    self.retryAfter = retryAfter
  }

  /// Whether the client may forget the batch: the only answer after which it must be stored for ever.
  public var isAcknowledged: Bool { status == 200 }
}

/// Several clients that send unique batches, one after the other, and write down what was answered.
public final class BatchLoad: Sendable {
  private let seed: String
  private let sizes: [Int]
  private let record = LockedList<SentBatch>()

  /// A load; every client takes the sizes in turn. Each tenth batch is of summaries.
  public init(seed: String, sizes: [Int] = [1, 10, 50]) {
    self.seed = seed
    self.sizes = sizes
  }

  /// Everything that was sent so far.
  public var sent: [SentBatch] { record.all }
  /// Whether a connection broke, which ends its client.
  public var isBroken: Bool { record.all.contains { $0.status == nil } }
  /// How many batches were acknowledged so far.
  public var acknowledged: Int { record.all.filter(\.isAcknowledged).count }

  /// Runs the clients until their connections break.
  /// - Parameters:
  ///   - clients: how many threads send.
  ///   - port: the server's port.
  ///   - limit: the most batches that one client sends.
  ///   - onAnswer: called after every answer, on the client's thread, with the number of batches sent by all.
  /// - Throws: nothing of the connections; a broken one is written down.
  public func run(
    clients: Int, port: UInt16, limit: Int = 100_000, onAnswer: @escaping @Sendable (Int) -> Void = { _ in }
  ) async throws {
    _ = try await onThreads(clients) { [self] client in
      var bodies = WireBodies(seed: "\(seed) \(client)")
      guard let connection = try? HTTPConnection(port: port, timeoutSeconds: 60) else { return }
      for index in 0..<limit {
        var sent = Self.send(batch(index, of: client, &bodies), over: connection)
        sent.client = client
        record.append(sent)
        guard sent.status != nil else { return }
        onAnswer(record.count)
      }
    }
  }

  /// The first batches that a client of a load with this seed sends, made once more.
  public func batches(of client: Int, count: Int) -> [WireBatch] {
    var bodies = WireBodies(seed: "\(seed) \(client)")
    return (0..<count).map { batch($0, of: client, &bodies) }
  }

  private func batch(_ index: Int, of client: Int, _ bodies: inout WireBodies) -> WireBatch {
    index % 10 == 9 ? bodies.summaries(7) : bodies.events(sizes[(index + client) % sizes.count])
  }

  /// Sends one batch and writes down the answer.
  public static func send(_ batch: WireBatch, over connection: HTTPConnection) -> SentBatch {
    let headers = [("Content-Type", "application/json")]
    let reply = try? connection.request("POST", batch.path, headers: headers, body: batch.body())
    return SentBatch(
      batch: batch, status: reply?.status, answer: reply?.text ?? "", retryAfter: reply?.header("retry-after"))
  }
}
