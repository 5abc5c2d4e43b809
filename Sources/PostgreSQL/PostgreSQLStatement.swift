/// A statement that a connection prepares once and runs many times.
public struct PostgreSQLStatement: Sendable {
  /// Its name within the connection.
  public let name: StaticString
  /// The text, with `$1`, `$2`, … cast to their types.
  public let sql: String

  /// - Parameters:
  ///   - name: its name within the connection.
  ///   - sql: the text, with `$1`, `$2`, … cast to their types.
  public init(_ name: StaticString, _ sql: String) {
    self.name = name
    self.sql = sql
  }
}

/// The values of a statement's parameters, in PostgreSQL's binary format, one after the other in one buffer.
public struct PostgreSQLParameters: Sendable {
  private(set) var bytes: [UInt8] = []
  private(set) var values: [(offset: Int, length: Int)?] = []

  /// No parameters.
  public init() {}

  /// Adds a `bigint`.
  public mutating func add(_ value: Int64) {
    withUnsafeBytes(of: value.bigEndian) { add(bytes: $0) }
  }

  /// Adds a `smallint`.
  public mutating func add(_ value: Int16) {
    withUnsafeBytes(of: value.bigEndian) { add(bytes: $0) }
  }

  /// Adds a `text`.
  public mutating func add(_ value: String) {
    var value = value
    value.withUTF8 { add(bytes: UnsafeRawBufferPointer($0)) }
  }

  /// Adds bytes as they are: a `bytea`, `text` or `uuid`.
  public mutating func add(bytes value: UnsafeRawBufferPointer) {
    values.append((bytes.count, value.count))
    bytes.append(contentsOf: value)
  }

  /// Adds a null.
  public mutating func addNull() { values.append(nil) }

  /// Adds an array, or a null where it has no elements.
  public mutating func add(_ array: BinaryArray) {
    if array.count == 0 { return values.append(nil) }
    values.append((bytes.count, array.bytes.count))
    bytes.append(contentsOf: array.bytes)
  }
}

/// One step of a pipeline.
public struct PostgreSQLRequest: Sendable {
  enum Kind {
    case text(String)
    case prepared(StaticString)
  }

  let kind: Kind
  let parameters: PostgreSQLParameters

  /// A prepared statement with its parameters.
  public init(_ statement: PostgreSQLStatement, _ parameters: PostgreSQLParameters = .init()) {
    kind = .prepared(statement.name)
    self.parameters = parameters
  }

  /// A statement that is not prepared, with its parameters.
  public init(_ sql: String, _ parameters: PostgreSQLParameters = .init()) {
    kind = .text(sql)
    self.parameters = parameters
  }
}
