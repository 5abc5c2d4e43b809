/// What a handler answers.
public struct Response: Sendable {
  /// The status code, 200 to 599. Anything else is sent as 500.
  public var status: Int
  /// Header fields in the order they are sent. `Content-Length`, `Date`, `Transfer-Encoding` and `Connection` belong
  /// to the server and are left out, as is a field with a control character in its name or value. All together must
  /// fit into ``HTTPServer/Configuration/responseHeadBytes``.
  public var headers: [(name: String, value: String)]
  /// The body. A response to a HEAD request carries its length instead of it; 204 and 304 carry neither.
  public var body: [UInt8]
  /// Whether the server closes the connection after this response.
  public var closesConnection: Bool

  /// Makes a response.
  public init(
    status: Int, headers: [(name: String, value: String)] = [], body: [UInt8] = [], closesConnection: Bool = false
  ) {
    self.status = status
    self.headers = headers
    self.body = body
    self.closesConnection = closesConnection
  }
}
