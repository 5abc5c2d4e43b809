import Foundation
import Glibc

/// What stands where a node of the server should be: it says that it is ready, and fails at everything else.
public final class BrokenNode: @unchecked Sendable {
  /// What it does with a request.
  public enum Behaviour: CaseIterable, Sendable {
    /// It closes the connection without a byte.
    case closes
    /// It answers what is not HTTP.
    case babbles
    /// It never answers.
    case hangs
  }

  /// The port of 127.0.0.1 that it listens on.
  public let port: UInt16
  private let behaviour: Behaviour
  private let listener: Int32
  private let requests = LockedList<Bool>()
  private let ended = DispatchSemaphore(value: 0)
  // What is written to the one end of this pair ends the thread, which waits at the other.
  private let (end, ending): (Int32, Int32)

  /// Starts it.
  /// - Throws: `POSIXError` when there is no port.
  public init(_ behaviour: Behaviour) throws {
    signal(SIGPIPE, SIG_IGN)
    self.behaviour = behaviour
    port = FreePort.take()
    var pair: [Int32] = [-1, -1]
    socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0, &pair)
    (end, ending) = (pair[0], pair[1])
    guard let listener = LoopbackSocket.listen(port: port), end >= 0 else { throw POSIXError(.EADDRINUSE) }
    self.listener = listener
    Thread { self.run() }.start()
  }

  /// How many requests it failed at.
  public var requestCount: Int { requests.count }

  /// Closes everything. To be called once.
  public func remove() {
    close(end)
    ended.wait()
    close(ending)
  }

  private func run() {
    var open: Set<Int32> = []
    while true {
      let descriptors = [ending, listener] + open
      var entries = descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
      poll(&entries, nfds_t(entries.count), -1)
      if entries[0].revents != 0 { break }
      if entries[1].revents != 0 {
        let connection = LoopbackSocket.accept(listener)
        if connection >= 0 { open.insert(connection) }
      }
      for entry in entries.dropFirst(2) where entry.revents != 0 && !answer(entry.fd) {
        close(entry.fd)
        open.remove(entry.fd)
      }
    }
    for descriptor in open { close(descriptor) }
    close(listener)
    ended.signal()
  }

  /// - Returns: whether the connection stays open.
  private func answer(_ connection: Int32) -> Bool {
    // A test's requests are small, so that each arrives whole.
    var bytes = [UInt8](repeating: 0, count: 64 * 1024)
    let count = read(connection, &bytes, bytes.count)
    if count <= 0 { return false }
    if bytes.starts(with: Array("GET /readyz ".utf8)) {
      send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", over: connection)
      return false
    }
    requests.append(true)
    if behaviour == .babbles { send("qzxw kvjy\r\n\r\n", over: connection) }
    return behaviour == .hangs
  }

  private func send(_ text: String, over connection: Int32) {
    let bytes = Array(text.utf8)
    write(connection, bytes, bytes.count)
  }
}
