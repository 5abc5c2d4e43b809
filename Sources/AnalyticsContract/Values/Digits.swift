/// The value of an ASCII digit.
func digit(_ byte: UInt8) -> Int? {
  let value = Int(byte) - 0x30
  return (0...9).contains(value) ? value : nil
}

/// The value of the two ASCII digits at a position; the caller has checked the length.
func decimal(_ text: UnsafeBufferPointer<UInt8>, _ position: Int) -> Int? {
  guard let tens = digit(text[position]), let ones = digit(text[position + 1]) else { return nil }
  return tens * 10 + ones
}

/// A number with leading zeros up to a width.
func padded(_ value: Int64, _ width: Int) -> String {
  let digits = String(value)
  return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
}

/// The value of an ASCII hexadecimal digit of either case.
package func hexadecimal(_ byte: UInt8) -> UInt64? {
  switch byte {
  case 0x30...0x39: UInt64(byte - 0x30)
  case 0x41...0x46: UInt64(byte - 0x41 + 10)
  case 0x61...0x66: UInt64(byte - 0x61 + 10)
  default: nil
  }
}
