import HTTPServer
import ServerFacts

/// The credential of a request, from its `Authorization` header fields.
enum BearerToken: Sendable {
  /// No such field.
  case absent
  /// Anything that is not one field with the scheme Bearer and one token (RFC 6750, section 2.1).
  case malformed
  /// The token.
  case token(Secret)

  /// The longest token that is looked at, in bytes.
  static let maximumLength = 4096

  init(_ request: Request) {
    let fields = request.headers(.authorization)
    guard let field = fields.first else {
      self = .absent
      return
    }
    let parts = field.split(separator: " ", maxSplits: 1)
    guard fields.count == 1, parts.count == 2, parts[0].lowercased() == "bearer" else {
      self = .malformed
      return
    }
    let token = parts[1].drop { $0 == " " }
    guard (1...Self.maximumLength).contains(token.utf8.count), token.utf8.allSatisfy(Self.isTokenByte) else {
      self = .malformed
      return
    }
    self = .token(Secret(text: String(token)))
  }

  private static func isTokenByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
      UInt8(ascii: "~"), UInt8(ascii: "+"), UInt8(ascii: "/"), UInt8(ascii: "="):
      true
    default: false
    }
  }
}
