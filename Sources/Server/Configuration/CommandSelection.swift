/// Which command the first words of the command line name, and what is left for its options.
struct CommandSelection {
  /// The command, or `nil` when `help` is the answer already.
  var command: Command?
  /// The help that is the answer when there is no command.
  var help = ""
  /// What follows the command's words.
  var rest: ArraySlice<String>

  /// Whether the rest asks for the command's help. It wins over whatever else is wrong: a person who asks for help
  /// hasn't finished the line.
  var asksForHelp: Bool { rest.contains { $0 == "--help" || $0 == "-h" } }

  /// - Throws: `UsageError` for words that name no command.
  init(_ arguments: [String]) throws(UsageError) {
    rest = arguments[...]
    switch arguments.first {
    case "--help", "-h":
      help = HelpText.overview()
    case "--version":
      command = .version
      rest = rest.dropFirst()
    case "help":
      rest = rest.dropFirst()
      try selectHelp()
    case let first? where !first.hasPrefix("-"):
      try select()
    default:
      command = .serve
    }
  }

  private mutating func selectHelp() throws(UsageError) {
    if rest.isEmpty || asksForHelp {
      help = HelpText.overview()
      return
    }
    try select(isForHelp: true)
    if let command {
      guard rest.isEmpty else { throw UsageError(FlagReader.stray(rest[rest.startIndex])) }
      help = HelpText.command(command)
      self.command = nil
    }
  }

  private mutating func select(isForHelp: Bool = false) throws(UsageError) {
    let first = rest[rest.startIndex]
    let group = Command.allCases.filter { $0.words[0] == first }
    guard let member = group.first else {
      let names = Command.allCases.map { $0.words.joined(separator: " ") }
      throw UsageError(
        "unknown command \"\(FlagReader.shown(first))\": expected one of \(names.joined(separator: ", "))")
    }
    if member.words.count == 1 {
      command = member
      rest = rest.dropFirst()
      return
    }
    let second = rest.dropFirst().first
    if let chosen = group.first(where: { $0.words[1] == second }) {
      command = chosen
      rest = rest.dropFirst(2)
      return
    }
    if second == "--help" || second == "-h" || (second == nil && isForHelp) {
      help = HelpText.overview(of: group)
      return
    }
    let names = group.map { $0.words[1] }.joined(separator: ", ")
    throw UsageError("\(first): expected one of \(names) after it")
  }
}
