import CPostgreSQL

/// What a statement returned: rows in binary format, or the number of rows that it changed. Rows and columns count from 0.
public final class PostgreSQLResult {
  private let handle: OpaquePointer

  /// Takes over a result of libpq.
  init(_ handle: OpaquePointer) { self.handle = handle }

  deinit { PQclear(handle) }

  /// How many rows there are.
  public var rowCount: Int { Int(PQntuples(handle)) }

  /// How many rows an INSERT, UPDATE or DELETE changed, or a SELECT returned.
  public var affectedRows: Int { Int(String(cString: PQcmdTuples(handle))) ?? 0 }

  /// Whether a value is null.
  public func isNull(_ row: Int, _ column: Int) -> Bool { PQgetisnull(handle, Int32(row), Int32(column)) == 1 }

  /// A `smallint`, `integer` or `bigint`; 0 where it is null.
  public func integer(_ row: Int, _ column: Int) -> Int64 {
    let bytes = bytes(row, column)
    switch bytes.count {
    case 2: return Int64(Int16(bigEndian: bytes.loadUnaligned(as: Int16.self)))
    case 4: return Int64(Int32(bigEndian: bytes.loadUnaligned(as: Int32.self)))
    case 8: return Int64(bigEndian: bytes.loadUnaligned(as: Int64.self))
    default: return 0
    }
  }

  /// A `smallint`, `integer` or `bigint`.
  public func optionalInteger(_ row: Int, _ column: Int) -> Int64? {
    isNull(row, column) ? nil : integer(row, column)
  }

  /// A `boolean`; false where it is null.
  public func boolean(_ row: Int, _ column: Int) -> Bool { bytes(row, column).first == 1 }

  /// A `text`; empty where it is null.
  public func text(_ row: Int, _ column: Int) -> String { String(decoding: bytes(row, column), as: UTF8.self) }

  /// A value's bytes, none where it is null. Valid as long as the result.
  public func bytes(_ row: Int, _ column: Int) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(
      start: PQgetvalue(handle, Int32(row), Int32(column)),
      count: Int(PQgetlength(handle, Int32(row), Int32(column))))
  }
}
