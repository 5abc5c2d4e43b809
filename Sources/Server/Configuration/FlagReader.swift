/// Reads `--flag value`, `--flag=value` and flags without value.
enum FlagReader {
  /// The texts of each flag by option name, in their order; `true` for a flag without value.
  ///
  /// A value that begins with `--` needs the form with `=`: otherwise a forgotten value would swallow the next flag.
  ///
  /// - Throws: `UsageError` for an unknown or repeated flag, a missing or needless value, and anything that is no flag.
  static func read(_ arguments: ArraySlice<String>, of command: Command) throws(UsageError) -> [String: [String]] {
    var texts: [String: [String]] = [:]
    var rest = arguments
    while let argument = rest.popFirst() {
      guard argument.hasPrefix("-"), argument != "-", argument != "--" else {
        throw UsageError(stray(argument), command: command)
      }
      let equals = argument.firstIndex(of: "=")
      let flag = String(argument[..<(equals ?? argument.endIndex)])
      guard let option = command.options.first(where: { $0.hasFlag && $0.flag == flag }) else {
        throw UsageError(unknown(flag, command), command: command)
      }
      guard texts[option.name] == nil || option.isRepeatable else {
        throw UsageError("\(flag): expected once, but it is given twice", command: command)
      }
      if option.placeholder == nil {
        guard equals == nil else { throw UsageError("\(flag): expected without a value", command: command) }
        texts[option.name] = ["true"]
      } else if let equals {
        texts[option.name, default: []].append(String(argument[argument.index(after: equals)...]))
      } else if let value = rest.first, !value.hasPrefix("--") {
        texts[option.name, default: []].append(value)
        rest.removeFirst()
      } else {
        throw UsageError("\(flag): a value is missing, expected \(option.expectation)", command: command)
      }
    }
    return texts
  }

  /// What to say about an argument that is no flag. It may be a URL whose flag was forgotten: no passwords.
  static func stray(_ argument: String) -> String { "unexpected argument \"\(shown(argument))\": expected a flag" }

  /// An argument as it may be shown.
  static func shown(_ argument: String) -> String { Redaction.printable(Redaction.withoutPassword(argument)) }

  private static func unknown(_ flag: String, _ command: Command) -> String {
    let name = command.words.joined(separator: " ")
    let flags = command.options.filter(\.hasFlag).map(\.flag) + ["--help"]
    let message = "\(shown(flag)): unknown flag of \(name)"
    if let near = flags.map({ ($0, Spelling.distance($0, flag)) }).min(by: { $0.1 < $1.1 }), near.1 <= 3 {
      return "\(message), expected perhaps \(near.0)"
    }
    return "\(message), expected one of \(flags.joined(separator: ", "))"
  }
}

/// How alike two words are.
enum Spelling {
  /// The Levenshtein distance: single characters to insert, remove or replace.
  static func distance(_ left: String, _ right: String) -> Int {
    let right = Array(right)
    var row = Array(0...right.count)
    for (index, character) in left.enumerated() {
      var diagonal = row[0]
      row[0] = index + 1
      for column in right.indices {
        let cost = min(diagonal + (character == right[column] ? 0 : 1), row[column] + 1, row[column + 1] + 1)
        diagonal = row[column + 1]
        row[column + 1] = cost
      }
    }
    return row[right.count]
  }
}
