import Foundation
import Glibc

/// A network between two programs on 127.0.0.1 that a test can spoil: it forwards connections to a port, and may delay
/// them, cut them, refuse them or swallow everything. One thread of the test process does all of it.
public final class TCPProxy: @unchecked Sendable {
  /// What happens to connections.
  public enum Mode: Sendable {
    /// They are made and what is sent over them arrives.
    case forwarding
    /// New ones are refused; those that are open stay as they are.
    case refusing
    /// Nothing arrives any more and nothing says so, as when a cable is pulled: new connections seem to be made, all are
    /// kept open, no end and no reset is passed on. Connections that lived through it stay dead for ever.
    case silent
  }

  /// Which connections are cut by themselves, and when.
  public struct Cuts: Sendable {
    /// How many bytes, in both directions together, a connection carries before it is reset. Each draws its own.
    public var bytes: ClosedRange<Int>
    /// Draws of the same seed are the same.
    public var seed: String

    /// A connection is reset after so many bytes.
    public init(bytes: ClosedRange<Int>, seed: String) {
      self.bytes = bytes
      self.seed = seed
    }
  }

  /// The port of 127.0.0.1 to connect to.
  public let port: UInt16
  // What is written to the one end of this pair wakes the thread, which reads it from the other.
  private let (wakeUp, wake): (Int32, Int32)
  // The lock guards `jobs`, which is how the test reaches the thread. All other state is the thread's own.
  private let lock = NSLock()
  private var jobs: [@Sendable (TCPProxy) -> Void] = []

  private var target: UInt16
  private var mode = Mode.forwarding
  private var delay = 0.0
  private var cuts: Cuts?
  private var draws = SeededGenerator(seed: "")
  private var listener: Int32?
  private var links: [Link] = []
  private var isEnded = false
  private var made = 0

  /// Starts to forward.
  /// - Parameter target: the port of 127.0.0.1 to forward to.
  /// - Throws: `POSIXError` when there is no port or thread.
  public init(to target: UInt16) throws {
    signal(SIGPIPE, SIG_IGN)
    self.target = target
    port = FreePort.take()
    listener = LoopbackSocket.listen(port: port)
    var pair: [Int32] = [-1, -1]
    let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
    socketpair(AF_UNIX, type, 0, &pair)
    (wakeUp, wake) = (pair[0], pair[1])
    guard listener != nil, wakeUp >= 0 else { throw POSIXError(.EADDRINUSE) }
    Thread { self.run() }.start()
  }

  /// Sets what happens to connections from now on.
  public func set(_ mode: Mode) {
    perform { proxy in
      proxy.mode = mode
      if mode == .silent { for link in proxy.links { link.isDead = true } }
      if mode == .refusing, let listener = proxy.listener {
        close(listener)
        proxy.listener = nil
      }
      // Nobody else can have the port: see FreePort.
      if mode != .refusing, proxy.listener == nil { proxy.listener = LoopbackSocket.listen(port: proxy.port) }
    }
  }

  /// Sets how many milliseconds what is sent takes, in each direction.
  public func delay(milliseconds: Int) { perform { $0.delay = Double(milliseconds) / 1000 } }

  /// Sets whether new connections are cut by themselves.
  public func cut(_ cuts: Cuts?) {
    perform { proxy in
      proxy.cuts = cuts
      if let cuts { proxy.draws = SeededGenerator(seed: cuts.seed) }
    }
  }

  /// Sets where new connections lead.
  public func redirect(to target: UInt16) { perform { $0.target = target } }

  /// Resets all connections, also those that are dead.
  public func dropAll() {
    perform { proxy in
      for link in proxy.links { link.reset() }
      proxy.links = []
    }
  }

  /// How many connections there are, dead ones included.
  public var connectionCount: Int { ask { $0.links.count } }

  /// How many connections were made so far.
  public var madeCount: Int { ask { $0.made } }

  /// Resets all connections and refuses new ones for ever.
  public func remove() {
    perform { proxy in
      for link in proxy.links { link.reset() }
      proxy.links = []
      if let listener = proxy.listener { close(listener) }
      proxy.listener = nil
      proxy.isEnded = true
    }
  }

  private func ask<Value: Sendable>(_ question: @escaping @Sendable (TCPProxy) -> Value) -> Value {
    let answers = LockedList<Value>()
    perform { answers.append(question($0)) }
    return answers.all[0]
  }

  /// Runs a job on the thread and waits until it is done.
  private func perform(_ job: @escaping @Sendable (TCPProxy) -> Void) {
    let done = DispatchSemaphore(value: 0)
    lock.withLock {
      jobs.append { proxy in
        if !proxy.isEnded { job(proxy) }
        done.signal()
      }
    }
    var byte: UInt8 = 0
    write(wake, &byte, 1)
    // Once the thread has ended there is nothing left to change.
    while done.wait(timeout: .now() + 1) == .timedOut, !lock.withLock({ hasEnded }) {}
  }

  private var hasEnded = false

  private func run() {
    while !isEnded {
      waitForNews()
      var bytes = [UInt8](repeating: 0, count: 64)
      read(wakeUp, &bytes, bytes.count)
      let due = lock.withLock {
        defer { jobs = [] }
        return jobs
      }
      for job in due { job(self) }
      if let listener { acceptAll(listener) }
      for link in links { link.move(delay: delay) }
      links.removeAll(where: \.isClosed)
    }
    lock.withLock { hasEnded = true }
  }

