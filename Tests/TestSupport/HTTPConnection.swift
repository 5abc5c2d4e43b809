import Glibc

/// A response as it came over the socket.
public struct HTTPReply: Sendable {
  /// The status code of the status line.
  public var status: Int
  /// The header lines in order, names in lower case.
  public var headers: [(name: String, value: String)]
  /// The body, after removing a chunked transfer coding.
  public var body: [UInt8]

  /// The body as text.
  public var text: String { String(decoding: body, as: UTF8.self) }

  /// The first value of a header, by its lower-case name.
  public func header(_ name: String) -> String? { headers.first { $0.name == name }?.value }
}

/// Why a socket operation of a test ended.
public enum HTTPConnectionError: Error {
  /// `connect` failed with this `errno`.
  case refused(Int32)
  /// The peer closed or reset the connection before a whole response arrived.
  case closed
  /// Nothing arrived within the connection's time limit.
  case timedOut
  /// The peer sent something that is not HTTP/1.x.
  case malformed
}

/// A plain blocking HTTP/1.1 connection over loopback, for tests that need to decide about every byte: truncated and
/// slow requests, pipelining, half-closed sockets. Not thread-safe: one test, one connection.
public final class HTTPConnection {
  private var descriptor: Int32
  private var buffer: [UInt8] = []

  /// Connects over loopback.
  /// - Parameters:
  ///   - host: the last byte of the address 127.0.0.x.
  ///   - port: the server's TCP port.
  ///   - timeoutSeconds: the longest that one read or write may take before `timedOut`.
  /// - Throws: ``HTTPConnectionError/refused(_:)``.
  public init(host: UInt8 = 1, port: UInt16, timeoutSeconds: Int = 30) throws {
    // A peer that closes early must be an error here, not the end of the test process.
    signal(SIGPIPE, SIG_IGN)
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var limit = timeval(tv_sec: timeoutSeconds, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    var noDelay: Int32 = 1
    setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &noDelay, socklen_t(MemoryLayout<Int32>.size))
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = (0x7F00_0000 | UInt32(host)).bigEndian
    let result = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    if result != 0 {
      let code = errno
      Glibc.close(descriptor)
      descriptor = -1
      throw HTTPConnectionError.refused(code)
    }
  }

  deinit { close() }

  /// Closes the socket; later calls do nothing.
  public func close() {
    if descriptor >= 0 { Glibc.close(descriptor) }
    descriptor = -1
  }

  /// Ends the sending direction, as a client does that has nothing more to say.
  public func finishSending() { shutdown(descriptor, Int32(SHUT_WR)) }

