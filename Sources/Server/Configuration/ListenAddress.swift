import Glibc

/// An address literal and a port to accept connections on, such as `127.0.0.1:8080` or `[::1]:8080`.
///
/// Host names are refused: what a name stands for can change between two starts, and whether the server can be reached
/// from outside should be readable in its configuration.
public struct ListenAddress: Hashable, Sendable, CustomStringConvertible {
  /// The kind of address literal.
  public enum Family: Sendable {
    /// Four decimal numbers.
    case ipv4
    /// Written in brackets.
    case ipv6
  }

  /// The kind of `host`.
  public let family: Family
  /// The address in its canonical spelling, without brackets.
  public let host: String
  /// The port; 0 lets the system choose a free one.
  public let port: UInt16

  /// Reads `ADDRESS:PORT`; `nil` for anything else.
  public init?(_ text: String) {
    guard let colon = text.lastIndex(of: ":"), let port = decimal(text[text.index(after: colon)...]),
      let port = UInt16(exactly: port)
    else { return nil }
    var host = text[..<colon]
    if host.hasPrefix("[") && host.hasSuffix("]") {
      host = host.dropFirst().dropLast()
      family = .ipv6
    } else {
      family = .ipv4
    }
    guard let canonical = Self.canonical(String(host), family == .ipv4 ? AF_INET : AF_INET6) else { return nil }
    self.host = canonical
    self.port = port
  }

  /// The form it is configured in.
  public var description: String { family == .ipv4 ? "\(host):\(port)" : "[\(host)]:\(port)" }

  private static func canonical(_ host: String, _ family: Int32) -> String? {
    withUnsafeTemporaryAllocation(byteCount: 16, alignment: 8) { address in
      guard inet_pton(family, host, address.baseAddress) == 1 else { return nil }
      return withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(INET6_ADDRSTRLEN)) { text in
        guard inet_ntop(family, address.baseAddress, text.baseAddress, socklen_t(text.count)) != nil else { return nil }
        return String(cString: text.baseAddress!)  // `inet_ntop` ended it with a zero byte
      }
    }
  }
}

extension ValueParser where Value == ListenAddress {
  /// An address literal and a port.
  public static let listenAddress = ValueParser(
    "ADDRESS:PORT", expecting: "an IPv4 address, or an IPv6 address in brackets, a colon and a port from 0 to 65535"
  ) { ListenAddress($0) }
}
