import AnalyticsContract
import Testing

@testable import Reporting

@Suite struct Periods {
  @Test func weeksBeginOnMondayAndMonthsOnTheirFirst() {
    // 1970-01-01 was a Thursday; the calendar is walked day by day beside a plain count of weekdays.
    var weekday = 3
    for number in Int32(0)..<40_000 {
      let day = CalendarDay(daysSince1970: number)
      #expect(day.startOfWeek == day.advanced(by: -Int32(weekday)))
      #expect("\(day.startOfMonth)" == "\(day)".prefix(8) + "01")
      #expect("\(day.startOfNextMonth)".suffix(2) == "01" && day.startOfNextMonth > day)
      #expect(day.startOfNextMonth.advanced(by: -1).startOfMonth == day.startOfMonth)
      weekday = (weekday + 1) % 7
    }
    #expect(CalendarDay(iso8601: "1969-12-31")!.startOfWeek == CalendarDay(iso8601: "1969-12-29")!)
  }

  @Test(arguments: Granularity.allCases) func everyDayOfARangeIsInOnePeriod(_ granularity: Granularity) {
    let first = CalendarDay(iso8601: "2027-12-20")!
    for start in Int32(0)..<80 {
      for length in [Int32(0), 1, 5, 6, 7, 27, 28, 30, 31, 59, 365] {
        let range = first.advanced(by: start)...first.advanced(by: start + length)
        let periods = Period.all(in: range, granularity)
        #expect(periods.flatMap { Array($0.days.days) } == Array(range.days))
        for period in periods {
          #expect(period.start <= period.days.lowerBound)
          #expect(period.days.days.allSatisfy { granularity.start(of: $0) == period.start })
        }
      }
    }
  }

  @Test func aPeriodIsNamedByItsFirstDateAlsoWhereTheRangeCutsIt() {
    let range = CalendarDay(iso8601: "2028-02-28")!...CalendarDay(iso8601: "2028-03-01")!
    #expect(Period.all(in: range, .day).map { "\($0.start)" } == ["2028-02-28", "2028-02-29", "2028-03-01"])
    #expect(Period.all(in: range, .week).map { "\($0.start)" } == ["2028-02-28"])
    #expect(Period.all(in: range, .month).map { "\($0.start)" } == ["2028-02-01", "2028-03-01"])
    #expect(Period.all(in: range, .month)[0].days.dayCount == 2)
  }
}