  /// Sends bytes as they are.
  /// - Throws: ``HTTPConnectionError/closed`` when the peer has gone, ``HTTPConnectionError/timedOut``.
  public func send(_ bytes: [UInt8]) throws {
    var sent = 0
    while sent < bytes.count {
      let count = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress! + sent, bytes.count - sent) }
      if count > 0 {
        sent += count
      } else if errno == EAGAIN {
        throw HTTPConnectionError.timedOut
      } else if errno != EINTR {
        throw HTTPConnectionError.closed
      }
    }
  }

  /// Sends text as it is.
  public func send(_ text: String) throws { try send(Array(text.utf8)) }

  /// Sends one request with `Host` and `Content-Length` set, and waits for its response.
  public func request(
    _ method: String, _ path: String, headers: [(String, String)] = [], body: [UInt8]? = nil
  ) throws -> HTTPReply {
    try send(Self.requestBytes(method, path, headers: headers, body: body))
    return try receive(isHead: method == "HEAD")
  }

  /// The bytes of one request, for tests that send several at once or only a part.
  public static func requestBytes(
    _ method: String, _ path: String, headers: [(String, String)] = [], body: [UInt8]? = nil
  ) -> [UInt8] {
    var head = "\(method) \(path) HTTP/1.1\r\nHost: localhost\r\n"
    for (name, value) in headers { head += "\(name): \(value)\r\n" }
    if let body { head += "Content-Length: \(body.count)\r\n" }
    return Array((head + "\r\n").utf8) + (body ?? [])
  }

  /// Waits for the next response.
  /// - Parameter isHead: whether it answers a HEAD request and so has no body.
  /// - Returns: the first response that isn't an interim one.
  /// - Throws: ``HTTPConnectionError``.
  public func receive(isHead: Bool = false) throws -> HTTPReply {
    while true {
      let reply = try receiveAny(isHead: isHead)
      if reply.status != 100 { return reply }
    }
  }

  /// The status of the next response, interim ones such as 100 included.
  public func receiveInterim() throws -> Int { try receiveAny(isHead: false).status }

  /// Whether something arrives, or the peer closes, within a time. Lets a test go at a slow client's pace without
  /// sleeping past the moment it waits for.
  public func hasNews(within milliseconds: Int32) -> Bool {
    var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return !buffer.isEmpty || poll(&polled, 1, milliseconds) > 0
  }

  /// What else arrives until the peer closes the connection.
  public func receiveRest() throws -> String {
    do {
      while true { try fill() }
    } catch HTTPConnectionError.closed {}
    defer { buffer = [] }
    return String(decoding: buffer, as: UTF8.self)
  }

  /// Whether the peer closes the connection without sending anything more.
  public func waitForClose() throws -> Bool {
    if !buffer.isEmpty { return false }
    do {
      try fill()
      return false
    } catch HTTPConnectionError.closed {
      return true
    }
  }

  /// Waits until the peer has sent something or closed.
  /// - Parameter milliseconds: the longest wait; 0 only looks.
  /// - Returns: false when nothing came in that time.
  public func waitForInput(milliseconds: Int32) -> Bool {
    if !buffer.isEmpty { return true }
    var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&entry, 1, milliseconds) > 0
  }

  private func receiveAny(isHead: Bool) throws -> HTTPReply {
    let statusLine = try line().split(separator: " ", maxSplits: 2)
    guard statusLine.count >= 2, statusLine[0].hasPrefix("HTTP/1."), let status = Int(statusLine[1]) else {
      throw HTTPConnectionError.malformed
    }
    var reply = HTTPReply(status: status, headers: [], body: [])
    while true {
      let text = try line()
      if text.isEmpty { break }
      guard let colon = text.firstIndex(of: ":") else { throw HTTPConnectionError.malformed }
      let value = text[text.index(after: colon)...].drop { $0 == " " }
      reply.headers.append((text[..<colon].lowercased(), String(value)))
    }
    if isHead || status == 100 || status == 204 || status == 304 { return reply }
    if reply.header("transfer-encoding")?.lowercased() == "chunked" {
      while true {
        guard let size = Int(try line(), radix: 16) else { throw HTTPConnectionError.malformed }
        reply.body += try take(size)
        _ = try line()
        if size == 0 { return reply }
      }
    }
    if let length = reply.header("content-length").flatMap({ Int($0) }) {
      reply.body = try take(length)
      return reply
    }
    while true {
      do { try fill() } catch HTTPConnectionError.closed { break }
    }
    reply.body = buffer
    buffer = []
    return reply
  }

  private func line() throws -> String {
    while true {
      if let end = buffer.firstIndex(of: 0x0A) {
        let text = String(decoding: buffer[..<end].filter { $0 != 0x0D }, as: UTF8.self)
        buffer.removeSubrange(...end)
        return text
      }
      try fill()
    }
  }

  private func take(_ count: Int) throws -> [UInt8] {
    while buffer.count < count { try fill() }
    defer { buffer.removeFirst(count) }
    return Array(buffer.prefix(count))
  }

  private func fill() throws {
    var chunk = [UInt8](repeating: 0, count: 64 * 1024)
    let count = read(descriptor, &chunk, chunk.count)
    if count > 0 {
      buffer += chunk.prefix(count)
    } else if count == 0 {
      throw HTTPConnectionError.closed
    } else if errno == EAGAIN {
      throw HTTPConnectionError.timedOut
    } else if errno != EINTR {
      throw HTTPConnectionError.closed
    }
  }
}
