import HTTPServer

/// Recognises what a browser asks for before anybody wants to see it.
enum Prefetch {
  /// Whether `Sec-Purpose` or the older `Purpose` names a prefetch, perhaps with parameters such as `prefetch;prerender`.
  static func isAnnounced(by request: Request) -> Bool {
    (request.headers(.secPurpose) + request.headers(.purpose)).contains { field in
      field.split(separator: ",").contains { purpose in
        purpose.prefix { $0 != ";" }.trimmingOptionalSpace().lowercased() == "prefetch"
      }
    }
  }
}

extension HeaderName {
  static let acceptLanguage: HeaderName = "accept-language"
  static let purpose: HeaderName = "purpose"
  static let secPurpose: HeaderName = "sec-purpose"
}
