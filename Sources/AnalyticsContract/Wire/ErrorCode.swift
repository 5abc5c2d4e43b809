/// The error codes of the HTTP contract.
public enum ErrorCode: CaseIterable, Sendable {
  /// Not JSON, or JSON of another structure.
  case invalidRequest
  /// No valid credential.
  case unauthorized
  /// A valid credential without the scope.
  case forbidden
  /// No such path.
  case notFound
  /// The path does not take the method.
  case methodNotAllowed
  /// The request did not arrive in time.
  case requestTimeout
  /// The request contradicts what is stored.
  case conflict
  /// The body is too large.
  case payloadTooLarge
  /// The body has another media type or coding.
  case unsupportedMediaType
  /// A value outside the contract.
  case validationFailed
  /// Too many requests.
  case rateLimited
  /// The database is away or the queue is full.
  case unavailable
  /// A defect of the server.
  case `internal`

  /// What the answer says.
  public var wireName: StaticString {
    switch self {
    case .invalidRequest: "invalid_request"
    case .unauthorized: "unauthorized"
    case .forbidden: "forbidden"
    case .notFound: "not_found"
    case .methodNotAllowed: "method_not_allowed"
    case .requestTimeout: "request_timeout"
    case .conflict: "conflict"
    case .payloadTooLarge: "payload_too_large"
    case .unsupportedMediaType: "unsupported_media_type"
    case .validationFailed: "validation_failed"
    case .rateLimited: "rate_limited"
    case .unavailable: "unavailable"
    case .internal: "internal"
    }
  }

  /// The HTTP status that goes with the code; each code has its own, so that databases can count by it.
  public var status: Int {
    switch self {
    case .invalidRequest: 400
    case .unauthorized: 401
    case .forbidden: 403
    case .notFound: 404
    case .methodNotAllowed: 405
    case .requestTimeout: 408
    case .conflict: 409
    case .payloadTooLarge: 413
    case .unsupportedMediaType: 415
    case .validationFailed: 422
    case .rateLimited: 429
    case .internal: 500
    case .unavailable: 503
    }
  }

  /// What the answer tells the developer of a client.
  public var message: StaticString {
    switch self {
    case .invalidRequest: "The body does not have the form of this endpoint's requests; nothing was stored."
    case .unauthorized: "The access token is missing, malformed, unknown, expired or revoked."
    case .forbidden: "The token does not have the scope for this path."
    case .notFound: "There is nothing at this path."
    case .methodNotAllowed: "This path does not take the method; the Allow header names those it takes."
    case .requestTimeout: "The request did not arrive in time."
    case .conflict: "The batch contradicts what is stored; nothing of it was stored."
    case .payloadTooLarge: "The body is larger than this endpoint takes."
    case .unsupportedMediaType: "Send Content-Type: application/json, and Content-Encoding: gzip or none."
    case .validationFailed: "A value lies outside the contract; nothing was stored."
    case .rateLimited: "Too many requests; retry after the time that Retry-After names."
    case .internal: "The server failed to handle the request."
    case .unavailable: "The server can't store the batch now; retry after the time that Retry-After names."
    }
  }
}
