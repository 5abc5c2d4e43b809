import Foundation

/// Clients that send unique batches as those in the field do: each again and again, over a new connection where the old
/// one broke, until it is taken. They write down every answer that isn't success, 503 with a time to come back, or a
/// broken connection.
public final class PersistentLoad: @unchecked Sendable {
  /// The longest that a client waits for an answer; no answer until then is a fault.
  public static let patience = 40

  private let seed: String
  private let ports: [UInt16]
  private let clients: Int
  private let running = DispatchGroup()
  // The lock guards everything below.
  private let lock = NSLock()
  private var isStopping = false
  private var begun: [Int]
  private var taken: [Int]
  private var answers: [Int?: Int] = [:]
  private var wrong: [String] = []

  /// A load.
  /// - Parameters:
  ///   - seed: a text that no other load uses on the same database.
  ///   - ports: where to send to; a client whose request failed goes on to the next one.
  ///   - clients: how many threads send.
  public init(seed: String, ports: [UInt16], clients: Int) {
    self.seed = seed
    self.ports = ports
    self.clients = clients
    begun = Array(repeating: 0, count: clients)
    taken = Array(repeating: 0, count: clients)
  }

  /// Starts the clients.
  public func start() {
    for client in 0..<clients {
      running.enter()
      let thread = Thread { [self] in
        send(as: client)
        running.leave()
      }
      thread.stackSize = 1 << 20
      thread.start()
    }
  }

  /// Lets every client have the answer that it waits for, and ends them. A batch that isn't taken by then stays open.
  public func stop() {
    lock.withLock { isStopping = true }
    running.wait()
  }

  /// How many batches were acknowledged so far.
  public var acknowledged: Int { lock.withLock { taken.reduce(0, +) } }

  /// How often each status was answered so far; nil is a broken connection.
  public var statuses: [Int?: Int] { lock.withLock { answers } }

  /// What clients must never see, and saw.
  public var faults: [String] { lock.withLock { wrong } }

  /// Waits until so many more batches than now are acknowledged.
  /// - Returns: whether that happened in time.
  public func waitForProgress(_ count: Int = 1, seconds: Double = 30) -> Bool {
    let goal = acknowledged + count
    return waitUntil(seconds: seconds) { acknowledged >= goal }
  }

  /// How many events and summaries the batches have that were ever sent.
  public var items: (events: Int, summaries: Int) {
    let begun = lock.withLock { self.begun }
    var (events, summaries) = (0, 0)
    for client in 0..<clients {
      for index in 0..<begun[client] {
        if Self.isOfSummaries(index) { summaries += Self.summaryCount } else { events += Self.size(index, of: client) }
      }
    }
    return (events, summaries)
  }

  /// Sends every batch once more, after ``stop()``. Each that was acknowledged must be there as a whole, and each that
  /// wasn't must be there as a whole or not at all; it is then.
  /// - Parameter ports: where to send to.
  /// - Returns: the batches for which that isn't so.
  /// - Throws: `HTTPConnectionError` when a port can't be reached at all.
  public func resend(to ports: [UInt16]) async throws -> [String] {
    let (begun, taken) = lock.withLock { (self.begun, self.taken) }
    return try await onThreads(clients) { [seed] client in
      var faults: [String] = []
      var bodies = WireBodies(seed: "\(seed) \(client)")
      var connection = try HTTPConnection(port: ports[client % ports.count], timeoutSeconds: Self.patience)
      for index in 0..<begun[client] {
        let batch = Self.batch(index, of: client, &bodies)
        let isAcknowledged = index < taken[client]
        var sent = BatchLoad.send(batch, over: connection)
        // The database has just come back from something: a 503 is allowed, a loss is not.
        _ = waitUntil(seconds: 20) {
          if sent.status == 200 { return true }
          guard let fresh = try? HTTPConnection(port: ports[client % ports.count], timeoutSeconds: Self.patience)
          else { return false }
          connection = fresh
          sent = BatchLoad.send(batch, over: connection)
          return sent.status == 200
        }
        let count = batch.items.count
        let allowed =
          ["{\"accepted\":0,\"replayed\":\(count)}"]
          + (isAcknowledged ? [] : ["{\"accepted\":\(count),\"replayed\":0}"])
        if sent.status != 200 || !allowed.contains(sent.answer) {
          let before = isAcknowledged ? "acknowledged" : "open"
          faults.append("batch \(index) of \(client), \(count) items, \(before): \(sent.status ?? 0) \(sent.answer)")
        }
      }
      return faults
    }.flatMap { $0 }
  }

  private func send(as client: Int) {
    var bodies = WireBodies(seed: "\(seed) \(client)")
    var connection: HTTPConnection?
    var target = client
    for index in 0... {
      let batch = Self.batch(index, of: client, &bodies)
      lock.withLock { begun[client] += 1 }
      while true {
        if connection == nil {
          connection = try? HTTPConnection(port: ports[target % ports.count], timeoutSeconds: Self.patience)
        }
        let isTaken = attempt(batch, of: client, over: connection)
        if isTaken { lock.withLock { taken[client] += 1 } }
        if lock.withLock({ isStopping }) { return }
        if isTaken { break }
        connection = nil
        target += 1
        // A client in the field waits for seconds; a test hasn't got the time, and is the harder for it.
        usleep(30_000)
      }
      // Leaves the machine some time for what the test is about.
      usleep(15_000)
    }
  }

  /// - Returns: whether the batch was acknowledged.
  private func attempt(_ batch: WireBatch, of client: Int, over connection: HTTPConnection?) -> Bool {
    var reply: HTTPReply?
    do {
      reply = try connection?.request(
        "POST", batch.path, headers: [("Content-Type", "application/json")], body: batch.body())
    } catch HTTPConnectionError.timedOut {
      note("no answer for \(Self.patience) s")
    } catch HTTPConnectionError.malformed {
      note("an answer that isn't HTTP")
    } catch {}
    let status = reply?.status
    lock.withLock { answers[status, default: 0] += 1 }
    switch status {
    case nil: return false
    case 200:
      let count = batch.items.count
      let whole = ["{\"accepted\":\(count),\"replayed\":0}", "{\"accepted\":0,\"replayed\":\(count)}"]
      if !whole.contains(reply?.text ?? "") { note("200 for \(count) items with \(reply?.text ?? "")") }
      return true
    case 503:
      if reply?.header("retry-after").flatMap({ Int($0) }) == nil { note("503 without Retry-After in seconds") }
      return false
    default:
      note("\(status ?? 0) \(reply?.text.prefix(200) ?? "")")
      return false
    }
  }

  private func note(_ fault: String) { lock.withLock { wrong.append(fault) } }

  private static let summaryCount = 5
  private static let sizes = [1, 5, 20]
  private static func isOfSummaries(_ index: Int) -> Bool { index % 10 == 9 }
  private static func size(_ index: Int, of client: Int) -> Int { sizes[(index + client) % sizes.count] }

  private static func batch(_ index: Int, of client: Int, _ bodies: inout WireBodies) -> WireBatch {
    isOfSummaries(index) ? bodies.summaries(summaryCount) : bodies.events(size(index, of: client))
  }
}
