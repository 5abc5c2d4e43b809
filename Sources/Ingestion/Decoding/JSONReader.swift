import AnalyticsContract

/// The bytes are not JSON as RFC 8259 defines it, or not UTF-8.
package struct JSONSyntaxError: Error {}

/// A strict pull reader over the bytes of one JSON text.
///
/// It holds a pointer without owning it, because a `Span` can't yet be a stored property of an escapable type: the
/// reader must not outlive the closure that lends the bytes. Every access is preceded by a comparison with `end`.
package struct JSONReader {
  private var next: UnsafePointer<UInt8>
  private let end: UnsafePointer<UInt8>
  private let scratch: UnsafeMutableBufferPointer<UInt8>

  /// Longer than any text of the contract, so that a text cut to this length still matches none.
  package static let scratchCapacity = 64

  /// - Parameters:
  ///   - bytes: the JSON text.
  ///   - scratch: `scratchCapacity` bytes, where a text with escapes is unescaped.
  package init(_ bytes: UnsafeBufferPointer<UInt8>, scratch: UnsafeMutableBufferPointer<UInt8>) {
    // An empty buffer may have no address; any will do then, as it is never read.
    let start = bytes.baseAddress ?? UnsafePointer(scratch.baseAddress!)
    next = start
    end = start + bytes.count
    self.scratch = scratch
  }

  /// Skips white space and tells the next byte without taking it; 0 at the end, which no JSON value begins with.
  package mutating func peek() -> UInt8 {
    while next < end {
      switch next.pointee {
      case 0x20, 0x0A, 0x0D, 0x09: next += 1
      default: return next.pointee
      }
    }
    return 0
  }

  /// Takes a byte if it is the next one after white space.
  package mutating func take(_ byte: UInt8) -> Bool {
    if peek() != byte || next == end { return false }
    next += 1
    return true
  }

  /// Takes a byte that has to be there.
  package mutating func expect(_ byte: UInt8) throws(JSONSyntaxError) {
    if !take(byte) { throw JSONSyntaxError() }
  }

  /// Makes sure that only white space follows.
  package mutating func expectEnd() throws(JSONSyntaxError) {
    _ = peek()
    if next != end { throw JSONSyntaxError() }
  }

  /// Takes the four bytes of `null` if they are next.
  package mutating func takeNull() throws(JSONSyntaxError) -> Bool {
    if peek() != UInt8(ascii: "n") { return false }
    try literal("null")
    return true
  }

  private mutating func literal(_ text: StaticString) throws(JSONSyntaxError) {
    guard end - next >= text.utf8CodeUnitCount,
      text.hasBytes(UnsafeBufferPointer(start: next, count: text.utf8CodeUnitCount))
    else { throw JSONSyntaxError() }
    next += text.utf8CodeUnitCount
  }
}

// MARK: - Texts

extension JSONReader {
  /// Takes a text; the next byte has to be its quote.
  /// - Returns: its bytes, valid until the next call: in place where nothing is escaped, otherwise unescaped and cut to
  ///   `scratchCapacity`.
  package mutating func text() throws(JSONSyntaxError) -> UnsafeBufferPointer<UInt8> {
    try expect(UInt8(ascii: "\""))
    let start = next
    while next < end {
      let byte = next.pointee
      if byte == UInt8(ascii: "\"") {
        defer { next += 1 }
        return UnsafeBufferPointer(start: start, count: next - start)
      }
      if byte == UInt8(ascii: "\\") { return try unescaped(from: start) }
      if byte < 0x20 { throw JSONSyntaxError() }
      if byte < 0x80 { next += 1 } else { try skipMultibyteScalar() }
    }
    throw JSONSyntaxError()
  }

  private mutating func unescaped(from start: UnsafePointer<UInt8>) throws(JSONSyntaxError) -> UnsafeBufferPointer<
    UInt8
  > {
    var count = 0
    func append(_ byte: UInt8) {
      if count < scratch.count {
        scratch[count] = byte
        count += 1
      }
    }
    for position in 0..<(next - start) { append(start[position]) }
    while next < end {
      let byte = next.pointee
      if byte == UInt8(ascii: "\"") {
        next += 1
        return UnsafeBufferPointer(rebasing: scratch[..<count])
      }
      if byte < 0x20 { throw JSONSyntaxError() }
      if byte == UInt8(ascii: "\\") {
        next += 1
        for unit in UTF8.encode(try escape())! { append(unit) }
      } else if byte < 0x80 {
        next += 1
        append(byte)
      } else {
        let from = next
        try skipMultibyteScalar()
        for position in 0..<(next - from) { append(from[position]) }
      }
    }
    throw JSONSyntaxError()
  }

