extension HTTPServer {
  /// What a server is started with.
  public struct Configuration: Sendable {
    /// An IPv4 or IPv6 address literal, without brackets. `0.0.0.0` is every IPv4 address, `::` every address.
    public var address: String
    /// The TCP port; 0 lets the system choose, and ``HTTPServer/port`` tells.
    public var port: UInt16
    /// The number of threads that serve connections, 1 or more.
    public var threads: Int
    /// The most connections at once, in equal shares for the threads; further ones wait unaccepted until one closes.
    /// At least as many as threads. Lowered to what the process may
    /// open: the soft `RLIMIT_NOFILE`, less 64 or a quarter, less 256 or an eighth for connections that are being closed,
    /// less ``reservedDescriptors``.
    public var connectionLimit: Int
    /// Descriptors that something else in the process needs and that connections must leave free. Running out of them
    /// harms more than connections.
    public var reservedDescriptors = 0
    /// The most bytes of a request's line and headers together, 64 more counted for each header line. A connection
    /// costs this memory, and ``responseHeadBytes`` more, while it is open.
    public var headerLimitBytes: Int
    /// The seconds after which a connection without a request ends, kept to about a second. A response that the client
    /// does not take ends its connection after the longer of this and the request's time.
    public var idleTimeoutSeconds: Int
    /// The longest, in seconds, from a request's first byte to its last, kept to about a second. The first request line
    /// of a connection has this long from the connection on.
    public var requestTimeoutSeconds: Int
    /// The certificate and its key, for HTTPS; nil for HTTP.
    public var tls: TLS?
    /// The header fields a handler may see. All others are forgotten before it is called.
    public var keptHeaders: [HeaderName]
    /// The answer to a request that is refused before it can be a ``Request``; called with 400 (malformed or ambiguous
    /// head), 431 (head beyond the limit) or 501 (a transfer coding other than chunked). The connection closes after it.
    public var refusal: @Sendable (Int) -> Response

    /// The most bytes of a response's status line and header fields; the connection closes without a response that
    /// needs more.
    public static let responseHeadBytes = 4096

    /// Makes a configuration; see the properties for units and ranges.
    public init(
      address: String = "127.0.0.1", port: UInt16 = 0, threads: Int = 2, connectionLimit: Int = 10_000,
      headerLimitBytes: Int = 16 * 1024, idleTimeoutSeconds: Int = 60, requestTimeoutSeconds: Int = 30,
      tls: TLS? = nil, keptHeaders: [HeaderName] = [],
      refusal: @escaping @Sendable (Int) -> Response = { Response(status: $0) }
    ) {
      self.address = address
      self.port = port
      self.threads = threads
      self.connectionLimit = connectionLimit
      self.headerLimitBytes = headerLimitBytes
      self.idleTimeoutSeconds = idleTimeoutSeconds
      self.requestTimeoutSeconds = requestTimeoutSeconds
      self.tls = tls
      self.keptHeaders = keptHeaders
      self.refusal = refusal
    }
  }

  /// A certificate chain and its private key. TLS 1.2 and 1.3 are offered.
  public struct TLS: Sendable, CustomStringConvertible, CustomReflectable {
    /// PEM: the server's certificate first, then the intermediate ones.
    public var certificate: [UInt8]
    /// PEM: the private key, without a passphrase.
    public var key: [UInt8]

    /// Makes a pair; it is checked when a server starts with it.
    public init(certificate: [UInt8], key: [UInt8]) {
      self.certificate = certificate
      self.key = key
    }

    /// The type's name alone, as the key is a secret.
    public var description: String { "TLS" }
    /// No children.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
  }
}
