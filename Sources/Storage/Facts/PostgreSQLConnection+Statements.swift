import AnalyticsContract
import PostgreSQL

extension PostgreSQLConnection: StatementRunner {
  static func isOutsideAlphabet(_ column: String, maximumLength: Int) -> String {
    "\(column) !~ '^[A-Za-z0-9._+-]{0,\(maximumLength)}$'"
  }

  func select(
    _ sql: String, _ parameters: [StoredValue], _ columns: [ColumnType]
  ) throws(PostgreSQLError) -> [[StoredValue]] {
    rows(of: try query(sql, PostgreSQLParameters(parameters)), columns)
  }

  static func source(of table: TotalTable) -> String {
    let columns: [String]
    switch table {
    case .events:
      columns = [
        "event_days", "event_types", "event_surfaces", "event_acquisition_channels", "event_features",
        "event_execution_modes", "event_failure_categories", "event_duration_buckets", "event_app_versions",
        "event_counts",
      ]
    case .usage:
      columns =
        ["usage_days", "usage_summary_counts"] + UsageCounter.allCases.map { "usage_\($0.column)" }
    case .receipts:
      columns = [
        "receipt_days", "receipt_endpoints", "receipt_outcomes", "receipt_latenesses", "receipt_app_versions",
        "receipt_item_counts",
      ]
    case .rejections: columns = ["rejection_days", "rejection_statuses", "rejection_batch_counts"]
    case .links: columns = ["link_days", "link_installation_counts"]
    case .invitations: columns = ["invitation_days", "invitation_view_counts"]
    }
    return """
      (SELECT * FROM folded_\(table.rawValue) UNION ALL
      SELECT delta.* FROM day_total_deltas, unnest(\(columns.joined(separator: ", "))) AS delta) AS totals
      """
  }

  static var isEmbedded: Bool { false }

  static var firstDay: String {
    """
    least(
      (SELECT min(day) FROM sealed_days), (SELECT min(day) FROM folded_event_day_totals),
      (SELECT min(day) FROM folded_usage_day_totals),
      (SELECT min(day) FROM day_total_deltas, unnest(event_days || usage_days) AS added (day)))::bigint
    """
  }

  func scan(_ sql: String, _ parameters: [StoredValue], _ body: (PostgreSQLRow) -> Void) throws(PostgreSQLError) {
    let result = try query(sql, PostgreSQLParameters(parameters))
    for row in 0..<result.rowCount { body(PostgreSQLRow(result: result, row: row)) }
  }

  @discardableResult
  func change(_ sql: String, _ parameters: [StoredValue]) throws(PostgreSQLError) -> Int64 {
    Int64(try query(sql, PostgreSQLParameters(parameters)).affectedRows)
  }

  func load(_ table: TableDescription, _ keys: [StoredValue]) throws(PostgreSQLError) -> [[StoredValue]] {
    if keys.isEmpty { return [] }
    let key = table.columns[0]
    let sql = "SELECT \(table.columnList) FROM \(table.name) WHERE \(key.name) = ANY ($1::\(key.type.rawValue)[])"
    return rows(of: try query(sql, PostgreSQLParameters(BinaryArray(keys, key.type))), table.types)
  }

  func store(_ table: TableDescription, _ rows: [[StoredValue]]) throws(PostgreSQLError) {
    if rows.isEmpty { return }
    let arrays = table.types.enumerated().map { "$\($0.offset + 1)::\($0.element.rawValue)[]" }.joined(separator: ", ")
    var parameters = PostgreSQLParameters()
    for (column, type) in table.types.enumerated() { parameters.add(BinaryArray(rows.map { $0[column] }, type)) }
    _ = try query(
      "INSERT INTO \(table.name) (\(table.columnList)) SELECT * FROM unnest(\(arrays)) \(table.onConflict)", parameters)
  }

  private func rows(of result: PostgreSQLResult, _ types: [ColumnType]) -> [[StoredValue]] {
    (0..<result.rowCount).map { row in
      types.enumerated().map { column, type in
        if result.isNull(row, column) { return .null }
        switch type {
        case .smallint, .integer, .bigint: return .integer(result.integer(row, column))
        case .uuid, .bytea: return .bytes(Array(result.bytes(row, column)))
        case .text: return .text(result.text(row, column))
        }
      }
    }
  }
}

/// A row of a result.
struct PostgreSQLRow: StoredRow {
  let result: PostgreSQLResult
  let row: Int

  func isNull(_ column: Int) -> Bool { result.isNull(row, column) }
  func integer(_ column: Int) -> Int64 { result.integer(row, column) }
  func text(_ column: Int) -> String { result.text(row, column) }
  func bytes(_ column: Int) -> UnsafeRawBufferPointer { result.bytes(row, column) }
}

extension PostgreSQLParameters {
  fileprivate init(_ values: [StoredValue]) {
    self.init()
    for value in values {
      switch value {
      case .null: addNull()
      case .integer(let value): add(value)
      case .bytes(let bytes): bytes.withUnsafeBytes { add(bytes: $0) }
      case .text(let text): add(text)
      }
    }
  }
}

extension BinaryArray {
  fileprivate init(_ values: [StoredValue], _ type: ColumnType) {
    self.init(of: type.element, capacity: values.count)
    for value in values {
      switch value {
      case .null: appendNull()
      case .integer(let value): append(value, as: type)
      case .bytes(let bytes): bytes.withUnsafeBytes { append(bytes: $0) }
      case .text(let text): Array(text.utf8).withUnsafeBytes { append(bytes: $0) }
      }
    }
  }

  private mutating func append(_ value: Int64, as type: ColumnType) {
    switch type {
    case .smallint: append(Int16(truncatingIfNeeded: value))
    case .integer: append(Int32(truncatingIfNeeded: value))
    default: append(value)
    }
  }
}

extension ColumnType {
  fileprivate var element: BinaryArray.Element {
    switch self {
    case .smallint: .int16
    case .integer: .int32
    case .bigint: .int64
    case .uuid: .uuid
    case .bytea: .bytes
    case .text: .text
    }
  }
}
