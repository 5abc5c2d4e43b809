import AnalyticsContract

/// A credential in the clear. It exists while it is printed once, and while a request is judged.
public struct Secret: Sendable, Redacted {
  /// The secret itself, for the one place that prints it.
  public let text: String

  /// - Parameter text: the secret itself.
  public init(text: String) { self.text = text }

  /// A fresh secret of 256 random bits in base64url, behind a prefix that tells people and secret scanners what it is.
  public static func random(prefix: StaticString) -> Secret {
    var generator = SystemRandomNumberGenerator()
    let bytes = (0..<32).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    return Secret(text: "\(prefix)" + Base64.encodeURL(bytes))
  }

  /// What is stored instead of the secret.
  public var digest: Digest { Digest(hashing: text) }
}
