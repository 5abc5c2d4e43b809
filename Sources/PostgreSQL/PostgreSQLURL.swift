import CPostgreSQL

/// Where a database is, as libpq's connection URI: `postgres://user@host:5432,host2:5432/database?sslmode=…`.
///
/// The text can hold a password, so the type shows none of it.
public struct PostgreSQLURL: Sendable, Equatable, CustomStringConvertible, CustomDebugStringConvertible,
  CustomReflectable
{
  let text: String

  /// - Returns: `nil` where the text is not a URI that libpq can read.
  public init?(_ text: String) {
    guard text.hasPrefix("postgres://") || text.hasPrefix("postgresql://"), !text.utf8.contains(0) else { return nil }
    // The message that libpq would give quotes the text.
    var message: UnsafeMutablePointer<CChar>?
    let options = PQconninfoParse(text, &message)
    PQfreemem(message)
    guard let options else { return nil }
    PQconninfoFree(options)
    self.text = text
  }

  /// The type's name, never the text.
  public var description: String { "PostgreSQLURL(redacted)" }

  /// The type's name, never the text.
  public var debugDescription: String { description }

  /// A mirror without children.
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}
