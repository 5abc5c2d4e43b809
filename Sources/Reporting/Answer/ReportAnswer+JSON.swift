import AnalyticsContract

extension ReportAnswer {
  /// The answer as JSON (RFC 8259), its members in a fixed order.
  public func json() -> [UInt8] {
    let definition = report.definition
    var members: [(String, JSONText)] = [
      ("report", .string(report.rawValue)),
      ("from", .string("\(query.range.lowerBound)")),
      ("to", .string("\(query.range.upperBound)")),
      ("granularity", .string(query.granularity.rawValue)),
      ("timeZone", .string("UTC")),
      ("generatedAt", .string("\(generatedAt)")),
    ]
    if definition.hasCohorts {
      members.append(("cohorts", .array(cohorts.map(\.json))))
    } else {
      members.append(("totals", .object(definition.metrics, totals)))
      if let previousTotals { members.append(("previousTotals", .object(definition.metrics, previousTotals))) }
      let metrics = seriesMetrics
      members.append(
        (
          "series",
          .array(
            series.map { .object([("period", .string("\($0.period.start)"))] + JSONText.members(metrics, $0.values)) })
        ))
    }
    if !definition.breakdowns.isEmpty {
      members.append(
        (
          "breakdowns",
          .object(
            zip(definition.breakdowns, breakdowns).map { breakdown, rows in
              (breakdown.dimension.rawValue, .array(rows.map { $0.json(breakdown.metrics) }))
            })
        ))
    }
    if !unavailable.isEmpty { members.append(("unavailable", .array(unavailable.sorted().map(JSONText.string)))) }
    return Array(JSONText.object(members).text.utf8)
  }
}

extension ReportAnswer.BreakdownRow {
  fileprivate func json(_ metrics: [Metric]) -> JSONText {
    .object([("key", key.map(JSONText.string) ?? .null)] + JSONText.members(metrics, values))
  }
}

extension ReportAnswer.Cohort {
  fileprivate var json: JSONText {
    .object([
      ("cohort", .string("\(period.start)")), ("size", .value(size)),
      ("retained", .object(zip(ReportDefinition.retentionDays, retained).map { ("\($0)", .value($1)) })),
    ])
  }
}

/// A JSON value as text.
private struct JSONText {
  let text: String

  static let null = JSONText(text: "null")

  static func array(_ values: [JSONText]) -> JSONText {
    JSONText(text: "[\(values.map(\.text).joined(separator: ","))]")
  }

  static func object(_ members: [(String, JSONText)]) -> JSONText {
    JSONText(text: "{\(members.map { "\"\($0)\":\($1.text)" }.joined(separator: ","))}")
  }

  static func object(_ metrics: [Metric], _ values: [MetricValue]) -> JSONText { object(members(metrics, values)) }

  static func members(_ metrics: [Metric], _ values: [MetricValue]) -> [(String, JSONText)] {
    zip(metrics, values).map { ($0.name, .value($1)) }
  }

  static func value(_ value: MetricValue) -> JSONText {
    switch value {
    case .integer(let number): JSONText(text: "\(number)")
    // The shortest text that reads as the same number.
    case .ratio(let ratio): JSONText(text: "\(ratio)")
    case .money(let thousandths): string(decimal(thousandths: thousandths))
    case .null: null
    }
  }

  static func string(_ text: String) -> JSONText {
    var escaped = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": escaped += "\\\""
      case "\\": escaped += "\\\\"
      case "\u{0}"..."\u{1F}": escaped += "\\u00" + (scalar.value < 16 ? "0" : "") + String(scalar.value, radix: 16)
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return JSONText(text: escaped + "\"")
  }
}

/// An amount with three decimals.
func decimal(thousandths amount: Int64) -> String {
  let digits = String(amount.magnitude)
  let padded = String(repeating: "0", count: max(0, 4 - digits.count)) + digits
  return (amount < 0 ? "-" : "") + padded.dropLast(3) + "." + padded.suffix(3)
}
