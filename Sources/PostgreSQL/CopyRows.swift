/// Rows for a COPY in binary format: for each row the number of its fields, then each field's length and bytes, all
/// big-endian, between a fixed header and trailer.
public struct CopyRows: Sendable {
  private(set) var bytes: [UInt8]
  private let fieldCount: Int16

  /// How many rows have been begun.
  public private(set) var count = 0

  /// - Parameters:
  ///   - fieldCount: how many fields each row has.
  ///   - capacity: about how many bytes the rows take.
  public init(fieldCount: Int16, capacity: Int = 0) {
    self.fieldCount = fieldCount
    bytes = []
    bytes.reserveCapacity(32 + capacity)
    bytes += Array("PGCOPY\n".utf8) + [0xFF, 0x0D, 0x0A, 0]
    // No flags, no extension.
    append(bigEndian: Int64(0))
  }

  /// Begins a row; as many fields are to be appended as was said at first.
  public mutating func beginRow() {
    append(bigEndian: fieldCount)
    count += 1
  }

  /// Appends a `bigint`.
  public mutating func append(_ value: Int64) {
    append(bigEndian: Int32(8))
    append(bigEndian: value)
  }

  /// Appends a `smallint`.
  public mutating func append(_ value: Int16) {
    append(bigEndian: Int32(2))
    append(bigEndian: value)
  }

  /// Appends bytes as they are: a `bytea`, `text` or `uuid`.
  public mutating func append(bytes value: UnsafeRawBufferPointer) {
    append(bigEndian: Int32(value.count))
    bytes.append(contentsOf: value)
  }

  /// Appends a null.
  public mutating func appendNull() { append(bigEndian: Int32(-1)) }

  /// The rows with their trailer.
  var finished: [UInt8] { bytes + [0xFF, 0xFF] }

  private mutating func append<Integer: FixedWidthInteger>(bigEndian value: Integer) {
    withUnsafeBytes(of: value.bigEndian) { bytes.append(contentsOf: $0) }
  }
}
