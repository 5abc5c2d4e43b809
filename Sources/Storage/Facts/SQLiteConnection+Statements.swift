extension SQLiteConnection: StatementRunner {
  static func isOutsideAlphabet(_ column: String, maximumLength: Int) -> String {
    "\(column) GLOB '*[^-A-Za-z0-9._+]*' OR length(CAST(\(column) AS BLOB)) > \(maximumLength)"
  }

  func select(
    _ sql: String, _ parameters: [StoredValue], _ columns: [ColumnType]
  ) throws(SQLiteError) -> [[StoredValue]] {
    let statement = try prepare(sql)
    statement.bind(parameters)
    var rows: [[StoredValue]] = []
    while try statement.step() { rows.append(statement.row(columns)) }
    return rows
  }

  static func source(of table: TotalTable) -> String { table.rawValue }

  static var isEmbedded: Bool { true }

  static var firstDay: String {
    """
    (SELECT min(day) FROM (
      SELECT min(day) AS day FROM sealed_days UNION ALL SELECT min(day) FROM event_day_totals
      UNION ALL SELECT min(day) FROM usage_day_totals))
    """
  }

  func scan(_ sql: String, _ parameters: [StoredValue], _ body: (SQLiteRow) -> Void) throws(SQLiteError) {
    let statement = try prepare(sql)
    statement.bind(parameters)
    while try statement.step() { body(SQLiteRow(statement: statement)) }
  }

  @discardableResult
  func change(_ sql: String, _ parameters: [StoredValue]) throws(SQLiteError) -> Int64 {
    let statement = try prepare(sql)
    statement.bind(parameters)
    try statement.run()
    return changes
  }

  func load(_ table: TableDescription, _ keys: [StoredValue]) throws(SQLiteError) -> [[StoredValue]] {
    let statement = try prepare("SELECT \(table.columnList) FROM \(table.name) WHERE \(table.columns[0].name) = $1")
    var rows: [[StoredValue]] = []
    for key in keys {
      statement.bind([key])
      if try statement.step() {
        rows.append(statement.row(table.types))
        statement.reset()
      }
    }
    return rows
  }

  func store(_ table: TableDescription, _ rows: [[StoredValue]]) throws(SQLiteError) {
    let places = table.columns.indices.map { "$\($0 + 1)" }.joined(separator: ", ")
    let statement = try prepare(
      "INSERT INTO \(table.name) (\(table.columnList)) VALUES (\(places)) \(table.onConflict)")
    for row in rows {
      statement.bind(row)
      try statement.run()
    }
  }
}

/// The row that a statement is at.
struct SQLiteRow: StoredRow {
  let statement: SQLiteStatement

  func isNull(_ column: Int) -> Bool { statement.isNull(Int32(column)) }
  func integer(_ column: Int) -> Int64 { statement.integer(Int32(column)) }
  func text(_ column: Int) -> String { statement.text(Int32(column)) }
  func bytes(_ column: Int) -> UnsafeRawBufferPointer { statement.bytes(Int32(column)) }
}

extension SQLiteStatement {
  /// Binds `$1`, `$2`, … wherever they stand in the statement.
  func bind(_ parameters: [StoredValue]) {
    for (position, value) in parameters.enumerated() {
      guard let index = index(of: "$\(position + 1)") else { continue }
      switch value {
      case .null: bind(nil as Int64?, at: index)
      case .integer(let value): bind(value, at: index)
      case .bytes(let bytes): bind(bytes: bytes, at: index)
      case .text(let text): bind(text, at: index)
      }
    }
  }

  fileprivate func row(_ types: [ColumnType]) -> [StoredValue] {
    types.enumerated().map { position, type in
      let column = Int32(position)
      if isNull(column) { return .null }
      switch type {
      case .smallint, .integer, .bigint: return .integer(integer(column))
      case .uuid, .bytea: return .bytes(Array(bytes(column)))
      case .text: return .text(text(column))
      }
    }
  }
}
