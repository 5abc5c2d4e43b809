/// A one-dimensional array in PostgreSQL's binary format, built element by element: a 20-byte header (dimensions, null
/// flag, element type, length, lower bound), then each element's length and bytes, all big-endian.
public struct BinaryArray: Sendable {
  /// The element types that can be sent, by their permanent object identifiers.
  public enum Element: UInt32, Sendable {
    /// `bytea`
    case bytes = 17
    /// `bigint`
    case int64 = 20
    /// `smallint`
    case int16 = 21
    /// `integer`
    case int32 = 23
    /// `text`
    case text = 25
    /// `uuid`
    case uuid = 2950
  }

  private(set) var bytes: [UInt8]

  /// How many elements it has.
  public private(set) var count: UInt32 = 0

  /// An array to append to. It must get an element before it is sent: an empty one has another header.
  /// - Parameters:
  ///   - element: the elements' type.
  ///   - capacity: how many elements are expected.
  public init(of element: Element, capacity: Int = 0) {
    bytes = []
    bytes.reserveCapacity(20 + capacity * 12)
    for word in [1, 0, element.rawValue, 0, 1] { append(bigEndian: word) }
  }

  /// Appends a `bigint`.
  public mutating func append(_ value: Int64) {
    beginElement(length: 8)
    append(bigEndian: value)
  }

  /// Appends an `integer`.
  public mutating func append(_ value: Int32) {
    beginElement(length: 4)
    append(bigEndian: value)
  }

  /// Appends a `smallint`.
  public mutating func append(_ value: Int16) {
    beginElement(length: 2)
    append(bigEndian: value)
  }

  /// Appends bytes as they are: a `bytea`, `text` or `uuid`.
  public mutating func append(bytes value: UnsafeRawBufferPointer) {
    beginElement(length: Int32(value.count))
    bytes.append(contentsOf: value)
  }

  /// Appends a null.
  public mutating func appendNull() {
    beginElement(length: -1)
    bytes[7] = 1
  }

  private mutating func beginElement(length: Int32) {
    count += 1
    withUnsafeBytes(of: count.bigEndian) { count in
      for position in 0..<4 { bytes[12 + position] = count[position] }
    }
    append(bigEndian: length)
  }

  private mutating func append<Integer: FixedWidthInteger>(bigEndian value: Integer) {
    withUnsafeBytes(of: value.bigEndian) { bytes.append(contentsOf: $0) }
  }
}
