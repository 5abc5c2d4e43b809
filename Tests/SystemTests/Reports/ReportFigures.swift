/// A value of a report.
enum Figure: Equatable {
  case count(Int)
  case rate(Double)
  /// In thousandths.
  case money(Int)
  /// A rate whose denominator is 0, or a day that isn't over.
  case null
  /// A count that needed identity which has gone.
  case gone
  /// A rate of such a count.
  case goneRate

  static func count(orGone count: Int?) -> Figure { count.map { .count($0) } ?? .gone }

  /// One number divided by another.
  static func ratio(_ numerator: Int?, _ denominator: Int?) -> Figure {
    guard let numerator, let denominator else { return .goneRate }
    return denominator == 0 ? .null : .rate(Double(numerator) / Double(denominator))
  }

  /// Whether an answer has this very value.
  func matches(_ json: OrderedJSON?) -> Bool {
    switch (self, json) {
    case (.count(let count), .number(let text)?): text == String(count)
    case (.rate(let rate), .number(let text)?): Double(text) == rate
    case (.money(let amount), .string(let text)?): text == Self.text(amount)
    case (.null, .null?), (.gone, .null?), (.goneRate, .null?): true
    default: false
    }
  }

  /// Whether a field of a CSV file has this very value.
  func matches(field: String) -> Bool {
    switch self {
    case .count(let count): field == String(count)
    case .rate(let rate): Double(field) == rate
    case .money(let amount): field == Self.text(amount)
    case .null, .gone, .goneRate: field.isEmpty
    }
  }

  static func text(_ thousandths: Int) -> String {
    let digits = String(abs(thousandths))
    let padded = String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    return (thousandths < 0 ? "-" : "") + padded.dropLast(3) + "." + padded.suffix(3)
  }

  var brief: String {
    switch self {
    case .count(let count): "\(count)"
    case .rate(let rate): "\(rate)"
    case .money(let amount): "\"\(Self.text(amount))\""
    case .null: "null"
    case .gone, .goneRate: "null (identity gone)"
    }
  }
}

/// The values of a period, in the order of the specification.
struct FigureRow {
  var figures: [(name: String, value: Figure)] = []

  init(_ figures: KeyValuePairs<String, Figure>) { self.figures = figures.map { ($0.key, $0.value) } }

  var names: [String] { figures.map(\.name) }
}

/// A report as it must be answered.
struct ExpectedReport {
  var name: String
  var from: Int
  var to: Int
  var granularity: ReportGranularity
  var generatedAt: Int
  var totals: FigureRow?
  var previousTotals: FigureRow?
  var series: [(period: String, row: FigureRow)] = []
  /// Nil for rows that need identity which has gone: what stands there is not settled.
  var breakdowns: [(name: String, rows: [(key: String?, row: FigureRow)]?)] = []
  var cohorts: [(cohort: String, size: Int, retained: [(days: Int, count: Figure)])]?

  /// Names that must be in `unavailable`, and those that may.
  var unavailable: (required: Set<String>, allowed: Set<String>) {
    var (required, allowed): (Set<String>, Set<String>) = ([], [])
    for row in [totals, previousTotals].compactMap({ $0 }) + series.map(\.row) {
      for (name, value) in row.figures {
        if value == .gone { required.insert(name) }
        if value == .goneRate { allowed.insert(name) }
      }
    }
    if breakdowns.contains(where: { $0.rows == nil }) { allowed.insert("activeInstallations") }
    return (required, allowed.union(required))
  }

  var title: String {
    "\(name) \(ReportCalendar.text(from))…\(ReportCalendar.text(to)) by \(granularity.rawValue)"
  }
}
