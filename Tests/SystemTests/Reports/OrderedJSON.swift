/// JSON as it is written: members in their order, numbers as text.
indirect enum OrderedJSON: Equatable, Sendable {
  case null
  case bool(Bool)
  case number(String)
  case string(String)
  case array([OrderedJSON])
  case object([Member])

  struct Member: Equatable, Sendable {
    var name: String
    var value: OrderedJSON
  }

  /// Nil where it is not exactly one value.
  init?(_ text: String) {
    var reader = OrderedJSONReader(bytes: Array(text.utf8))
    guard let value = reader.value(), reader.isAtEnd else { return nil }
    self = value
  }

  var members: [Member] { if case .object(let members) = self { members } else { [] } }
  var names: [String] { members.map(\.name) }
  var elements: [OrderedJSON] { if case .array(let elements) = self { elements } else { [] } }
  var text: String? { if case .string(let text) = self { text } else { nil } }
  var integer: Int? { if case .number(let text) = self { Int(text) } else { nil } }

  subscript(name: String) -> OrderedJSON? { members.first { $0.name == name }?.value }

  /// For messages.
  var brief: String {
    switch self {
    case .null: "null"
    case .bool(let value): "\(value)"
    case .number(let text): text
    case .string(let text): "\"\(text)\""
    case .array(let elements): "[\(elements.map(\.brief).joined(separator: ","))]"
    case .object(let members): "{\(members.map { "\($0.name):\($0.value.brief)" }.joined(separator: ","))}"
    }
  }
}

private struct OrderedJSONReader {
  var bytes: [UInt8]
  var index = 0

  var isAtEnd: Bool { index == bytes.count }

  private mutating func take(_ character: Character) -> Bool {
    guard index < bytes.count, bytes[index] == character.asciiValue else { return false }
    index += 1
    return true
  }

  private mutating func take(word: String) -> Bool {
    guard bytes[index...].starts(with: word.utf8) else { return false }
    index += word.utf8.count
    return true
  }

  mutating func value() -> OrderedJSON? {
    guard index < bytes.count else { return nil }
    if take(word: "null") { return .null }
    if take(word: "true") { return .bool(true) }
    if take(word: "false") { return .bool(false) }
    switch bytes[index] {
    case UInt8(ascii: "{"): return object()
    case UInt8(ascii: "["): return array()
    case UInt8(ascii: "\""): return string().map { .string($0) }
    default:
      let start = index
      while index < bytes.count, "+-.eE0123456789".utf8.contains(bytes[index]) { index += 1 }
      let text = String(decoding: bytes[start..<index], as: UTF8.self)
      return text.wholeMatch(of: /-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?/) == nil ? nil : .number(text)
    }
  }

  private mutating func object() -> OrderedJSON? {
    _ = take("{")
    var members: [OrderedJSON.Member] = []
    if take("}") { return .object([]) }
    while true {
      guard let name = string(), take(":"), let value = value() else { return nil }
      if members.contains(where: { $0.name == name }) { return nil }
      members.append(.init(name: name, value: value))
      if take("}") { return .object(members) }
      guard take(",") else { return nil }
    }
  }

  private mutating func array() -> OrderedJSON? {
    _ = take("[")
    var elements: [OrderedJSON] = []
    if take("]") { return .array([]) }
    while true {
      guard let value = value() else { return nil }
      elements.append(value)
      if take("]") { return .array(elements) }
      guard take(",") else { return nil }
    }
  }

  /// Without escapes: nothing in a report needs one.
  private mutating func string() -> String? {
    guard take("\"") else { return nil }
    let start = index
    while index < bytes.count, bytes[index] != UInt8(ascii: "\"") {
      if bytes[index] == UInt8(ascii: "\\") || bytes[index] < 0x20 { return nil }
      index += 1
    }
    guard index < bytes.count else { return nil }
    index += 1
    return String(decoding: bytes[start..<(index - 1)], as: UTF8.self)
  }
}
