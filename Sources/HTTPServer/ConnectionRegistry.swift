import Glibc

/// The open connections.
///
/// A socket may be shut down or written to from outside its own thread only under the lock and while the connection is
/// here: it leaves, under the same lock, before libmicrohttpd closes the descriptor, so its number can't belong to
/// another file by then.
///
/// `@unchecked Sendable`: `connections` is only touched under the monitor's lock.
final class ConnectionRegistry: @unchecked Sendable {
  let monitor = Monitor()
  private var connections: [Connection] = []

  func insert(_ connection: Connection) {
    monitor.locked {
      connection.slot = connections.count
      connections.append(connection)
    }
  }

  /// Takes a connection out whose descriptor is about to be closed.
  /// - Returns: a duplicate of the descriptor, when there is reason to read on for a while.
  func remove(_ connection: Connection) -> Int32? {
    monitor.locked {
      let last = connections.removeLast()
      if last !== connection {
        connections[connection.slot] = last
        last.slot = connection.slot
      }
      connection.isOpen = false
      if connections.isEmpty { monitor.notify() }
      let lingers = connection.lingers || Socket.hasUnread(connection.descriptor)
      return lingers ? fcntl(connection.descriptor, F_DUPFD_CLOEXEC, 0) : nil
    }
  }

  /// Calls a function for each connection, all under the lock.
  func forEach(_ body: (Connection) -> Void) {
    monitor.locked { connections.forEach(body) }
  }

  /// Calls a function for each connection, letting go of the lock now and then, so that thousands of them don't keep
  /// others from coming and going. One that comes meanwhile may be missed.
  func forEachInSlices(_ body: (Connection) -> Void) {
    var end = Int.max
    while end > 0 {
      monitor.locked {
        // From the end, as a connection that goes is replaced by the last one.
        end = min(end, connections.count)
        let start = max(0, end - 64)
        connections[start..<end].forEach(body)
        end = start
      }
    }
  }

  /// Does something with a connection's socket, unless it is gone.
  func withOpen(_ connection: Connection, _ body: () -> Void) {
    monitor.locked { if connection.isOpen { body() } }
  }

  /// Waits until there is no connection any more, or until a time.
  /// - Returns: whether there is none.
  func waitUntilEmpty(until deadline: Int64) -> Bool {
    monitor.locked {
      while !connections.isEmpty {
        if Clock.now() >= deadline { return false }
        monitor.wait(until: deadline)
      }
      return true
    }
  }
}
