/// Makes configured text fit to be shown to an operator.
enum Redaction {
  /// Stands for what is hidden.
  static let mask = "********"

  /// Hides the password of a URL such as `postgres://user:pw@host/db?password=pw`.
  ///
  /// A password that should have been percent-encoded may hold any character, so everything between the first colon
  /// after `//` and the last `@` goes: rather too much than a part of it. Text that isn't a URL stays as it is.
  static func withoutPassword(_ url: String) -> String {
    guard let scheme = url.firstRange(of: "://") else { return url }
    var shown = String(url[..<scheme.upperBound])
    var rest = url[scheme.upperBound...]
    if let at = rest.lastIndex(of: "@"), let colon = rest[..<at].firstIndex(of: ":") {
      shown += rest[...colon] + mask
      rest = rest[at...]
    }
    guard let query = rest.firstIndex(of: "?") else { return shown + rest }
    let parameters = rest[rest.index(after: query)...].split(separator: "&", omittingEmptySubsequences: false)
    let safe = parameters.map { parameter -> String in
      guard let equals = parameter.firstIndex(of: "=") else { return String(parameter) }
      let name = parameter[..<equals].lowercased()
      return name.contains("pass") || name.contains("%") ? parameter[...equals] + mask : String(parameter)
    }
    return shown + rest[...query] + safe.joined(separator: "&")
  }

  /// Replaces what could change a terminal, and cuts after 200 characters.
  static func printable(_ text: String) -> String {
    var shown = ""
    for scalar in text.unicodeScalars.prefix(200) {
      switch scalar.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned:
        shown += "\\u{\(String(scalar.value, radix: 16))}"
      default: shown.unicodeScalars.append(scalar)
      }
    }
    return text.unicodeScalars.count > 200 ? shown + "…" : shown
  }
}
