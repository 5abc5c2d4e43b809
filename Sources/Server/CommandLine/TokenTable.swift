import ServerFacts

/// The list of tokens as a table.
enum TokenTable {
  static func render(_ tokens: [TokenDescription]) -> String {
    if tokens.isEmpty {
      return "There are no tokens. Make one with: osg-analytics token create --scope admin --name NAME\n"
    }
    let rows =
      [["NAME", "SCOPE", "CREATED", "REVOKED"]]
      + tokens.map { token in
        [
          token.name, token.scope.name.description, token.createdAt.iso8601(fractionDigits: 0),
          token.revokedAt?.iso8601(fractionDigits: 0) ?? "-",
        ]
      }
    let widths = (0..<4).map { column in rows.map { $0[column].count }.max() ?? 0 }
    return rows.map { row in
      let cells = zip(row, widths).map { $0 + String(repeating: " ", count: $1 - $0.count) }
      return cells.joined(separator: "  ").replacingSuffixOfSpaces() + "\n"
    }.joined()
  }
}

extension String {
  fileprivate func replacingSuffixOfSpaces() -> String {
    var text = self
    while text.last == " " { text.removeLast() }
    return text
  }
}
