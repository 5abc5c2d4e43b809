/// The command line or the environment asks for something that doesn't exist or isn't allowed.
///
/// The command line prints `description` to standard error and exits with `exitCode`. The text names the flag or the
/// variable and what is expected; it never repeats a value that may hold a secret.
public struct UsageError: Error, Equatable, Sendable, CustomStringConvertible {
  /// What a process that was called wrongly exits with.
  public static let exitCode: Int32 = 2

  /// What is wrong and what is expected, in one sentence.
  public let message: String
  /// The command that was meant, as words; empty when there was none.
  public let command: String

  /// - Parameters:
  ///   - message: what is wrong and what is expected.
  ///   - command: the command whose help to point to.
  public init(_ message: String, command: Command? = nil) {
    self.message = message
    self.command = command?.words.joined(separator: " ") ?? ""
  }

  /// The message and where to read more.
  public var description: String {
    let help = command.isEmpty ? "--help" : "\(command) --help"
    return "osg-analytics: \(message)\nRun 'osg-analytics \(help)' to see what is possible.\n"
  }
}
