import AnalyticsContract
import Testing

@Suite struct Instants {
  @Test(
    arguments: [
      ("1970-01-01T00:00:00Z", 0),
      ("1970-01-01T00:00:00+00:00", 0),
      ("2026-11-29T10:00:00Z", 1_795_946_400_000_000),
      ("2026-11-29T10:00:00.1Z", 1_795_946_400_100_000),
      ("2026-11-29T10:00:00.12Z", 1_795_946_400_120_000),
      ("2026-11-29T10:00:00.123Z", 1_795_946_400_123_000),
      ("2026-11-29T10:00:00.1234Z", 1_795_946_400_123_400),
      ("2026-11-29T10:00:00.12345Z", 1_795_946_400_123_450),
      ("2026-11-29T10:00:00.123456Z", 1_795_946_400_123_456),
      ("2026-11-29T10:00:00.1234569Z", 1_795_946_400_123_456),
      ("2026-11-29T10:00:00.12345699Z", 1_795_946_400_123_456),
      ("2026-11-29T10:00:00.123456999Z", 1_795_946_400_123_456),
      ("2026-11-29T10:00:00.000000999Z", 1_795_946_400_000_000),
      ("2026-11-29T10:00:00.000001Z", 1_795_946_400_000_001),
      ("2026-11-29T10:00:00.0Z", 1_795_946_400_000_000),
      ("2026-11-29T10:00:00.123+00:00", 1_795_946_400_123_000),
      ("2026-11-29T10:00:00.123456789+00:00", 1_795_946_400_123_456),
      ("2000-02-29T23:59:59.999999Z", 951_868_799_999_999),
      ("2024-02-29T12:34:56Z", 1_709_210_096_000_000),
      ("1969-12-31T23:59:59.999999Z", -1),
      ("1969-12-31T23:59:59.999999999Z", -1),
      ("1969-12-31T23:59:59Z", -1_000_000),
      ("0000-01-01T00:00:00Z", -62_167_219_200_000_000),
      ("9999-12-31T23:59:59.999999Z", 253_402_300_799_999_999),
    ] as [(String, Int64)])
  func `A form of the contract gives its microsecond`(text: String, microseconds: Int64) {
    #expect(Instant(iso8601: text) == Instant(microseconds: microseconds))
  }

  @Test(arguments: [
    "", "Z", "2026-11-29", "2026-11-29T10:00Z", "2026-11-29T10:00:00", "2026-11-29T10:00:00.123",
    "2026-11-29T10:00:00.Z", "2026-11-29T10:00:00.+00:00", "2026-11-29T10:00:00.1234567890Z",
    "2026-11-29T10:00:00.1234567890+00:00", "2026-11-29T10:00:00,123Z", "2026-11-29T10:00:00.12a Z",
    "2026-11-29t10:00:00Z", "2026-11-29T10:00:00z", "2026-11-29 10:00:00Z", "2026-11-29T10:00:00 Z",
    " 2026-11-29T10:00:00Z", "2026-11-29T10:00:00Z ", "2026-11-29T10:00:00Z\n", "2026-11-29T10:00:00ZZ",
    "2026-11-29T10:00:00+01:00", "2026-11-29T10:00:00-00:00", "2026-11-29T10:00:00+00:01", "2026-11-29T10:00:00+0000",
    "2026-11-29T10:00:00+00", "2026-11-29T10:00:00+00:00Z", "2026-11-29T10:00:00Z+00:00", "2026-11-29T10:00:00UTC",
    "2026-11-29T10:00:00-08:00", "2026-11-29T10:00:00+0:00", "2026-11-29T24:00:00Z", "2026-11-29T23:60:00Z",
    "2026-11-29T23:59:60Z", "2016-12-31T23:59:60Z", "2026-11-29T99:00:00Z", "2026-02-29T10:00:00Z",
    "2100-02-29T10:00:00Z", "2026-04-31T10:00:00Z", "2026-00-01T10:00:00Z", "2026-13-01T10:00:00Z",
    "2026-01-00T10:00:00Z", "2026-1-29T10:00:00Z", "26-11-29T10:00:00Z", "12026-11-29T10:00:00Z",
    "+2026-11-29T10:00:00Z", "-026-11-29T10:00:00Z", "2026-11-29T1:00:00Z", "2026-11-29T10:0:00Z",
    "2026-11-29T10:00:0Z",
    "20261129T100000Z", "2026-W48-7T10:00:00Z", "2026-333T10:00:00Z", "2026-11-29T10:00:00.-12Z",
    "2026-11-29T10:00:00.1.2Z", "1795946400", "2026-11-29T１０:00:00Z", "2026-11-29T10:00:00\u{0}Z",
    "2026-11-29T10:00:00.123456789012345678901234567890Z",
  ])
  func `Another form is no instant`(text: String) {
    #expect(Instant(iso8601: text) == nil)
  }

