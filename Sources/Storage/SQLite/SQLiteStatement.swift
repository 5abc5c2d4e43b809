import AnalyticsContract
import CSQLite

/// A compiled statement, used by one thread at a time. Parameters and columns count from 0.
final class SQLiteStatement {
  private let handle: OpaquePointer
  // What is bound has to stay in place until the statement is reset: each parameter has room for the longest value that
  // this system binds, so that no binding allocates.
  private let storage: UnsafeMutableRawPointer
  private static let slot = 32

  init(_ handle: OpaquePointer) {
    self.handle = handle
    storage = .allocate(byteCount: max(1, Int(sqlite3_bind_parameter_count(handle))) * Self.slot, alignment: 8)
  }

  deinit {
    sqlite3_finalize(handle)
    storage.deallocate()
  }

  /// Advances to the next row.
  /// - Returns: whether there is one; after the last one the statement is reset for its next use.
  func step() throws(SQLiteError) -> Bool {
    let result = sqlite3_step(handle)
    if result == SQLITE_ROW { return true }
    sqlite3_reset(handle)
    if result == SQLITE_DONE { return false }
    throw SQLiteError(code: result)
  }

  /// Runs a statement that has no rows.
  func run() throws(SQLiteError) {
    if try step() { reset() }
  }

  /// Ends a query whose remaining rows are not wanted, so that it holds no lock.
  func reset() { sqlite3_reset(handle) }

  func bind(_ value: Int64, at index: Int32) { sqlite3_bind_int64(handle, index + 1, value) }

  func bind(_ value: Int64?, at index: Int32) {
    if let value { bind(value, at: index) } else { sqlite3_bind_null(handle, index + 1) }
  }

  func bind(_ value: Digest, at index: Int32) {
    value.withUnsafeBytes { bind(blob: $0, at: index) }
  }

  func bind(_ value: UUIDValue?, at index: Int32) {
    guard let value else {
      sqlite3_bind_null(handle, index + 1)
      return
    }
    withUnsafeBytes(of: (value.high.bigEndian, value.low.bigEndian)) { bind(blob: $0, at: index) }
  }

  func bind(_ value: ReleaseVersion?, at index: Int32) {
    guard let value else {
      sqlite3_bind_null(handle, index + 1)
      return
    }
    bind(text: value, at: index)
  }

  /// Binds a version's text, or the empty text in keys, which can't be null.
  func bind(key value: ReleaseVersion?, at index: Int32) {
    if let value { bind(text: value, at: index) } else { sqlite3_bind_text(handle, index + 1, "", 0, nil) }
  }

  /// Binds a text of any length.
  func bind(_ value: String, at index: Int32) {
    // SQLITE_TRANSIENT, which is a macro that Swift does not import: SQLite copies the text.
    sqlite3_bind_text(handle, index + 1, value, -1, unsafeBitCast(-1, to: sqlite3_destructor_type.self))
  }

  private func bind(text value: ReleaseVersion, at index: Int32) {
    value.withUnsafeBytes { bytes in
      let target = copy(bytes, to: index)
      sqlite3_bind_text(handle, index + 1, target.assumingMemoryBound(to: CChar.self), Int32(bytes.count), nil)
    }
  }

  func bind(blob bytes: UnsafeRawBufferPointer, at index: Int32) {
    sqlite3_bind_blob(handle, index + 1, copy(bytes, to: index), Int32(bytes.count), nil)
  }

  /// Binds bytes of any number.
  func bind(bytes: [UInt8], at index: Int32) {
    // SQLITE_TRANSIENT, as above.
    _ = bytes.withUnsafeBytes {
      sqlite3_bind_blob(
        handle, index + 1, $0.baseAddress, Int32($0.count), unsafeBitCast(-1, to: sqlite3_destructor_type.self))
    }
  }

  private func copy(_ bytes: UnsafeRawBufferPointer, to index: Int32) -> UnsafeMutableRawPointer {
    precondition(bytes.count <= Self.slot)
    let target = storage + Int(index) * Self.slot
    target.copyMemory(from: bytes.baseAddress!, byteCount: bytes.count)
    return target
  }

  /// The place of a named parameter, such as `$1`.
  func index(of name: String) -> Int32? {
    let index = sqlite3_bind_parameter_index(handle, name)
    return index == 0 ? nil : index - 1
  }

  /// How many columns a row has.
  var columnCount: Int32 { sqlite3_column_count(handle) }

  func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }

  func optionalInteger(_ column: Int32) -> Int64? { isNull(column) ? nil : integer(column) }

  func isNull(_ column: Int32) -> Bool { sqlite3_column_type(handle, column) == SQLITE_NULL }

  func uuid(_ column: Int32) -> UUIDValue? { UUIDValue(bytes: bytes(column)) }

  func digest(_ column: Int32) -> Digest? { Digest(bytes: bytes(column)) }

  func text(_ column: Int32) -> String { String(decoding: bytes(column), as: UTF8.self) }

  func version(_ column: Int32) -> ReleaseVersion? {
    isNull(column) ? nil : ReleaseVersion(bytes(column).bindMemory(to: UInt8.self))
  }

  /// A column's bytes, valid until the next step or reset.
  func bytes(_ column: Int32) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(
      start: sqlite3_column_blob(handle, column), count: Int(sqlite3_column_bytes(handle, column)))
  }
}
