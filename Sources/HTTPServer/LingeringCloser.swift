import Glibc

/// Reads on for a while from connections that were ended while their client was still sending.
///
/// Closing a socket with unread bytes resets the connection, and a reset may reach the client before it has read the
/// response. Closing the duplicate of a descriptor later than the descriptor avoids that. So the sending direction ends
/// first, and what arrives is discarded until the client ends too, or has sent a mebibyte, or two seconds have passed.
///
/// `@unchecked Sendable`: `incoming` and `isStopped` are only touched under the monitor's lock; `wakeup` is set once.
final class LingeringCloser: @unchecked Sendable {
  private struct Entry {
    var descriptor: Int32
    var deadline: Int64
    var remaining = 1024 * 1024
  }

  /// The most connections at once: further ones are closed at once.
  private let capacity: Int
  private static let patience: Int64 = 2000

  private let monitor = Monitor()
  /// What is written to one end ends the other thread's poll.
  private let wakeup: (read: Int32, write: Int32)
  private var incoming: [Entry] = []
  private var count = 0
  private var isStopped = false

  /// - Parameter capacity: the most connections that are held at once.
  /// - Throws: ``HTTPServerError/system(_:_:)``.
  init(capacity: Int) throws(HTTPServerError) {
    self.capacity = capacity
    guard let pair = Socket.pair() else { throw .system("socketpair", errno) }
    wakeup = pair
  }

  deinit {
    close(wakeup.read)
    close(wakeup.write)
  }

  /// Takes over a descriptor.
  func add(_ descriptor: Int32) {
    Socket.endSending(descriptor)
    let isTaken = monitor.locked {
      if isStopped || count >= capacity { return false }
      count += 1
      incoming.append(Entry(descriptor: descriptor, deadline: Clock.now() + Self.patience))
      return true
    }
    if isTaken { wake() } else { close(descriptor) }
  }

  func stop() {
    monitor.locked { isStopped = true }
    wake()
  }

  /// Reads and discards until stopped. The thread's body.
  func run() {
    var entries: [Entry] = []
    while true {
      let goesOn = monitor.locked {
        entries += incoming
        incoming = []
        return !isStopped
      }
      if !goesOn { break }
      wait(for: entries)
      let now = Clock.now()
      let before = entries.count
      entries.removeAll { entry in
        let isOver = now >= entry.deadline
        if isOver { close(entry.descriptor) }
        return isOver
      }
      for index in entries.indices.reversed() where !Self.discard(&entries[index]) {
        close(entries[index].descriptor)
        entries.remove(at: index)
      }
      let ended = before - entries.count
      if ended > 0 { monitor.locked { count -= ended } }
    }
    entries.forEach { close($0.descriptor) }
  }

  private func wait(for entries: [Entry]) {
    var polled = entries.map { pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0) }
    polled.append(pollfd(fd: wakeup.read, events: Int16(POLLIN), revents: 0))
    let first = entries.map(\.deadline).min()
    poll(&polled, nfds_t(polled.count), first.map { Int32(max(0, min($0 - Clock.now() + 1, 10_000))) } ?? -1)
    var signals = [UInt8](repeating: 0, count: 64)
    while read(wakeup.read, &signals, signals.count) == signals.count {}
  }

  private func wake() {
    var signal: UInt8 = 1
    _ = write(wakeup.write, &signal, 1)  // full means that it wakes anyway
  }

  /// Whether there may be more to come.
  private static func discard(_ entry: inout Entry) -> Bool {
    while entry.remaining > 0 {
      let count = Socket.discard(min(entry.remaining, 256 * 1024), from: entry.descriptor)
      if count == 0 { return false }
      if count < 0 { return errno == EAGAIN || errno == EINTR }
      entry.remaining -= count
    }
    return false
  }
}