  /// What follows a backslash. Half a surrogate pair stands for no character, so it is refused like bytes that are not
  /// UTF-8.
  private mutating func escape() throws(JSONSyntaxError) -> Unicode.Scalar {
    guard next < end else { throw JSONSyntaxError() }
    let byte = next.pointee
    next += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
    case UInt8(ascii: "b"): return "\u{08}"
    case UInt8(ascii: "f"): return "\u{0C}"
    case UInt8(ascii: "n"): return "\n"
    case UInt8(ascii: "r"): return "\r"
    case UInt8(ascii: "t"): return "\t"
    case UInt8(ascii: "u"): break
    default: throw JSONSyntaxError()
    }
    let unit = try fourHexadecimalDigits()
    if let scalar = Unicode.Scalar(unit) { return scalar }
    guard unit < 0xDC00, end - next >= 2, next[0] == UInt8(ascii: "\\"), next[1] == UInt8(ascii: "u") else {
      throw JSONSyntaxError()
    }
    next += 2
    let low = try fourHexadecimalDigits()
    guard (0xDC00...0xDFFF).contains(low) else { throw JSONSyntaxError() }
    return Unicode.Scalar(0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00))!
  }

  private mutating func fourHexadecimalDigits() throws(JSONSyntaxError) -> UInt32 {
    guard end - next >= 4 else { throw JSONSyntaxError() }
    var value: UInt32 = 0
    for _ in 0..<4 {
      guard let digit = hexadecimal(next.pointee) else { throw JSONSyntaxError() }
      value = value << 4 | UInt32(digit)
      next += 1
    }
    return value
  }

  /// Skips a character of two to four bytes; overlong forms, surrogates and what lies beyond U+10FFFF are refused
  /// (Unicode, table 3-7).
  private mutating func skipMultibyteScalar() throws(JSONSyntaxError) {
    let lead = next.pointee
    let second: ClosedRange<UInt8>
    let length: Int
    switch lead {
    case 0xC2...0xDF: (second, length) = (0x80...0xBF, 2)
    case 0xE0: (second, length) = (0xA0...0xBF, 3)
    case 0xED: (second, length) = (0x80...0x9F, 3)
    case 0xE1...0xEF: (second, length) = (0x80...0xBF, 3)
    case 0xF0: (second, length) = (0x90...0xBF, 4)
    case 0xF1...0xF3: (second, length) = (0x80...0xBF, 4)
    case 0xF4: (second, length) = (0x80...0x8F, 4)
    default: throw JSONSyntaxError()
    }
    guard end - next >= length, second.contains(next[1]) else { throw JSONSyntaxError() }
    for position in 2..<max(2, length) where !(0x80...0xBF).contains(next[position]) { throw JSONSyntaxError() }
    next += length
  }
}

// MARK: - Numbers

extension JSONReader {
  /// A number of the JSON grammar.
  package enum Number: Equatable {
    /// Without fraction and exponent.
    case integer(Int64)
    /// The same, but beyond 64 bits.
    case hugeInteger
    /// With a fraction or an exponent.
    case other
  }

  /// Takes a number; the next byte has to be its first.
  package mutating func number() throws(JSONSyntaxError) -> Number {
    let isNegative = take(UInt8(ascii: "-"))
    var magnitude: Int64 = 0
    var isHuge = false
    let first = next
    while let digit = nextDigit() {
      next += 1
      let (product, overflow) = magnitude.multipliedReportingOverflow(by: 10)
      let (sum, carry) = product.addingReportingOverflow(Int64(digit))
      isHuge = isHuge || overflow || carry
      magnitude = isHuge ? 0 : sum
    }
    if next == first || (first.pointee == UInt8(ascii: "0") && next - first > 1) { throw JSONSyntaxError() }
    var isInteger = true
    if next < end, next.pointee == UInt8(ascii: ".") {
      next += 1
      isInteger = false
      try skipDigits()
    }
    if next < end, next.pointee | 0x20 == UInt8(ascii: "e") {
      next += 1
      isInteger = false
      if next < end, next.pointee == UInt8(ascii: "+") || next.pointee == UInt8(ascii: "-") { next += 1 }
      try skipDigits()
    }
    if !isInteger { return .other }
    return isHuge ? .hugeInteger : .integer(isNegative ? -magnitude : magnitude)
  }

  private func nextDigit() -> UInt8? {
    guard next < end, (0x30...0x39).contains(next.pointee) else { return nil }
    return next.pointee - 0x30
  }

  private mutating func skipDigits() throws(JSONSyntaxError) {
    if nextDigit() == nil { throw JSONSyntaxError() }
    while nextDigit() != nil { next += 1 }
  }
}

// MARK: - Values that the contract does not have

extension JSONReader {
  /// Skips a value of any type and depth, checking its grammar. The nesting is kept as one bit a level, so that its
  /// depth costs an eighth of a byte and no stack.
  package mutating func skipValue() throws(JSONSyntaxError) {
    var nesting = BitStack()
    repeat {
      switch peek() {
      case UInt8(ascii: "{"):
        next += 1
        if !take(UInt8(ascii: "}")) {
          nesting.push(isObject: true)
          try memberName()
          continue
        }
      case UInt8(ascii: "["):
        next += 1
        if !take(UInt8(ascii: "]")) {
          nesting.push(isObject: false)
          continue
        }
      case UInt8(ascii: "\""): _ = try text()
      case UInt8(ascii: "t"): try literal("true")
      case UInt8(ascii: "f"): try literal("false")
      case UInt8(ascii: "n"): try literal("null")
      default: _ = try number()
      }
      // A value is complete: close what it was the last one of, then go on to its next sibling.
      while let isObject = nesting.top {
        if take(UInt8(ascii: ",")) {
          if isObject { try memberName() }
          break
        }
        try expect(isObject ? UInt8(ascii: "}") : UInt8(ascii: "]"))
        nesting.pop()
      }
    } while nesting.top != nil
  }

  private mutating func memberName() throws(JSONSyntaxError) {
    _ = try text()
    try expect(UInt8(ascii: ":"))
  }
}

/// A stack of bits.
private struct BitStack {
  private var words: [UInt64] = []
  private var count = 0

  var top: Bool? {
    count == 0 ? nil : words[(count - 1) / 64] >> UInt64((count - 1) % 64) & 1 == 1
  }

  mutating func push(isObject: Bool) {
    if count % 64 == 0 { words.append(0) }
    words[count / 64] |= (isObject ? 1 : 0) << UInt64(count % 64)
    count += 1
  }

  mutating func pop() {
    count -= 1
    words[count / 64] &= ~(1 << UInt64(count % 64))
    if count % 64 == 0 { words.removeLast() }
  }
}
