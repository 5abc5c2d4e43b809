/// What `--print-config` prints: a line for each option with its value and where the value comes from.
enum ConfigurationText {
  static func render(_ options: ResolvedOptions) -> String {
    let rows = options.entries
      .filter { $0.specification.name != ServerOptions.printConfiguration.specification.name }
      .map { entry -> (name: String, value: String, origin: String) in
        let option = entry.specification
        // As the environment would have it.
        var value = entry.texts.map(option.shown).joined(separator: ",")
        if entry.texts.isEmpty, case .absent(let meaning) = option.fallback { value = "(\(meaning))" }
        let variable = entry.origin == .environment ? " \(option.environmentName ?? "")" : ""
        return (option.displayName, value, entry.origin.rawValue + variable)
      }
    let nameWidth = rows.map(\.name.count).max() ?? 0
    let valueWidth = rows.map(\.value.count).max() ?? 0
    return rows.map { row in
      pad(row.name, to: nameWidth) + "  " + pad(row.value, to: valueWidth) + "  " + row.origin + "\n"
    }.joined()
  }

  private static func pad(_ text: String, to width: Int) -> String {
    text + String(repeating: " ", count: width - text.count)
  }
}
