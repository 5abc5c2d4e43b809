/// What carries a request to the server and brings the answer back. Tests script one; ``URLSessionTransport`` is the real
/// one.
public protocol Transport: Sendable {
  /// Sends a request.
  /// - Parameter request: the request.
  /// - Returns: the answer, whatever its status. Redirections are answers too, and are not followed.
  /// - Throws: ``TransportError`` where there was none.
  func send(_ request: UploadRequest) async throws(TransportError) -> UploadAnswer
}

/// A request of the client: a POST with a JSON body.
public struct UploadRequest: Sendable {
  /// The path at the server, such as `/v1/analytics/events`.
  public let path: String
  /// The body as it is sent.
  public let body: [UInt8]
  /// Whether the body is compressed with gzip.
  public let isCompressed: Bool
  /// The access token for the header `Authorization`, without `Bearer`; `nil` for an anonymous request.
  public let accessToken: String?
}

/// The server's answer, as far as the client looks at it.
public struct UploadAnswer: Sendable {
  /// The HTTP status.
  public let status: Int
  /// The first bytes of the body, at most ``maximumBody``.
  public let body: [UInt8]
  /// The header `Retry-After`, where it is a number of seconds.
  public let retryAfterSeconds: Int?

  /// More than the one body that the client has to understand needs.
  public static let maximumBody = 4096

  /// - Parameters:
  ///   - status: the HTTP status.
  ///   - body: the body's first bytes.
  ///   - retryAfterSeconds: the header `Retry-After`, where it is a number of seconds.
  public init(status: Int, body: [UInt8] = [], retryAfterSeconds: Int? = nil) {
    self.status = status
    self.body = body
    self.retryAfterSeconds = retryAfterSeconds
  }
}

/// Why there was no answer. It carries nothing of the request.
public enum TransportError: Error {
  /// The network did not carry the request or the answer.
  case network
  /// The task was cancelled.
  case cancelled
}

/// Where the app gets access tokens from. Only the containing app has one: the keyboard's client can't be given any.
public protocol AccessTokenSource: Sendable {
  /// The access token of the account that is signed in; `nil` where none is.
  func accessToken() async -> String?

  /// A new token, after the server has refused one.
  /// - Parameter rejected: the refused token.
  /// - Returns: another token, or `nil` where there is none.
  func refreshedToken(afterRejectionOf rejected: String) async -> String?
}