  private func waitForNews() {
    var entries = [pollfd(fd: wakeUp, events: Int16(POLLIN), revents: 0)]
    if let listener { entries.append(pollfd(fd: listener, events: Int16(POLLIN), revents: 0)) }
    var next = Double.infinity
    for link in links where !link.isDead {
      entries += link.interests
      next = min(next, link.nextDue)
    }
    let wait = next.isInfinite ? -1 : Int32(max(0, (next - Link.now) * 1000).rounded(.up))
    poll(&entries, nfds_t(entries.count), wait)
  }

  private func acceptAll(_ listener: Int32) {
    while true {
      let client = LoopbackSocket.accept(listener)
      if client < 0 { return }
      made += 1
      let link = Link(client: client, server: mode == .silent ? nil : LoopbackSocket.connect(port: target))
      link.isDead = mode == .silent
      link.budget = cuts.map { Int.random(in: $0.bytes, using: &draws) }
      // The nearest there is to the refusal of a target that isn't there.
      if link.server == nil, !link.isDead { link.reset() } else { links.append(link) }
    }
  }
}

/// One connection through a proxy.
private final class Link {
  let client: Int32
  let server: Int32?
  /// Nothing is read or written any more.
  var isDead = false
  /// The bytes left before the connection is cut.
  var budget: Int?
  private(set) var isClosed = false
  private var toServer = Flow()
  private var toClient = Flow()

  static var now: Double {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  init(client: Int32, server: Int32?) {
    self.client = client
    self.server = server
    for descriptor in [client, server].compactMap({ $0 }) {
      var noDelay: Int32 = 1
      setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &noDelay, socklen_t(MemoryLayout<Int32>.size))
    }
  }

  var interests: [pollfd] {
    guard let server else { return [] }
    func events(reading: Flow, writing: Flow) -> Int16 {
      (reading.wantsInput ? Int16(POLLIN) : 0) | (writing.isBlocked ? Int16(POLLOUT) : 0)
    }
    // An entry with no events would still report a hang-up again and again.
    return [
      pollfd(fd: client, events: events(reading: toServer, writing: toClient), revents: 0),
      pollfd(fd: server, events: events(reading: toClient, writing: toServer), revents: 0),
    ].filter { $0.events != 0 }
  }

  var nextDue: Double { min(toServer.nextDue, toClient.nextDue) }

  /// Moves everything that there is to move.
  func move(delay: Double) {
    guard !isDead, !isClosed, let server else { return }
    let isWhole =
      toServer.move(from: client, to: server, delay: delay, budget: &budget)
      && toClient.move(from: server, to: client, delay: delay, budget: &budget)
    if !isWhole { return reset() }
    if toServer.isFinished, toClient.isFinished { closeBoth() }
  }

  /// Ends both halves at once, which the peers see as a reset.
  func reset() {
    var now = linger(l_onoff: 1, l_linger: 0)
    for descriptor in [client, server].compactMap({ $0 }) where !isClosed {
      setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &now, socklen_t(MemoryLayout<linger>.size))
    }
    closeBoth()
  }

  private func closeBoth() {
    if isClosed { return }
    isClosed = true
    close(client)
    if let server { close(server) }
  }
}

/// What is on its way in one direction.
private struct Flow {
  private var pieces: [(due: Double, bytes: ArraySlice<UInt8>)] = []
  private var hasEnd = false
  private(set) var isFinished = false
  private(set) var isBlocked = false

  /// Bounded, as the buffers of a network are.
  var wantsInput: Bool { !hasEnd && pieces.count < 256 }
  /// When the next piece arrives, unless the receiver has to make room first.
  var nextDue: Double { isBlocked ? .infinity : pieces.first?.due ?? .infinity }

  /// - Returns: false when the connection broke, or is to be cut.
  mutating func move(from source: Int32, to sink: Int32, delay: Double, budget: inout Int?) -> Bool {
    if isFinished { return true }
    while wantsInput {
      var chunk = [UInt8](repeating: 0, count: 16 * 1024)
      let count = read(source, &chunk, chunk.count)
      if count > 0 {
        pieces.append((Link.now + delay, chunk.prefix(count)))
      } else if count == 0 {
        hasEnd = true
      } else if errno == EAGAIN || errno == ENOTCONN {
        break
      } else {
        return false
      }
    }
    isBlocked = false
    while let piece = pieces.first, piece.due <= Link.now {
      let allowed = piece.bytes.prefix(budget ?? .max)
      let count = allowed.withUnsafeBytes { write(sink, $0.baseAddress, $0.count) }
      if count < 0 {
        isBlocked = errno == EAGAIN
        return isBlocked
      }
      budget = budget.map { $0 - count }
      if budget == 0 { return false }
      pieces[0].bytes = piece.bytes.dropFirst(count)
      if pieces[0].bytes.isEmpty { pieces.removeFirst() }
    }
    if hasEnd, pieces.isEmpty {
      shutdown(sink, Int32(SHUT_WR))
      isFinished = true
    }
    return true
  }
}
