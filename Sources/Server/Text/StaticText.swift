/// A `StaticString` compared and hashed by its bytes: the same literal in two modules may have two addresses.
struct StaticText: Hashable, Sendable {
  let text: StaticString

  init(_ text: StaticString) { self.text = text }

  static func == (left: StaticText, right: StaticText) -> Bool {
    left.text.withUTF8Buffer { leftBytes in
      right.text.withUTF8Buffer { rightBytes in leftBytes.elementsEqual(rightBytes) }
    }
  }

  func hash(into hasher: inout Hasher) {
    text.withUTF8Buffer { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
  }
}

extension [UInt8] {
  /// Appends the UTF-8 bytes of text from the source code.
  mutating func append(_ text: StaticString) {
    text.withUTF8Buffer { append(contentsOf: $0) }
  }

  /// Appends the decimal digits of an integer.
  mutating func append(decimal value: some FixedWidthInteger) {
    append(contentsOf: String(value).utf8)
  }

  /// Appends an integer with leading zeros up to a width. Wider values keep all their digits.
  mutating func append(decimal value: Int, width: Int) {
    let digits = String(value).utf8
    for _ in 0..<Swift.max(0, width - digits.count) { append(UInt8(ascii: "0")) }
    append(contentsOf: digits)
  }
}
