internal import CMicroHTTPD
import Glibc

/// The few socket calls the module makes itself.
///
/// In one file, as the constants come with the headers of libmicrohttpd as well as with Glibc, and the optimising
/// compiler finds them only where both are imported.
enum Socket {
  /// A TCP socket that doesn't block and doesn't pass to child processes; -1 when it fails.
  static func tcp(family: Int32) -> Int32 {
    socket(family, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
  }

  /// Two connected sockets of this kind within the process; nil when it fails.
  static func pair() -> (Int32, Int32)? {
    var pair: [Int32] = [-1, -1]
    let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
    return socketpair(AF_UNIX, type, 0, &pair) == 0 ? (pair[0], pair[1]) : nil
  }

  /// Tells a socket from every other one that may come to have its descriptor; nil where there is none.
  static func identity(_ descriptor: Int32) -> UInt64? {
    var status = stat()
    return fstat(descriptor, &status) == 0 ? UInt64(status.st_ino) : nil
  }

  /// Ends both directions.
  static func end(_ descriptor: Int32) { shutdown(descriptor, Int32(SHUT_RDWR)) }

  /// Ends the sending direction: the client sees the end of the stream.
  static func endSending(_ descriptor: Int32) { shutdown(descriptor, Int32(SHUT_WR)) }

  /// Ends the receiving direction: what has arrived can still be read, then comes the end of the stream.
  static func endReceiving(_ descriptor: Int32) { shutdown(descriptor, Int32(SHUT_RD)) }

  /// Whether the peer has ended its sending direction, and all it sent has been read.
  static func hasEnded(_ descriptor: Int32) -> Bool {
    var byte: UInt8 = 0
    return recv(descriptor, &byte, 1, Int32(MSG_DONTWAIT | MSG_PEEK)) == 0
  }

  /// Whether bytes have arrived that nobody has read.
  static func hasUnread(_ descriptor: Int32) -> Bool {
    var byte: UInt8 = 0
    return recv(descriptor, &byte, 1, Int32(MSG_DONTWAIT | MSG_PEEK)) > 0
  }

  /// The milliseconds since bytes last arrived, as exact as the kernel's tick; nil when it can't tell.
  static func silence(_ descriptor: Int32) -> Int64? {
    var info = tcp_info()
    var size = socklen_t(MemoryLayout<tcp_info>.size)
    guard getsockopt(descriptor, Int32(IPPROTO_TCP), TCP_INFO, &info, &size) == 0 else { return nil }
    return Int64(info.tcpi_last_data_recv)
  }

  /// Sends as much as the socket takes at once.
  static func send(_ bytes: [UInt8], to descriptor: Int32) {
    _ = bytes.withUnsafeBytes {
      Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_DONTWAIT | MSG_NOSIGNAL))
    }
  }

  /// Discards up to a number of bytes that have arrived; with MSG_TRUNC the kernel doesn't even copy them.
  /// - Returns: how many, 0 at the end of the stream, or -1 with `errno`.
  static func discard(_ count: Int, from descriptor: Int32) -> Int {
    recv(descriptor, nil, count, Int32(MSG_DONTWAIT | MSG_TRUNC))
  }
}
