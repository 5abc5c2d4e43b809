import AnalyticsContract

/// What one batch shows about its days: a handful, so that a search through them beats a dictionary.
struct DailyActivity {
  private(set) var days: [(day: CalendarDay, kinds: ActivityKinds)] = []

  mutating func add(_ kinds: ActivityKinds, on day: CalendarDay) {
    if let position = days.firstIndex(where: { $0.day == day }) {
      days[position].kinds.formUnion(kinds)
    } else {
      days.append((day, kinds))
    }
  }
}
