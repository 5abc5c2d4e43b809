import Glibc
import Synchronization

/// Ports for servers that must come back on the same one. They lie below those that the system gives to outgoing
/// connections, so that none of these can take the port while its server is away.
public enum FreePort {
  private static let given = Mutex<Set<UInt16>>([])

  /// A port of 127.0.0.1 that nobody listens on, and that this process was never given before.
  public static func take() -> UInt16 {
    while true {
      let port = UInt16.random(in: 10_240..<32_768)
      if given.withLock({ $0.insert(port).inserted }), isFree(port) { return port }
    }
  }

  private static func isFree(_ port: UInt16) -> Bool {
    guard let descriptor = LoopbackSocket.listen(port: port, backlog: 1) else { return false }
    close(descriptor)
    return true
  }
}

/// What tests need of TCP sockets on 127.0.0.1.
enum LoopbackSocket {
  /// A listening socket that doesn't block; nil when the port is taken.
  static func listen(port: UInt16, backlog: Int32 = 128) -> Int32? {
    let descriptor = open()
    var reuse: Int32 = 1
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &reuse, socklen_t(MemoryLayout<Int32>.size))
    guard withAddress(port, { bind(descriptor, $0, $1) }) == 0, Glibc.listen(descriptor, backlog) == 0 else {
      close(descriptor)
      return nil
    }
    return descriptor
  }

  /// A connected socket that doesn't block; nil when nobody listens.
  static func connect(port: UInt16) -> Int32? {
    let descriptor = open()
    // Over loopback the answer is there before `connect` returns, unless the listener's backlog is full.
    guard withAddress(port, { Glibc.connect(descriptor, $0, $1) }) == 0 || errno == EINPROGRESS else {
      close(descriptor)
      return nil
    }
    return descriptor
  }

  /// The next connection to a listener, which doesn't block either; negative when there is none.
  static func accept(_ listener: Int32) -> Int32 {
    inheritance.withLock {
      let descriptor = Glibc.accept(listener, nil, nil)
      if descriptor >= 0 {
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
      }
      return descriptor
    }
  }

  private static func open() -> Int32 {
    socket(
      AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
  }

  private static func withAddress(_ port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    return withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<sockaddr_in>.size)) }
    }
  }
}
