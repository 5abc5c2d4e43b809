/// A point in time in whole microseconds since 1970-01-01T00:00:00Z, without leap seconds.
public struct Instant: Sendable, Hashable, Comparable {
  /// Microseconds since 1970-01-01T00:00:00Z.
  public var microseconds: Int64

  /// - Parameter microseconds: microseconds since 1970-01-01T00:00:00Z.
  public init(microseconds: Int64) { self.microseconds = microseconds }

  /// Earlier instants order first.
  public static func < (left: Instant, right: Instant) -> Bool { left.microseconds < right.microseconds }

  /// This instant moved by a number of seconds; negative moves it back.
  public func advanced(bySeconds seconds: Int64) -> Instant {
    Instant(microseconds: microseconds + seconds * 1_000_000)
  }

  /// The UTC day that holds this instant.
  public var day: CalendarDay {
    let (quotient, remainder) = microseconds.quotientAndRemainder(dividingBy: CalendarDay.microseconds)
    return CalendarDay(daysSince1970: Int32(remainder < 0 ? quotient - 1 : quotient))
  }
}

extension Instant {
  /// Reads the contract's form of ISO 8601: `YYYY-MM-DDThh:mm:ss`, then optionally `.` and 1 to 9 digits, then `Z` or
  /// `+00:00`. Digits beyond the microsecond are cut off, not rounded. Other offsets, lower-case letters, impossible
  /// dates, hour 24 and second 60 are refused (WIRE: "Events").
  /// - Returns: `nil` where the bytes are not of that form.
  public init?(iso8601 text: UnsafeBufferPointer<UInt8>) {
    guard text.count >= 20, text.count <= 35,
      text[10] == UInt8(ascii: "T"), text[13] == UInt8(ascii: ":"), text[16] == UInt8(ascii: ":"),
      let day = CalendarDay(iso8601: UnsafeBufferPointer(rebasing: text[..<10])),
      let hour = decimal(text, 11), hour < 24,
      let minute = decimal(text, 14), minute < 60,
      let second = decimal(text, 17), second < 60
    else { return nil }
    var position = 19
    var fraction: Int64 = 0
    if text[position] == UInt8(ascii: ".") {
      position += 1
      var digits = 0
      while position < text.count, let digit = digit(text[position]) {
        digits += 1
        if digits > 9 { return nil }
        if digits <= 6 { fraction = fraction * 10 + Int64(digit) }
        position += 1
      }
      if digits == 0 { return nil }
      while digits < 6 {
        fraction *= 10
        digits += 1
      }
    }
    guard Self.isUTC(UnsafeBufferPointer(rebasing: text[position...])) else { return nil }
    let seconds = Int64(hour * 3600 + minute * 60 + second)
    self.init(microseconds: Int64(day.daysSince1970) * CalendarDay.microseconds + seconds * 1_000_000 + fraction)
  }

  /// Reads the same form from a string.
  public init?(iso8601 text: String) {
    var text = text
    guard let instant = text.withUTF8({ Instant(iso8601: $0) }) else { return nil }
    self = instant
  }

  private static func isUTC(_ suffix: UnsafeBufferPointer<UInt8>) -> Bool {
    if suffix.count == 1 { return suffix[0] == UInt8(ascii: "Z") }
    return suffix.elementsEqual("+00:00".utf8)
  }
}

extension Instant: CustomStringConvertible {
  /// `YYYY-MM-DDThh:mm:ss.mmmZ`, the fraction cut to milliseconds, as the clients send it.
  public var description: String { iso8601(fractionDigits: 3) }

  /// `YYYY-MM-DDThh:mm:ss[.fraction]Z` with 0 to 6 fraction digits; the rest is cut off.
  public func iso8601(fractionDigits: Int) -> String {
    let day = day
    var rest = microseconds - Int64(day.daysSince1970) * CalendarDay.microseconds
    var fraction = rest % 1_000_000
    rest /= 1_000_000
    var text = "\(day)T\(padded(rest / 3600, 2)):\(padded(rest / 60 % 60, 2)):\(padded(rest % 60, 2))"
    if fractionDigits > 0 {
      for _ in fractionDigits..<6 { fraction /= 10 }
      text += "." + padded(fraction, fractionDigits)
    }
    return text + "Z"
  }
}
