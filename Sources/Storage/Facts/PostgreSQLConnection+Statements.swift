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
