import Glibc
import Synchronization

/// Ends connections whose request takes too long to arrive.
///
/// libmicrohttpd knows only a time without any byte: a client that sends one byte a second would hold a connection for
/// ever. It also overlooks the end of a stream that arrives together with the last bytes, as it reads once for one
/// event; such a connection ends here too, rather than at the idle timeout.
final class Sweeper: Sendable {
  private let server: ServerCore
  private let timeout: Int64
  private let idleTimeout: Int64
  private let monitor = Monitor()
  private let isStopped = Atomic<Bool>(false)

  /// How long after a 408 was sent the connection ends in any case, and how long its handler may take to word it.
  private static let farewell: Int64 = 2000
  private static let wording: Int64 = 30_000
  /// The kernel's time of the last byte has the grain of its tick.
  private static let grain: Int64 = 20

  init(server: ServerCore) {
    self.server = server
    timeout = Int64(server.configuration.requestTimeoutSeconds) * 1000
    idleTimeout = Int64(server.configuration.idleTimeoutSeconds) * 1000
  }

  /// Sweeps about once a second until stopped. The thread's body.
  func run() {
    while !isStopped.load(ordering: .acquiring) {
      sweep()
      let next = Clock.now() + 1000
      monitor.locked { if !isStopped.load(ordering: .acquiring) { monitor.wait(until: next) } }
    }
  }

  func stop() {
    monitor.locked {
      isStopped.store(true, ordering: .releasing)
      monitor.notify()
    }
  }

  private func sweep() {
    let now = Clock.now()
    var late: [Connection] = []
    server.registry.forEachInSlices { connection in
      let since = connection.since.load(ordering: .relaxed)
      switch connection.phase.load(ordering: .acquiring) {
      case .idle: sweepIdle(connection, since: since, now: now)
      case .receivingHead where now - since > timeout || hasEnded(connection):
        if connection.move(.receivingHead, to: .dead) { Socket.end(connection.descriptor) }
      case .receivingBody where now - since > timeout:
        if connection.move(.receivingBody, to: .timedOut) { late.append(connection) }
      case .receivingBody where hasEnded(connection):
        if connection.move(.receivingBody, to: .dead) { Socket.end(connection.descriptor) }
      case .timedOut where hasSaidFarewell(connection, since: since, now: now), .dead:
        Socket.end(connection.descriptor)
      default: break
      }
    }
    late.forEach(answer)
  }

  /// The first request line has to arrive as soon after the connection as a whole request may take: the kernel's time of
  /// the last byte does not tell a client that sent a little at once from one that sent nothing, and both only hold a
  /// place. Later, between requests, only the idle timeout holds, unless bytes of the next request line have come: libmicrohttpd
  /// tells of a line that is complete, the kernel of every byte.
  private func sweepIdle(_ connection: Connection, since: Int64, now: Int64) {
    if hasEnded(connection) {
      if connection.move(.idle, to: .dead) { Socket.end(connection.descriptor) }
      return
    }
    if connection.isFresh.load(ordering: .relaxed) {
      if now - since > timeout, connection.move(.idle, to: .dead) { Socket.end(connection.descriptor) }
      return
    }
    var first = connection.firstByte.load(ordering: .relaxed)
    if first <= since {
      guard let silence = Socket.silence(connection.descriptor) else { return }
      first = now - silence
      if first <= since + Self.grain {
        if now - since > idleTimeout, connection.move(.idle, to: .dead) { Socket.end(connection.descriptor) }
        return
      }
      connection.firstByte.store(first, ordering: .relaxed)
    }
    if now - first > timeout, connection.move(.idle, to: .dead) {
      Socket.end(connection.descriptor)
    }
  }

  /// Whether the client has ended its sending direction, and had done so a sweep ago: the first time, its last bytes may
  /// just have been read and not yet been looked at, and be a request that is owed an answer.
  private func hasEnded(_ connection: Connection) -> Bool {
    let hasEnded = Socket.hasEnded(connection.descriptor)
    return connection.sawEnd.exchange(hasEnded, ordering: .relaxed) && hasEnded
  }

  private func hasSaidFarewell(_ connection: Connection, since: Int64, now: Int64) -> Bool {
    let answered = connection.answeredTimeout.load(ordering: .relaxed)
    return answered > 0 ? now - answered > Self.farewell : now - since > timeout + Self.wording
  }

  /// Lets the handler answer, and writes the answer beside libmicrohttpd, which waits for the rest of the body. Within
  /// TLS only the connection's own thread could write: there it just ends.
  private func answer(_ connection: Connection) {
    guard server.configuration.tls == nil else {
      server.registry.withOpen(connection) { Socket.end(connection.descriptor) }
      return
    }
    let request = connection.request(.timedOut)
    Task.immediate { [server] in
      let bytes = await server.handler(request).serialized(for: request.method)
      server.registry.withOpen(connection) {
        connection.lingers = true
        Socket.send(bytes, to: connection.descriptor)
        Socket.endSending(connection.descriptor)
        connection.answeredTimeout.store(Clock.now(), ordering: .relaxed)
      }
    }
  }
}
