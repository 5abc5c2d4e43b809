import AnalyticsContract
import Ingestion
import PostgreSQL

extension DayTotals {
  /// One row of deltas: the parameters of ``IngestionStatements/addDeltas``.
  func deltas(_ counts: DayCounts) -> PostgreSQLParameters {
    var parameters = PostgreSQLParameters()
    addEvents(to: &parameters)
    addUsage(to: &parameters)
    addReceipts(to: &parameters)
    addRejections(counts.rejections, to: &parameters)
    add(links.map { ($0, $1) }, to: &parameters)
    add(counts.invitationViews.map { ($0, Int64($1)) }, to: &parameters)
    return parameters
  }

  private func add(_ totals: [(day: CalendarDay, count: Int64)], to parameters: inout PostgreSQLParameters) {
    var days = BinaryArray(of: .int32)
    var counts = BinaryArray(of: .int64)
    for total in totals {
      days.append(total.day)
      counts.append(total.count)
    }
    parameters.add(days)
    parameters.add(counts)
  }

  private func addEvents(to parameters: inout PostgreSQLParameters) {
    var days = BinaryArray(of: .int32, capacity: events.count)
    var codes = [BinaryArray](repeating: BinaryArray(of: .int16, capacity: events.count), count: 7)
    var versions = BinaryArray(of: .text, capacity: events.count)
    var counts = BinaryArray(of: .int64, capacity: events.count)
    for (key, count) in events {
      days.append(key.day)
      codes[0].append(code: key.kind.type.code)
      codes[1].append(code: key.kind.surface.code)
      for (position, dimension) in Dimension.allCases.enumerated() {
        codes[2 + position].append(code: key.kind.code(of: dimension))
      }
      versions.append(key: key.appVersion)
      counts.append(count)
    }
    for array in [days] + codes + [versions, counts] { parameters.add(array) }
  }

  private func addUsage(to parameters: inout PostgreSQLParameters) {
    var days = BinaryArray(of: .int32)
    var counts = [BinaryArray](repeating: BinaryArray(of: .int64), count: 1 + UsageCounter.allCases.count)
    for (day, total) in usage {
      days.append(day)
      counts[0].append(total.summaries)
      for (position, count) in total.counts.enumerated() { counts[1 + position].append(count) }
    }
    for array in [days] + counts { parameters.add(array) }
  }

  private func addReceipts(to parameters: inout PostgreSQLParameters) {
    var days = BinaryArray(of: .int32)
    var codes = [BinaryArray](repeating: BinaryArray(of: .int16), count: 3)
    var versions = BinaryArray(of: .text)
    var counts = BinaryArray(of: .int64)
    for (key, count) in receipts {
      days.append(key.day)
      codes[0].append(code: key.endpoint.code)
      codes[1].append(Int16(key.outcome.rawValue))
      codes[2].append(code: key.lateness?.code ?? 0)
      versions.append(key: key.appVersion)
      counts.append(count)
    }
    for array in [days] + codes + [versions, counts] { parameters.add(array) }
  }

  private func addRejections(_ rejections: RejectionCounts, to parameters: inout PostgreSQLParameters) {
    var days = BinaryArray(of: .int32)
    var statuses = BinaryArray(of: .int16)
    var counts = BinaryArray(of: .int64)
    for (key, count) in rejections.counts {
      days.append(key.day)
      statuses.append(Int16(key.code.status))
      counts.append(Int64(count))
    }
    for array in [days, statuses, counts] { parameters.add(array) }
  }
}
