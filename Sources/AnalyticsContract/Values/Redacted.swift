/// A type whose values must not reach a log, an error or a debugger dump: every textual form and every mirror of it
/// shows the type's name alone.
public protocol Redacted: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {}

extension Redacted {
  /// The type's name, never a value.
  public var description: String { "\(Self.self)(redacted)" }

  /// The type's name, never a value.
  public var debugDescription: String { description }

  /// A mirror without children, so that `dump` and interpolation of an enclosing value show nothing.
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}
