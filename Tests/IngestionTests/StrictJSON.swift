/// An oracle: whether bytes are one JSON text as RFC 8259 defines it, in UTF-8, without a byte order mark and without
/// half a surrogate pair. Written by the grammar as a recursive descent, for small texts.
struct StrictJSON {
  // Lent by `accepts` for as long as the parser lives; a zero stands after the last byte.
  private let bytes: UnsafePointer<UInt8>
  private let count: Int
  private var next = 0

  static func accepts(_ bytes: [UInt8]) -> Bool {
    guard String(validating: bytes, as: UTF8.self) != nil else { return false }
    return (bytes + [0]).withUnsafeBufferPointer { buffer in
      var parser = StrictJSON(bytes: buffer.baseAddress!, count: bytes.count)
      parser.skipSpace()
      guard parser.value() else { return false }
      parser.skipSpace()
      return parser.next == parser.count
    }
  }

  private init(bytes: UnsafePointer<UInt8>, count: Int) {
    self.bytes = bytes
    self.count = count
  }

  private mutating func skipSpace() {
    while bytes[next] == 0x20 || bytes[next] == 0x09 || bytes[next] == 0x0A || bytes[next] == 0x0D { next += 1 }
  }

  private mutating func take(_ text: StaticString) -> Bool {
    for position in 0..<text.utf8CodeUnitCount where bytes[next + position] != text.utf8Start[position] { return false }
    next += text.utf8CodeUnitCount
    return true
  }

  private mutating func value() -> Bool {
    switch bytes[next] {
    case 0x7B: object()
    case 0x5B: array()
    case 0x22: string()
    case 0x74: take("true")
    case 0x66: take("false")
    case 0x6E: take("null")
    default: number()
    }
  }

  private mutating func object() -> Bool {
    next += 1
    skipSpace()
    if take("}") { return true }
    while true {
      skipSpace()
      guard string() else { return false }
      skipSpace()
      guard take(":") else { return false }
      skipSpace()
      guard value() else { return false }
      skipSpace()
      if take("}") { return true }
      if !take(",") { return false }
    }
  }

  private mutating func array() -> Bool {
    next += 1
    skipSpace()
    if take("]") { return true }
    while true {
      skipSpace()
      guard value() else { return false }
      skipSpace()
      if take("]") { return true }
      if !take(",") { return false }
    }
  }

  private mutating func string() -> Bool {
    guard take("\"") else { return false }
    while next < count {
      let byte = bytes[next]
      next += 1
      if byte == 0x22 { return true }
      if byte < 0x20 { return false }
      if byte == 0x5C, !escape() { return false }
    }
    return false
  }

  private mutating func escape() -> Bool {
    if !take("u") {
      next += 1
      return next <= count && "\"\\/bfnrt".utf8.contains(bytes[next - 1])
    }
    guard let unit = fourDigits(), !(0xDC00...0xDFFF).contains(unit) else { return false }
    if unit < 0xD800 || unit > 0xDBFF { return true }
    guard take("\\u"), let low = fourDigits() else { return false }
    return (0xDC00...0xDFFF).contains(low)
  }

  private mutating func fourDigits() -> Int? {
    var value = 0
    for _ in 0..<4 {
      guard bytes[next] < 0x80, let digit = Character(Unicode.Scalar(bytes[next])).hexDigitValue else { return nil }
      value = value * 16 + digit
      next += 1
    }
    return value
  }

  private mutating func takeDigits() -> Bool {
    let start = next
    while bytes[next] >= 0x30, bytes[next] <= 0x39 { next += 1 }
    return next > start
  }

  private mutating func number() -> Bool {
    _ = take("-")
    if !take("0"), !takeDigits() { return false }
    if take("."), !takeDigits() { return false }
    if take("e") || take("E") {
      if !take("+") { _ = take("-") }
      if !takeDigits() { return false }
    }
    return true
  }
}
