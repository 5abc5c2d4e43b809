internal import CMicroHTTPD
import Glibc
import Synchronization

/// An HTTP/1.1 server on libmicrohttpd: a request is a value, a response is a value, and a handler is an asynchronous
/// function between them.
///
/// The handler is called on one of the server's threads, and runs there until it first suspends: it must not block, and
/// must not be isolated to an actor that insists on another thread. It is called once for every request whose head is
/// well-formed, also for one whose body is refused (see ``RequestBody``).
///
/// A few malformed requests are answered by libmicrohttpd itself, with a short static HTML page that repeats nothing of
/// the request, and the connection closes: a head far beyond the limit (414, 431), a line that isn't HTTP (400), a version
/// other than 1.x (505), a length that isn't a number or is beyond 64 bits (400, 413), a malformed chunk (400, 413).
public final class HTTPServer: Sendable {
  /// The TCP port the server listens on; the real one where the configuration says 0.
  public let port: UInt16

  private let core: ServerCore
  /// libmicrohttpd's daemon, made for use by several threads; stopped once, by whoever moves ``state`` on.
  private nonisolated(unsafe) let daemon: OpaquePointer
  private let listeningSocket: Int32
  private let sweeper: Sweeper
  private let threads: [Thread]
  private let state = Atomic<Int>(0)
  private let stopped = Monitor()

  /// Starts a server.
  /// - Parameters:
  ///   - configuration: where to listen, and the limits.
  ///   - bodyLimit: the most bytes of a request's body, as sent and inflated, asked when the head has arrived. Called
  ///     on the server's threads; it must be quick.
  ///   - handler: answers a request.
  /// - Throws: ``HTTPServerError`` when it can't listen, or the configuration can't be used.
  public init(
    configuration: Configuration, bodyLimit: @escaping @Sendable (RequestHead) -> Int,
    handler: @escaping @Sendable (Request) async -> Response
  ) throws(HTTPServerError) {
    let connectionLimit = try configuration.checked()
    let core = try ServerCore(configuration: configuration, bodyLimit: bodyLimit, handler: handler)
    let sweeper = Sweeper(server: core)
    let socket = try ListeningSocket(address: configuration.address, port: configuration.port)
    let identity = Socket.identity(socket.descriptor)
    let pem = configuration.tls.map {
      ($0.certificate.map(CChar.init(bitPattern:)) + [0], $0.key.map(CChar.init(bitPattern:)) + [0])
    }
    // The library parses the PEM text while it starts, and does not look at it again.
    let daemon = withPointer(pem?.0) { certificate in
      withPointer(pem?.1) { key in
        var settings = CMicroHTTPDSettings(
          listening_socket: socket.descriptor, threads: UInt32(configuration.threads),
          connection_limit: UInt32(connectionLimit),
          connection_memory: configuration.headerLimitBytes + Configuration.responseHeadBytes,
          idle_timeout: UInt32(configuration.silenceSeconds), certificate: certificate, key: key,
          context: Unmanaged.passUnretained(core).toOpaque(), access: Callbacks.access,
          request_line: Callbacks.requestLine, completed: Callbacks.completed, connection: Callbacks.connection)
        return CMicroHTTPDStart(&settings)
      }
    }
    guard let daemon else {
      let code = errno
      // The library closes the socket in some of its failures. Closed twice, its number could be another's by then.
      if Socket.identity(socket.descriptor) == identity { close(socket.descriptor) }
      throw configuration.tls == nil ? .system("MHD_start_daemon", code) : .badCertificate
    }
    var threads: [Thread] = []
    do throws(HTTPServerError) {
      threads.append(try Thread { sweeper.run() })
      threads.append(try Thread { core.lingering.run() })
    } catch {
      sweeper.stop()
      threads.forEach { $0.join() }
      MHD_stop_daemon(daemon)
      throw error
    }
    self.core = core
    self.daemon = daemon
    self.sweeper = sweeper
    self.threads = threads
    listeningSocket = socket.descriptor
    port = socket.port
  }

  deinit { stop(gracePeriodSeconds: 0) }

  /// Stops the server, and returns when it has stopped. A second call waits for the first one; neither may come from
  /// the handler.
  ///
  /// New connections are refused at once and idle ones closed. Requests that have arrived are answered, those that are
  /// arriving may go on, for at most the grace period; then every connection is closed, and a handler that still runs
  /// answers in vain.
  /// - Parameter gracePeriodSeconds: 0 or more.
  public func stop(gracePeriodSeconds: Int) {
    if !state.compareExchange(expected: 0, desired: 1, ordering: .acquiringAndReleasing).exchanged {
      stopped.locked {
        while state.load(ordering: .acquiring) != 2 { stopped.wait(until: Clock.now() + 1000) }
      }
      return
    }
    core.isStopping.store(true, ordering: .sequentiallyConsistent)
    stopListening()
    drain(until: Clock.now() + Int64(max(0, gracePeriodSeconds)) * 1000)
    abandonRest()
    MHD_stop_daemon(daemon)
    sweeper.stop()
    core.lingering.stop()
    threads.forEach { $0.join() }
    stopped.locked {
      state.store(2, ordering: .releasing)
      stopped.notify()
    }
  }

  /// Puts a socket that doesn't listen in the place of the one that does, which closes it. `MHD_quiesce_daemon` is no
  /// use here: it removes the socket from the threads' epoll sets while they may do so too, and aborts the process when
  /// it comes second.
  private func stopListening() {
    let idle = Socket.tcp(family: AF_INET)
    if idle >= 0, dup2(idle, listeningSocket) >= 0 {
      _ = fcntl(listeningSocket, F_SETFD, FD_CLOEXEC)
      close(idle)
    } else {
      Socket.end(listeningSocket)  // no descriptor left: refuses too, at the cost of a busy thread
    }
  }

  private func drain(until deadline: Int64) {
    repeat {
      core.registry.forEach { connection in
        // Only the receiving direction: a request that has just arrived is still read and answered.
        if connection.phase.load(ordering: .acquiring) == .idle { Socket.endReceiving(connection.descriptor) }
      }
    } while !core.registry.waitUntilEmpty(until: min(deadline, Clock.now() + 20)) && Clock.now() < deadline
  }

  /// Closes what is left, before libmicrohttpd is stopped: it aborts the process when a connection is put aside then,
  /// and crashes when it wants to answer a malformed request while it stops (0.9.75).
  ///
  /// From the flag on none is put aside for long: whoever does it looks at the flag afterwards. The time limit only
  /// matters with a handler that blocks its thread.
  private func abandonRest() {
    core.isAbandoning.store(true, ordering: .sequentiallyConsistent)
    let deadline = Clock.now() + 5000
    repeat {
      core.registry.forEach { connection in
        connection.abandon()
        Socket.end(connection.descriptor)
      }
    } while !core.registry.waitUntilEmpty(until: min(deadline, Clock.now() + 20)) && Clock.now() < deadline
    while core.resuming.load(ordering: .sequentiallyConsistent) > 0 { sched_yield() }
  }
}

private func withPointer<Result>(_ text: [CChar]?, _ body: (UnsafePointer<CChar>?) -> Result) -> Result {
  guard let text else { return body(nil) }
  return text.withUnsafeBufferPointer { body($0.baseAddress) }
}