  @Test func `Any byte in any place makes exactly the instants that the contract's form has`() {
    var wrong: [String] = []
    let texts = [
      "2026-11-29T10:00:00.123Z", "2026-11-29T10:00:00Z", "2024-02-29T23:59:59.123456789+00:00",
      "2026-11-30T19:29:39+00:00",
    ]
    for text in texts {
      for position in 0..<text.utf8.count {
        for byte in UInt8.min ... .max {
          var bytes = Array(text.utf8)
          bytes[position] = byte
          let isRead = reading(bytes) { Instant(iso8601: $0) } != nil
          if isRead != isInstant(bytes) { wrong.append(String(decoding: bytes, as: UTF8.self)) }
        }
      }
    }
    #expect(wrong.isEmpty, "\(wrong)")
  }

  @Test func `Every prefix of an instant is none but those that end in Z`() {
    for text in ["2026-11-29T10:00:00.123456789Z", "2026-11-29T10:00:00.123456789+00:00"] {
      for length in 0..<text.utf8.count { #expect(Instant(iso8601: String(text.prefix(length))) == nil) }
    }
  }

  @Test func `Text with six digits reads back as the same instant, with fewer as the earlier one on their grid`() {
    // A step that is prime lets the samples fall on all hours, seconds and fractions.
    var wrong: [Int64] = []
    var samples = 0
    for microseconds in stride(from: Int64(-2_208_988_800_000_000), to: 7_289_654_400_000_000, by: 951_161_899_493) {
      samples += 1
      let instant = Instant(microseconds: microseconds)
      var grid: Int64 = 1
      for digits in [6, 3, 0] {
        let steps = microseconds / grid - (microseconds % grid < 0 ? 1 : 0)
        if Instant(iso8601: instant.iso8601(fractionDigits: digits)) != Instant(microseconds: steps * grid) {
          wrong.append(microseconds)
        }
        grid *= 1000
      }
      if Instant(iso8601: instant.description) != Instant(iso8601: instant.iso8601(fractionDigits: 3)) {
        wrong.append(microseconds)
      }
    }
    #expect(samples > 9000)
    #expect(wrong.isEmpty, "\(wrong)")
  }

  @Test func `Text has the asked number of fraction digits, cut and not rounded`() {
    let instant = Instant(microseconds: 1_795_946_400_129_999)
    let texts = (0...6).map { instant.iso8601(fractionDigits: $0) }
    #expect(
      texts == [
        "2026-11-29T10:00:00Z", "2026-11-29T10:00:00.1Z", "2026-11-29T10:00:00.12Z", "2026-11-29T10:00:00.129Z",
        "2026-11-29T10:00:00.1299Z", "2026-11-29T10:00:00.12999Z", "2026-11-29T10:00:00.129999Z",
      ])
    #expect(instant.description == "2026-11-29T10:00:00.129Z")
    #expect(Instant(microseconds: -1).iso8601(fractionDigits: 6) == "1969-12-31T23:59:59.999999Z")
    #expect(Instant(microseconds: 5).description == "1970-01-01T00:00:00.000Z")
  }

  @Test func `Instants order and move by their microseconds`() {
    let instant = Instant(microseconds: 1_500_000)
    #expect(instant.advanced(bySeconds: 2).microseconds == 3_500_000)
    #expect(instant.advanced(bySeconds: -2).microseconds == -500_000)
    #expect(instant < Instant(microseconds: 1_500_001))
    #expect(!(instant < instant))
  }

  @Test func `A fixed clock stands still and the machine's clock moves by its offset`() {
    let noon = instant("2026-11-29T12:00:00Z")
    let clock = UTCClock.fixed(noon)
    #expect(clock.now == noon)
    #expect(clock.now == noon)
    let before = UTCClock.system.now
    let ahead = UTCClock.offset(seconds: 86_400).now
    let after = UTCClock.system.now
    #expect(before.advanced(bySeconds: 86_400) <= ahead)
    #expect(ahead <= after.advanced(bySeconds: 86_400))
  }
}

/// Whether bytes have the contract's form of an instant, read character by character.
private func isInstant(_ bytes: [UInt8]) -> Bool {
  let characters = bytes.map { Character(Unicode.Scalar($0)) }
  guard characters.count >= 20, isDate(bytes.prefix(10)), characters[10] == "T", characters[13] == ":",
    characters[16] == ":", let hour = number(characters[11..<13]), hour <= 23,
    let minute = number(characters[14..<16]), minute <= 59,
    let second = number(characters[17..<19]), second <= 59
  else { return false }
  var rest = String(characters[19...])
  if rest.hasSuffix("Z") {
    rest.removeLast()
  } else if rest.hasSuffix("+00:00") {
    rest.removeLast(6)
  } else {
    return false
  }
  if rest.isEmpty { return true }
  guard rest.hasPrefix(".") else { return false }
  let digits = Array(rest.dropFirst())
  return digits.count >= 1 && digits.count <= 9 && number(digits[...]) != nil
}
