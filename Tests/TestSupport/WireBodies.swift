/// Makes valid bodies with identifiers of their own, by string code that shares nothing with the product's encoder.
public struct WireBodies: Sendable {
  /// The randomness behind identifiers and values.
  public var generator: SeededGenerator
  /// The beginning of `occurredAt` up to the minutes: an hour of the fixtures' day that every window includes.
  public var hour = "2026-11-29T11:"
  /// The last day that a summary may have.
  public var yesterday = "2026-11-28"

  /// A source of bodies.
  /// - Parameter seed: a text that no other test uses.
  public init(seed: String) { generator = SeededGenerator(seed: seed) }

  /// A random UUID of version 4 in upper case.
  public mutating func uuid() -> String {
    let (high, low) = (generator.next(), generator.next())
    let version4 = Self.hex(high & 0xffff_ffff_ffff_0fff | 0x4000) + Self.hex(low & 0x3fff_ffff_ffff_ffff | 1 << 63)
    let digits = Array(version4)
    let parts = [digits[0..<8], digits[8..<12], digits[12..<16], digits[16..<20], digits[20..<32]]
    return parts.map { String($0) }.joined(separator: "-")
  }

  /// A random installation identifier, in lower case as it stands at the root.
  public mutating func installation() -> String { uuid().lowercased() }

  /// An instant within ``hour``, to the millisecond as the clients write it.
  public mutating func instant() -> String {
    let (minute, second) = (Int.random(in: 0...59, using: &generator), Int.random(in: 0...59, using: &generator))
    return hour + Self.padded(minute, 2) + ":" + Self.padded(second, 2) + "."
      + Self.padded(Int.random(in: 0...999, using: &generator), 3) + "Z"
  }

  /// A valid event.
  /// - Parameters:
  ///   - type: its type; by default any but FIRST_OPEN, which an installation has once.
  ///   - surface: its surface; by default one that the type allows.
  /// - Returns: the event with everything that its type requires, both versions, and no optional dimension.
  public mutating func event(_ type: String? = nil, surface: String? = nil) -> WireItem {
    let row = type.map { WireCatalog.row($0) } ?? WireCatalog.rows.dropFirst().randomElement(using: &generator)!
    var event = WireItem()
    event["clientEventId"] = uuid()
    event["eventType"] = row.type
    event["occurredAt"] = instant()
    event["surface"] = surface ?? row.surfaces.randomElement(using: &generator)!
    event["appVersion"] = "2.0.0"
    event["osVersion"] = "26.0.1"
    for dimension in row.required { event[dimension] = value(dimension, in: row) }
    return event
  }

  /// A value that an event type allows for a dimension.
  public mutating func value(_ dimension: String, in row: WireEventRow) -> String {
    row.fixed[dimension] ?? WireCatalog.dimensions[dimension]!.randomElement(using: &generator)!
  }

  /// A valid summary.
  /// - Parameter date: its date; by default the last that is allowed.
  /// - Returns: the summary with all members.
  public mutating func summary(_ date: String? = nil) -> WireItem {
    var summary = WireItem()
    summary["clientSummaryId"] = uuid()
    summary["summaryDate"] = date ?? yesterday
    summary["appVersion"] = "2.0.0"
    summary["osVersion"] = "26.0.1"
    var sessions = 0
    for counter in WireCatalog.languageSessionCounters {
      let count = Int.random(in: 0...40, using: &generator)
      sessions += count
      summary.set(counter, json: String(count))
    }
    summary.set("inputSessionCount", json: String(sessions))
    for counter in WireCatalog.characterCounters {
      summary.set(counter, json: String(sessions + Int.random(in: 0...5000, using: &generator)))
    }
    return summary
  }

  /// A valid batch of events of a fresh installation, with a FIRST_OPEN at its beginning every other time.
  public mutating func events(_ count: Int, installation: String? = nil) -> WireBatch {
    var items = (0..<count).map { _ in event() }
    if installation == nil, Bool.random(using: &generator), !items.isEmpty { items[0] = event("FIRST_OPEN") }
    return WireBatch(.events, installation: installation ?? self.installation(), items: items)
  }

  /// A valid batch of summaries of successive days back from yesterday, at most 35.
  public mutating func summaries(_ count: Int, installation: String? = nil) -> WireBatch {
    let items = CivilDate.datesBack(from: yesterday, count).map { summary($0) }
    return WireBatch(.summaries, installation: installation ?? self.installation(), items: items)
  }

  /// One event in a batch of a fresh installation.
  public mutating func batch(of event: WireItem) -> WireBatch {
    WireBatch(.events, installation: installation(), items: [event])
  }

  static func padded(_ number: Int, _ width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
  }

  private static func hex(_ value: UInt64) -> String {
    let digits = String(value, radix: 16, uppercase: true)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}

/// Calendar arithmetic for the tests, day by day and by the book.
public enum CivilDate {
  /// A date and those before it, newest first.
  /// - Parameters:
  ///   - date: `YYYY-MM-DD`.
  ///   - count: how many dates.
  /// - Returns: the dates.
  public static func datesBack(from date: String, _ count: Int) -> [String] {
    var dates: [String] = []
    var current = date
    for _ in 0..<count {
      dates.append(current)
      current = dayBefore(current)
    }
    return dates
  }

  static func dayBefore(_ date: String) -> String {
    var parts = date.split(separator: "-").map { Int($0)! }
    parts[2] -= 1
    if parts[2] == 0 {
      parts[1] -= 1
      if parts[1] == 0 { (parts[0], parts[1]) = (parts[0] - 1, 12) }
      parts[2] = daysInMonth(parts[1], year: parts[0])
    }
    return "\(WireBodies.padded(parts[0], 4))-\(WireBodies.padded(parts[1], 2))-\(WireBodies.padded(parts[2], 2))"
  }

  private static func daysInMonth(_ month: Int, year: Int) -> Int {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }
}
