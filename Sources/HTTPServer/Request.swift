/// A request whose arrival is over: complete, or refused for one of the reasons in ``RequestBody``.
///
/// Nothing of a request is kept beyond what is here, and of its header fields only those that
/// ``HTTPServer/Configuration/keptHeaders`` names.
public struct Request: Sendable {
  /// What the client wants to be done.
  public enum Method: Sendable, Hashable {
    case get, head, post, put, patch, delete, options
    /// Any method that no case names.
    case other
  }

  /// The method.
  public var method: Method
  /// The path as sent, without the query and without percent-decoding. Of a target in absolute form
  /// (`http://host/path`) the part from the path on.
  public var path: String
  /// The parameters of the query in order, percent-decoded, `+` as a space. A malformed escape stays as it is; bytes
  /// that aren't UTF-8 become U+FFFD. A parameter without `=` has an empty value.
  public var query: [(name: String, value: String)]
  /// The body, or why there is none.
  public var body: RequestBody
  var keptHeaders: [(name: HeaderName, value: String)]

  /// Makes a request, for tests of a handler.
  public init(
    method: Method, path: String, query: [(name: String, value: String)] = [],
    headers: [(name: HeaderName, value: String)] = [], body: RequestBody = .bytes([])
  ) {
    self.method = method
    self.path = path
    self.query = query
    self.body = body
    keptHeaders = headers
  }

  /// The values of a kept header in the order of their lines, without white space around them. Empty when it wasn't
  /// sent or isn't kept.
  public func headers(_ name: HeaderName) -> [String] {
    keptHeaders.filter { $0.name == name }.map(\.value)
  }
}

/// What is known of a request before its body arrives.
public struct RequestHead: Sendable {
  /// The method.
  public var method: Request.Method
  /// The path, as in ``Request/path``.
  public var path: String

  /// Makes a head, for tests of a body limit.
  public init(method: Request.Method, path: String) {
    self.method = method
    self.path = path
  }
}

/// The body of a request, or why there is none.
public enum RequestBody: Sendable {
  /// The whole body, after removing the transfer and content codings. Empty when there was none.
  case bytes([UInt8])
  /// The body is larger than the limit, as sent or inflated. The connection closes after the response.
  case tooLarge
  /// The gzip stream is broken, ends early, or is followed by something that isn't another gzip member.
  case undecodable
  /// The content coding is neither gzip nor identity.
  case unsupportedEncoding
  /// The body did not arrive within ``HTTPServer/Configuration/requestTimeoutSeconds``. The connection closes after
  /// the response.
  case timedOut
}
