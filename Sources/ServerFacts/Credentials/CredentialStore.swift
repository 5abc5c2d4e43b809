import AnalyticsContract

/// What a token may be used for.
public enum TokenScope: UInt8, CaseIterable, Sendable {
  /// Reading reports.
  case admin = 1
  /// Stating facts, as the account server does.
  case server = 2

  /// The name on the command line.
  public var name: StaticString {
    switch self {
    case .admin: "admin"
    case .server: "server"
    }
  }

  /// The visible start of the scope's tokens.
  public var prefix: StaticString {
    switch self {
    case .admin: "osga_"
    case .server: "osgs_"
    }
  }
}

/// A token as it is listed: everything but the secret.
public struct TokenDescription: Sendable, Equatable {
  /// The name that an operator gave it.
  public let name: String
  /// What it may be used for.
  public let scope: TokenScope
  /// When it was made.
  public let createdAt: Instant
  /// When it was revoked, if it was.
  public let revokedAt: Instant?

  /// - Parameters:
  ///   - name: the name that an operator gave it.
  ///   - scope: what it may be used for.
  ///   - createdAt: when it was made.
  ///   - revokedAt: when it was revoked, if it was.
  public init(name: String, scope: TokenScope, createdAt: Instant, revokedAt: Instant?) {
    self.name = name
    self.scope = scope
    self.createdAt = createdAt
    self.revokedAt = revokedAt
  }
}

/// Why a credential could not be changed.
public enum CredentialFailure: Error, Sendable, Equatable {
  /// A token of that name exists or existed: a name in a list must mean one token for ever.
  case nameTaken
  /// No valid token has that name.
  case unknownName
}

/// Where credentials are kept, as digests. Errors other than ``CredentialFailure`` are the store's own.
public protocol CredentialStore: Sendable {
  /// Keeps a new token.
  func createToken(_ digest: Digest, name: String, scope: TokenScope, at instant: Instant) async throws
  /// All tokens, revoked ones too, oldest first.
  func tokens() async throws -> [TokenDescription]
  /// Revokes a token by its name.
  func revokeToken(named name: String, at instant: Instant) async throws
  /// What a token may be used for; `nil` where it is unknown or revoked.
  func scope(ofToken digest: Digest) async throws -> TokenScope?
}
