/// One row of the option table, without its type: what parsing, help and `--print-config` need.
public struct OptionSpecification: Sendable {
  /// Where a value may come from.
  public enum Sources: Sendable {
    /// A flag and an environment variable: configuration.
    case flagAndEnvironment
    /// A flag alone: an argument of one command.
    case flag
    /// An environment variable alone.
    case environment
  }

  /// What happens when no value is given.
  public enum Fallback: Sendable {
    /// This text is parsed instead. The description, if any, stands in the help for a text that depends on the machine.
    case value(String, description: String? = nil)
    /// There is no value; the text says what that means.
    case absent(String)
    /// The command can't go on.
    case required
  }

  /// What of the value may be shown.
  public enum Secrecy: Sendable {
    /// All of it.
    case open
    /// All but the password, if it is a URL with one. Not shown in errors, where it may be anything.
    case urlPassword
    /// Nothing.
    case hidden
  }

  /// The name without dashes, for example `queue-bytes`.
  public let name: String
  /// Where a value may come from.
  public let sources: Sources
  /// Stands for the value in the help; `nil` for a flag without value.
  public let placeholder: String?
  /// What is accepted, as the end of "expected …".
  public let expectation: String
  /// Whether it may have several values: the flag is given several times, and the variable separates them by commas.
  public let isRepeatable: Bool
  /// What happens when no value is given.
  public let fallback: Fallback
  /// What of the value may be shown.
  public let secrecy: Secrecy
  /// What it is for, in sentences.
  public let help: String
  let parse: @Sendable (String) throws(ValueProblem) -> any Sendable

  /// `--queue-bytes`.
  public var flag: String { "--\(name)" }

  /// `OSG_ANALYTICS_QUEUE_BYTES`, or `nil` when the environment isn't asked.
  public var environmentName: String? {
    if case .flag = sources { return nil }
    return "OSG_ANALYTICS_" + String(name.uppercased().map { $0 == "-" ? "_" : $0 })
  }

  /// Whether the command line may hold it.
  public var hasFlag: Bool {
    if case .environment = sources { return false }
    return true
  }

  /// The flag, or the variable where there is no flag.
  public var displayName: String { hasFlag ? flag : environmentName ?? flag }

  /// A value as it may be shown.
  public func shown(_ text: String) -> String {
    switch secrecy {
    case .open: Redaction.printable(text)
    case .urlPassword: Redaction.printable(Redaction.withoutPassword(text))
    case .hidden: Redaction.mask
    }
  }
}

/// A row of the option table with the type of its value, of one value where it is repeatable.
public struct CommandOption<Value: Sendable>: Sendable {
  /// The row.
  public let specification: OptionSpecification

  /// An option with a value.
  public init(
    _ name: String, _ parser: ValueParser<Value>, _ fallback: OptionSpecification.Fallback,
    isRepeatable: Bool = false, sources: OptionSpecification.Sources = .flagAndEnvironment,
    secrecy: OptionSpecification.Secrecy = .open, help: String
  ) {
    specification = OptionSpecification(
      name: name, sources: sources, placeholder: parser.placeholder, expectation: parser.expectation,
      isRepeatable: isRepeatable, fallback: fallback, secrecy: secrecy, help: help,
      parse: { (text: String) throws(ValueProblem) -> any Sendable in try parser.parse(text) })
  }
}

extension CommandOption where Value == Bool {
  /// A flag without value: given or not. In the environment it is `true`, `false`, `1` or `0`.
  public init(flag name: String, sources: OptionSpecification.Sources = .flagAndEnvironment, help: String) {
    specification = OptionSpecification(
      name: name, sources: sources, placeholder: nil, expectation: ValueParser.truth.expectation,
      isRepeatable: false, fallback: .value("false", description: ""), secrecy: .open, help: help,
      parse: { (text: String) throws(ValueProblem) -> any Sendable in try ValueParser.truth.parse(text) })
  }
}
