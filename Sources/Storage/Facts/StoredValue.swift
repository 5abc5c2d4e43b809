import AnalyticsContract

/// A value as either database holds it.
enum StoredValue: Hashable, Redacted {
  case null
  case integer(Int64)
  /// A digest or an identifier.
  case bytes([UInt8])
  case text(String)

  init(_ value: Int64?) { self = value.map { .integer($0) } ?? .null }

  init(_ value: Instant?) { self.init(value?.microseconds) }

  init(_ value: CalendarDay) { self = .integer(Int64(value.daysSince1970)) }

  init(_ value: UUIDValue?) { self = value.map { .bytes($0.bytes) } ?? .null }

  init(_ value: Digest) { self = value.withUnsafeBytes { .bytes(Array($0)) } }

  init(_ value: String?) { self = value.map { .text($0) } ?? .null }

  var integer: Int64? { if case .integer(let value) = self { value } else { nil } }

  var instant: Instant? { integer.map(Instant.init(microseconds:)) }

  var text: String? { if case .text(let value) = self { value } else { nil } }

  var uuid: UUIDValue? {
    if case .bytes(let bytes) = self { bytes.withUnsafeBytes { UUIDValue(bytes: $0) } } else { nil }
  }

  var digest: Digest? { if case .bytes(let bytes) = self { bytes.withUnsafeBytes { Digest(bytes: $0) } } else { nil } }
}

/// The type of a column. SQLite knows integers, bytes and texts; the names are those of PostgreSQL.
enum ColumnType: String {
  case smallint, integer, bigint, uuid, bytea, text
}

/// What both databases do alike: statements that run in an open transaction, with `$1`, `$2`, … for their parameters.
///
/// A statement that both understand casts its integers, as in `CAST($1 AS bigint)`: PostgreSQL then takes them as they are
/// sent, whatever they are compared with.
protocol StatementRunner {
  associatedtype Failure: Error
  associatedtype Row: StoredRow

  /// Where rows of a total table are read that is being added to: the text after FROM.
  static func source(of table: TotalTable) -> String

  /// Whether the database is in this process: showing rows is cheap then, cheaper than having them grouped.
  static var isEmbedded: Bool { get }

  /// The first day with anything in the totals of events or usage, or sealed; as an expression.
  static var firstDay: String { get }

  /// The condition that a text in a column has a byte outside the alphabet of versions, or too many.
  static func isOutsideAlphabet(_ column: String, maximumLength: Int) -> String

  /// Runs a query.
  func select(
    _ sql: String, _ parameters: [StoredValue], _ columns: [ColumnType]
  ) throws(Failure) -> [[StoredValue]]

  /// Runs a query, and shows its rows one after the other.
  func scan(_ sql: String, _ parameters: [StoredValue], _ body: (Row) -> Void) throws(Failure)

  /// Runs a statement that changes rows.
  /// - Returns: how many rows it changed.
  @discardableResult
  func change(_ sql: String, _ parameters: [StoredValue]) throws(Failure) -> Int64

  /// Finds rows by their keys.
  func load(_ table: TableDescription, _ keys: [StoredValue]) throws(Failure) -> [[StoredValue]]

  /// Inserts rows, or updates those that there are.
  func store(_ table: TableDescription, _ rows: [[StoredValue]]) throws(Failure)
}

/// A row of a query, only while it is shown. Columns count from 0.
protocol StoredRow {
  func isNull(_ column: Int) -> Bool
  func integer(_ column: Int) -> Int64
  func text(_ column: Int) -> String
  func bytes(_ column: Int) -> UnsafeRawBufferPointer
}

extension StoredRow {
  func day(_ column: Int) -> CalendarDay { CalendarDay(daysSince1970: Int32(clamping: integer(column))) }

  func code(_ column: Int) -> UInt8 { UInt8(clamping: integer(column)) }
}

/// The tables of day totals. On PostgreSQL they are views, and reading them costs more than reading what they consist of.
enum TotalTable: String {
  case events = "event_day_totals"
  case usage = "usage_day_totals"
  case receipts = "receipt_day_totals"
  case rejections = "rejection_day_totals"
  case links = "link_day_totals"
  case invitations = "invitation_day_totals"
}

/// A table whose rows are found by one column, its first.
struct TableDescription {
  let name: String
  let columns: [(name: String, type: ColumnType)]

  var types: [ColumnType] { columns.map(\.type) }

  var columnList: String { columns.map(\.name).joined(separator: ", ") }

  /// The end of an INSERT that updates the row which is there.
  var onConflict: String {
    let assignments = columns.dropFirst().map { "\($0.name) = excluded.\($0.name)" }.joined(separator: ", ")
    return "ON CONFLICT (\(columns[0].name)) DO UPDATE SET \(assignments)"
  }
}
