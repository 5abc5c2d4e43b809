import Glibc

/// A bound and listening TCP socket.
struct ListeningSocket {
  let descriptor: Int32
  let port: UInt16

  /// Listens on an address literal.
  ///
  /// `SO_REUSEADDR` lets a restarted server listen at once; two live servers on one port stay impossible.
  init(address: String, port: UInt16) throws(HTTPServerError) {
    var storage = sockaddr_storage()
    let length: socklen_t
    var v4 = in_addr()
    var v6 = in6_addr()
    if inet_pton(AF_INET, address, &v4) == 1 {
      length = Self.fill(&storage, with: sockaddr_in.self) {
        $0.sin_family = sa_family_t(AF_INET)
        $0.sin_port = port.bigEndian
        $0.sin_addr = v4
      }
    } else if inet_pton(AF_INET6, address, &v6) == 1 {
      length = Self.fill(&storage, with: sockaddr_in6.self) {
        $0.sin6_family = sa_family_t(AF_INET6)
        $0.sin6_port = port.bigEndian
        $0.sin6_addr = v6
      }
    } else {
      throw .notAnAddress(address)
    }
    let descriptor = Socket.tcp(family: Int32(storage.ss_family))
    if descriptor < 0 { throw .system("socket", errno) }
    var one: Int32 = 1
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &one, socklen_t(MemoryLayout<Int32>.size))
    do throws(HTTPServerError) {
      let bound = Self.withAddress(&storage) { bind(descriptor, $0, length) }
      if bound != 0 { throw Self.failure(errno, call: "bind", address: address, port: port) }
      // The kernel lowers it to net.core.somaxconn.
      if listen(descriptor, 4096) != 0 {
        throw Self.failure(errno, call: "listen", address: address, port: port)
      }
      var actual = length
      if Self.withAddress(&storage, { getsockname(descriptor, $0, &actual) }) != 0 {
        throw .system("getsockname", errno)
      }
    } catch {
      close(descriptor)
      throw error
    }
    self.descriptor = descriptor
    // The port is at the same place in both families.
    self.port = withUnsafeBytes(of: &storage) {
      UInt16(bigEndian: $0.loadUnaligned(fromByteOffset: MemoryLayout<sa_family_t>.size, as: UInt16.self))
    }
  }

  private static func failure(_ code: Int32, call: String, address: String, port: UInt16) -> HTTPServerError {
    switch code {
    case EADDRINUSE: .addressInUse(address, port)
    case EADDRNOTAVAIL: .addressNotAvailable(address)
    case EACCES, EPERM: .permissionDenied(port)
    default: .system(call, code)
    }
  }

  /// Every socket address type fits into `sockaddr_storage` and shares its alignment.
  private static func fill<Address>(
    _ storage: inout sockaddr_storage, with type: Address.Type, _ body: (inout Address) -> Void
  ) -> socklen_t {
    withUnsafeMutableBytes(of: &storage) {
      body(&$0.baseAddress!.assumingMemoryBound(to: type).pointee)
    }
    return socklen_t(MemoryLayout<Address>.size)
  }

  private static func withAddress<Result>(
    _ storage: inout sockaddr_storage, _ body: (UnsafeMutablePointer<sockaddr>) -> Result
  ) -> Result {
    withUnsafeMutablePointer(to: &storage) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1, body)
    }
  }
}
