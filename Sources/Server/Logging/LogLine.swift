/// Writes one log line as JSON.
enum LogLine {
  /// The bytes of a line, its line feed included. `time` is in microseconds since 1970 and written to the millisecond,
  /// rounded down.
  static func bytes(time: Int64, level: LogLevel, event: StaticString, fields: some Sequence<LogField>) -> [UInt8] {
    var line: [UInt8] = []
    line.reserveCapacity(160)
    line.append("{\"time\":\"")
    appendInstant(time, to: &line)
    line.append("\",\"level\":\"")
    line.append(level.label)
    line.append("\",\"event\":")
    appendText(event, to: &line)
    for field in fields {
      line.append(UInt8(ascii: ","))
      appendText(field.key, to: &line)
      line.append(UInt8(ascii: ":"))
      appendValue(field.value, to: &line)
    }
    line.append("}\n")
    return line
  }

  private static func appendValue(_ value: LogField.Value, to line: inout [UInt8]) {
    switch value {
    case .signed(let number): line.append(decimal: number)
    case .unsigned(let number): line.append(decimal: number)
    case .real(let number): line.append(contentsOf: (number.isFinite ? number.description : "null").utf8)
    case .truth(let flag): line.append(flag ? "true" : "false")
    case .request(let identifier):
      line.append(UInt8(ascii: "\""))
      identifier.write(to: &line)
      line.append(UInt8(ascii: "\""))
    case .sqlState(let state): line.append(contentsOf: "\"\(state)\"".utf8)
    case .text(let text): appendText(text, to: &line)
    }
  }

  /// A JSON string. The text comes from the source code and rarely needs an escape, but a line must never break.
  private static func appendText(_ text: StaticString, to line: inout [UInt8]) {
    line.append(UInt8(ascii: "\""))
    text.withUTF8Buffer { bytes in
      for byte in bytes {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"):
          line.append(UInt8(ascii: "\\"))
          line.append(byte)
        case 0..<0x20:
          line.append("\\u00")
          line.append(UInt8(ascii: "0") + byte >> 4)
          line.append(byte & 15 < 10 ? UInt8(ascii: "0") + byte & 15 : UInt8(ascii: "a") + byte & 15 - 10)
        default: line.append(byte)
        }
      }
    }
    line.append(UInt8(ascii: "\""))
  }

  /// `2026-11-29T12:00:00.123Z`. Days become a date by Howard Hinnant's `civil_from_days`.
  private static func appendInstant(_ microseconds: Int64, to line: inout [UInt8]) {
    let milliseconds = floorDivision(microseconds, by: 1_000)
    let days = floorDivision(milliseconds.quotient, by: 86_400_000)
    let shifted = floorDivision(days.quotient + 719_468, by: 146_097)
    let dayOfEra = shifted.remainder
    let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let monthFromMarch = (5 * dayOfYear + 2) / 153
    let day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
    let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
    let year = yearOfEra + shifted.quotient * 400 + (month <= 2 ? 1 : 0)
    let time = days.remainder
    line.append(decimal: Int(year), width: 4)
    line.append(UInt8(ascii: "-"))
    line.append(decimal: Int(month), width: 2)
    line.append(UInt8(ascii: "-"))
    line.append(decimal: Int(day), width: 2)
    line.append(UInt8(ascii: "T"))
    line.append(decimal: Int(time / 3_600_000), width: 2)
    line.append(UInt8(ascii: ":"))
    line.append(decimal: Int(time / 60_000 % 60), width: 2)
    line.append(UInt8(ascii: ":"))
    line.append(decimal: Int(time / 1_000 % 60), width: 2)
    line.append(UInt8(ascii: "."))
    line.append(decimal: Int(time % 1_000), width: 3)
    line.append(UInt8(ascii: "Z"))
  }

  private static func floorDivision(_ value: Int64, by divisor: Int64) -> (quotient: Int64, remainder: Int64) {
    let (quotient, remainder) = value.quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
  }
}
