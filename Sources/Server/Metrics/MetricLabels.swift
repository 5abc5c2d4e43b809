/// Where a request went, as the metrics tell it. `other` stands for every path that isn't a route.
public enum Route: Int, MetricLabel {
  case events, keyboardUsage, facts, reports, invitation, appSiteAssociation, healthz, readyz, metrics, admin, server,
    other

  /// `route`.
  public static var labelName: StaticString { "route" }

  /// The route's pattern; never a path as it was sent.
  public var label: StaticString {
    switch self {
    case .events: "/v1/analytics/events"
    case .keyboardUsage: "/v1/analytics/keyboard-usage"
    case .facts: "/v1/server/facts"
    case .reports: "/v1/admin/analytics/{report}"
    case .invitation: "/i/{code}"
    case .appSiteAssociation: AppSiteAssociation.path
    case .healthz: "/healthz"
    case .readyz: "/readyz"
    case .metrics: "/metrics"
    case .admin: "/v1/admin"
    case .server: "/v1/server"
    case .other: "other"
    }
  }
}

/// The status codes that the server gives.
public enum StatusLabel: Int, MetricLabel {
  case ok, badRequest, unauthorized, forbidden, notFound, methodNotAllowed, requestTimeout, conflict
  case payloadTooLarge, unsupportedMediaType, unprocessable, tooManyRequests, internalError, unavailable, other

  /// The label of a status code; `other` for a code that isn't in the set.
  public init(code: Int) {
    self =
      switch code {
      case 200: .ok
      case 400: .badRequest
      case 401: .unauthorized
      case 403: .forbidden
      case 404: .notFound
      case 405: .methodNotAllowed
      case 408: .requestTimeout
      case 409: .conflict
      case 413: .payloadTooLarge
      case 415: .unsupportedMediaType
      case 422: .unprocessable
      case 429: .tooManyRequests
      case 500: .internalError
      case 503: .unavailable
      default: .other
      }
  }

  /// `status`.
  public static var labelName: StaticString { "status" }

  /// The code in digits, or `other`.
  public var label: StaticString {
    switch self {
    case .ok: "200"
    case .badRequest: "400"
    case .unauthorized: "401"
    case .forbidden: "403"
    case .notFound: "404"
    case .methodNotAllowed: "405"
    case .requestTimeout: "408"
    case .conflict: "409"
    case .payloadTooLarge: "413"
    case .unsupportedMediaType: "415"
    case .unprocessable: "422"
    case .tooManyRequests: "429"
    case .internalError: "500"
    case .unavailable: "503"
    case .other: "other"
    }
  }
}

/// What became of a batch. `replayed`: all of its items were stored before.
public enum BatchOutcome: Int, MetricLabel {
  case accepted, replayed, rejected

  /// `outcome`.
  public static var labelName: StaticString { "outcome" }

  /// The outcome's name.
  public var label: StaticString {
    switch self {
    case .accepted: "accepted"
    case .replayed: "replayed"
    case .rejected: "rejected"
    }
  }
}

/// What became of an item of a batch that was taken.
public enum ItemOutcome: Int, MetricLabel {
  case accepted, replayed

  /// `outcome`.
  public static var labelName: StaticString { "outcome" }

  /// The outcome's name.
  public var label: StaticString {
    switch self {
    case .accepted: "accepted"
    case .replayed: "replayed"
    }
  }
}

/// What a look at an access token found. All but `valid` are the same 401 to the client, but for `failed`.
public enum SessionCheckResult: Int, MetricLabel {
  case valid, refused, malformed, failed

  /// `result`.
  public static var labelName: StaticString { "result" }

  /// The result's name: `refused` when the session is unknown, expired or revoked; `failed` when the database could not
  /// be asked.
  public var label: StaticString {
    switch self {
    case .valid: "valid"
    case .refused: "refused"
    case .malformed: "malformed"
    case .failed: "failed"
    }
  }
}
