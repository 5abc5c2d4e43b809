/// The value of every option of a command, and where each came from.
public struct ResolvedOptions: Sendable {
  /// Where a value came from, the strongest first.
  public enum Origin: String, Sendable {
    /// The command line.
    case flag
    /// An environment variable.
    case environment
    /// The table.
    case `default`
  }

  struct Entry: Sendable {
    var specification: OptionSpecification
    var origin: Origin
    /// As they were given: one, none where there is no value, or several of a repeatable option.
    var texts: [String]
    var values: [any Sendable] = []
  }

  let command: Command
  private(set) var entries: [Entry] = []

  /// Takes for each option the flag, else the environment, else the default.
  ///
  /// An empty environment variable counts as not set: that is how many tools spell "nothing". Values of a repeatable
  /// option come all from one origin: flags replace what the environment says.
  ///
  /// - Parameters:
  ///   - command: whose options.
  ///   - flags: texts by option name; what the command line holds.
  ///   - environment: the process environment.
  /// - Throws: `UsageError` for a value that can't be taken and for a required one that is missing.
  init(command: Command, flags: [String: [String]], environment: [String: String]) throws(UsageError) {
    self.command = command
    for option in command.options {
      var origin = Origin.default
      var texts: [String] = []
      if let given = flags[option.name] {
        (origin, texts) = (.flag, given)
      } else if let name = option.environmentName, let given = environment[name], !given.isEmpty {
        (origin, texts) = (.environment, option.isRepeatable ? Self.list(given) : [given])
      } else {
        switch option.fallback {
        case .value(let fallback, _): texts = [fallback]
        case .absent: break
        case .required:
          throw UsageError("\(option.flag) is missing: expected \(option.expectation)", command: command)
        }
      }
      entries.append(Entry(specification: option, origin: origin, texts: texts))
      for text in texts { entries[entries.count - 1].values.append(try parse(option, text, origin)) }
    }
  }

  /// What commas separate, without white space around it.
  private static func list(_ text: String) -> [String] {
    text.split(separator: ",", omittingEmptySubsequences: false).map { part in
      var part = part.drop { $0 == " " }
      while part.last == " " { part.removeLast() }
      return String(part)
    }
  }

  /// The value of an option, or `nil` where its default is to have none.
  public func value<Value>(_ option: CommandOption<Value>) -> Value? {
    values(option).first
  }

  /// All values of a repeatable option, in the order they were given; none where its default is to have none.
  public func values<Value>(_ option: CommandOption<Value>) -> [Value] {
    // An entry holds what the parser of the option of that name returned, which is a `Value`.
    entries.first { $0.specification.name == option.specification.name }?.values.compactMap { $0 as? Value } ?? []
  }

  /// The value of an option that the command has and that is required or has a default value.
  public func required<Value>(_ option: CommandOption<Value>) -> Value {
    guard let value = value(option) else { preconditionFailure("an option that the command doesn't declare") }
    return value
  }

  private func parse(
    _ option: OptionSpecification, _ text: String, _ origin: Origin
  ) throws(UsageError) -> any Sendable {
    do {
      return try option.parse(text)
    } catch {
      var name = option.displayName
      if origin == .environment, option.hasFlag, let variable = option.environmentName {
        name = "\(variable) (the same as \(option.flag))"
      }
      switch error {
      case .refused(let reason): throw UsageError("\(name): \(reason)", command: command)
      case .unexpected:
        let given = if case .open = option.secrecy { ", not \"\(option.shown(text))\"" } else { "" }
        throw UsageError("\(name): expected \(option.expectation)\(given)", command: command)
      }
    }
  }
}
