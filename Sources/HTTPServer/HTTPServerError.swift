import Glibc

/// Why a server did not start. The text tells the operator what to do next.
public enum HTTPServerError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The address isn't an IPv4 or IPv6 literal.
  case notAnAddress(String)
  /// Another process listens on the address and port.
  case addressInUse(String, UInt16)
  /// The address isn't one of this machine.
  case addressNotAvailable(String)
  /// The process may not listen on the port.
  case permissionDenied(UInt16)
  /// The certificate or the key can't be read, or they don't belong together.
  case badCertificate
  /// A number in the configuration is out of its range.
  case outOfRange(String)
  /// The process may not open enough descriptors for a single connection.
  case tooFewDescriptors(Int)
  /// A system call failed with this `errno`.
  case system(String, Int32)

  /// The failure, and what to do about it.
  public var description: String {
    switch self {
    case .notAnAddress(let text):
      "'\(text)' is not an IP address: give a literal such as 127.0.0.1, 0.0.0.0 or ::1, not a host name."
    case .addressInUse(let address, let port):
      "Port \(port) on \(address) is in use: stop the process that listens there, or choose another port."
    case .addressNotAvailable(let address):
      "\(address) is not an address of this machine: choose one that `ip address` shows, or 0.0.0.0 for all."
    case .permissionDenied(let port):
      "Listening on port \(port) is not permitted: choose a port from 1024 on, or grant CAP_NET_BIND_SERVICE."
    case .badCertificate:
      "The TLS certificate and key can't be used: both must be PEM, the key without a passphrase, and belong together."
    case .outOfRange(let text): "\(text)."
    case .tooFewDescriptors(let limit):
      "The process may open only \(limit) files: raise the limit (ulimit -n, or LimitNOFILE= in the service unit)."
    case .system(let call, let code):
      "\(call) failed: \(String(cString: strerror(code))) (errno \(code))."
    }
  }
}
