import AnalyticsContract
import Testing

@Suite struct CalendarDays {
  @Test func `Every day from 1900 to 2200 has its number, its text, and no impossible neighbour`() {
    var number: Int32 = -25_567  // 1900-01-01
    var wrong: [String] = []
    for year in 1900...2200 {
      for month in 1...12 {
        let length = daysOfMonth(month, year)
        for day in 1...length {
          let text = "\(year)-\(twoDigits(month))-\(twoDigits(day))"
          let calendarDay = CalendarDay(daysSince1970: number)
          if calendarDay.description != text || CalendarDay(iso8601: text) != calendarDay { wrong.append(text) }
          number += 1
        }
        for day in [0] + (length + 1...32) {
          let text = "\(year)-\(twoDigits(month))-\(twoDigits(day))"
          if CalendarDay(iso8601: text) != nil { wrong.append(text) }
        }
      }
    }
    #expect(number == 84_371)  // 2201-01-01
    #expect(wrong.isEmpty, "first: \(String(describing: wrong.first))")
  }

  @Test func `Every year from 0 to 9999 begins, ends and has its leap day where an independent count says`() {
    var newYear: Int32 = -719_528  // 0000-01-01
    var wrong: [Int] = []
    for year in 0...9999 {
      let digits = fourDigits(year)
      let length: Int32 = daysOfMonth(2, year) == 29 ? 366 : 365
      let isRight =
        CalendarDay(iso8601: digits + "-01-01")?.daysSince1970 == newYear
        && CalendarDay(iso8601: digits + "-12-31")?.daysSince1970 == newYear + length - 1
        && CalendarDay(iso8601: digits + "-02-29")?.daysSince1970 == (length == 366 ? newYear + 59 : nil)
        && CalendarDay(iso8601: digits + "-03-01")?.daysSince1970 == newYear + length - 306
        && CalendarDay(daysSince1970: newYear).description == digits + "-01-01"
      if !isRight { wrong.append(year) }
      newYear += length
    }
    #expect(newYear == 2_932_897)  // 10000-01-01
    #expect(wrong.isEmpty)
  }

  @Test func `Any byte in any place of a date makes exactly the dates that exist`() {
    var wrong: [String] = []
    for date in ["2026-02-28", "2024-12-31", "1999-09-30"] {
      for position in 0..<10 {
        for byte in UInt8.min ... .max {
          var bytes = Array(date.utf8)
          bytes[position] = byte
          let day = reading(bytes) { CalendarDay(iso8601: $0) }
          let text = String(decoding: bytes, as: UTF8.self)
          if (day != nil) != isDate(bytes) || (day != nil && day?.description != text) { wrong.append(text) }
        }
      }
    }
    #expect(wrong.isEmpty, "\(wrong)")
  }

  @Test(arguments: [
    "", "2026", "2026-01", "2026-1-01", "2026-01-1", "26-01-01", "02026-01-01", "2026-01-011", "20260101", "2026/01/01",
    "2026-01-01T", " 2026-01-01", "2026-01-01 ", "2026-01-01Z", "-026-01-01", "+026-01-01", "2026-00-10", "2026-13-10",
    "2026-001-1", "٢٠٢٦-01-01",
  ])
  func `Another form is no date`(text: String) {
    #expect(CalendarDay(iso8601: text) == nil)
  }

  @Test func `Days order and move by their number`() {
    let day = CalendarDay(iso8601: "2024-02-28")!
    #expect(day.advanced(by: 1).description == "2024-02-29")
    #expect(day.advanced(by: 2).description == "2024-03-01")
    #expect(day.advanced(by: -59).description == "2023-12-31")
    #expect(day.advanced(by: 0) == day)
    #expect(day < day.advanced(by: 1))
    #expect(!(day < day))
  }

  @Test func `An instant lies in the day that its microsecond belongs to, before 1970 too`() {
    let microseconds: [(Int64, Int32)] = [
      (0, 0), (-1, -1), (86_399_999_999, 0), (86_400_000_000, 1), (-86_400_000_000, -1), (-86_400_000_001, -2),
    ]
    for (microsecond, day) in microseconds {
      #expect(Instant(microseconds: microsecond).day == CalendarDay(daysSince1970: day))
    }
  }
}

/// The length of a month as a child learns it.
func daysOfMonth(_ month: Int, _ year: Int) -> Int {
  if month == 2 {
    if year % 400 == 0 { return 29 }
    if year % 100 == 0 { return 28 }
    return year % 4 == 0 ? 29 : 28
  }
  return [31, 0, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1]
}

func twoDigits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }

private func fourDigits(_ number: Int) -> String { twoDigits(number / 100) + twoDigits(number % 100) }

/// Whether ten bytes are a date that exists.
func isDate(_ bytes: some Collection<UInt8>) -> Bool {
  let characters = bytes.map { Character(Unicode.Scalar($0)) }
  guard characters.count == 10, characters[4] == "-", characters[7] == "-",
    let year = number(characters[0..<4]), let month = number(characters[5..<7]), let day = number(characters[8..<10])
  else { return false }
  return month >= 1 && month <= 12 && day >= 1 && day <= daysOfMonth(month, year)
}

/// The number that ASCII digits write.
func number(_ characters: ArraySlice<Character>) -> Int? {
  characters.allSatisfy { "0123456789".contains($0) } ? Int(String(characters)) : nil
}
