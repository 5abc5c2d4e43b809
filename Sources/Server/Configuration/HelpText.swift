/// The help, made from the command and option tables, at most 100 columns wide.
enum HelpText {
  static let width = 100

  /// All commands, or those of a group.
  static func overview(of commands: [Command] = Command.allCases) -> String {
    let group = commands.count == Command.allCases.count ? "[command]" : "\(commands[0].words[0]) command"
    var text = "Usage: osg-analytics \(group) [options]\n\n"
    if commands.count == Command.allCases.count {
      text += paragraph("OSG Analytics: privacy-bounded product analytics for OSGKeyboard.") + "\n"
    }
    text += "Commands:\n" + columns(commands.map { ($0.words.joined(separator: " "), $0.summary + ".") })
    text += "\n"
    text += paragraph(
      "Run 'osg-analytics COMMAND --help' for the options of a command. An option's value is taken from the flag, "
        + "else from the environment variable, else it is the default.")
    return text
  }

  /// One command and its options.
  static func command(_ command: Command) -> String {
    let flags = command.options.filter(\.hasFlag)
    let required = flags.filter { if case .required = $0.fallback { true } else { false } }
    let words = command.words + required.map { "\($0.flag) \($0.placeholder ?? "")" }
    var text = "Usage: osg-analytics \(words.joined(separator: " ")) [options]\n\n"
    text += paragraph(command.summary + ".") + "\nOptions:\n"
    text += columns(
      flags.map { (label($0), $0.help + "\n" + notes($0)) } + [("--help, -h", "Show this help and exit.")])
    let variables = command.options.filter { !$0.hasFlag }
    if !variables.isEmpty {
      text += "\nEnvironment:\n" + columns(variables.map { ($0.displayName, $0.help + "\n" + notes($0)) })
    }
    return text
  }

  private static func label(_ option: OptionSpecification) -> String {
    option.placeholder.map { "\(option.flag) \($0)" } ?? option.flag
  }

  private static func notes(_ option: OptionSpecification) -> String {
    var notes: [String] = []
    switch option.fallback {
    case .value(let text, let description): notes.append("default: \(description ?? text)")
    case .absent(let description): notes.append("default: \(description)")
    case .required: notes.append("required")
    }
    if option.placeholder == nil { notes = [] }
    if option.isRepeatable { notes.append("may be given several times") }
    if option.hasFlag, let name = option.environmentName {
      notes.append("environment: \(name)" + (option.isRepeatable ? ", separated by commas" : ""))
    }
    return notes.isEmpty ? "" : "[\(notes.joined(separator: "; "))]"
  }

  /// Two columns, the right one wrapped.
  private static func columns(_ rows: [(label: String, text: String)]) -> String {
    let indent = (rows.map(\.label.count).max() ?? 0) + 4
    return rows.map { row in
      let lines = wrap(row.text, to: width - indent)
      let first = "  " + row.label + String(repeating: " ", count: indent - 2 - row.label.count)
      let margin = String(repeating: " ", count: indent)
      return lines.enumerated().map { ($0.offset == 0 ? first : margin) + $0.element + "\n" }.joined()
    }.joined()
  }

  private static func paragraph(_ text: String) -> String {
    wrap(text, to: width).map { $0 + "\n" }.joined()
  }

  /// Lines of whole words; a line feed stays, and a word longer than the width has a line of its own.
  static func wrap(_ text: String, to width: Int) -> [String] {
    text.split(separator: "\n").flatMap { paragraph in
      var lines: [String] = []
      for word in paragraph.split(separator: " ") {
        if let last = lines.last, last.count + 1 + word.count <= width {
          lines[lines.count - 1] += " \(word)"
        } else {
          lines.append(String(word))
        }
      }
      return lines
    }
  }
}
