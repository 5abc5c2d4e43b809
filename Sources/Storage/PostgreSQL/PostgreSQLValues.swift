import AnalyticsContract
import PostgreSQL

extension BinaryArray {
  mutating func append(_ value: Digest) { value.withUnsafeBytes { append(bytes: $0) } }

  mutating func append(_ value: UUIDValue) {
    withUnsafeBytes(of: (value.high.bigEndian, value.low.bigEndian)) { append(bytes: $0) }
  }

  mutating func append(_ value: UUIDValue?) {
    if let value { append(value) } else { appendNull() }
  }

  mutating func append(_ value: Int64?) {
    if let value { append(value) } else { appendNull() }
  }

  mutating func append(_ value: ReleaseVersion?) {
    if let value { value.withUnsafeBytes { append(bytes: $0) } } else { appendNull() }
  }

  /// Appends a version's text, or the empty text in keys, which can't be null.
  mutating func append(key value: ReleaseVersion?) {
    if let value { append(value) } else { append(bytes: UnsafeRawBufferPointer(start: nil, count: 0)) }
  }

  mutating func append(_ day: CalendarDay) { append(day.daysSince1970) }

  /// Appends a catalog value's code.
  mutating func append(code: UInt8) { append(Int16(code)) }

  /// Appends a catalog value's code, or a null where the value is absent.
  mutating func append(optionalCode code: UInt8) {
    if code == 0 { appendNull() } else { append(code: code) }
  }
}

extension CopyRows {
  mutating func append(_ value: UUIDValue) {
    withUnsafeBytes(of: (value.high.bigEndian, value.low.bigEndian)) { append(bytes: $0) }
  }

  mutating func append(_ value: ReleaseVersion?) {
    if let value { value.withUnsafeBytes { append(bytes: $0) } } else { appendNull() }
  }

  /// Appends a catalog value's code, or a null where the value is absent.
  mutating func append(optionalCode code: UInt8) {
    if code == 0 { appendNull() } else { append(Int16(code)) }
  }
}

extension PostgreSQLParameters {
  mutating func add(_ value: Digest) { value.withUnsafeBytes { add(bytes: $0) } }

  mutating func add(_ value: UUIDValue) {
    withUnsafeBytes(of: (value.high.bigEndian, value.low.bigEndian)) { add(bytes: $0) }
  }

  init(_ arrays: BinaryArray...) {
    self.init()
    for array in arrays { add(array) }
  }
}

extension PostgreSQLResult {
  func digest(_ row: Int, _ column: Int) -> Digest? { Digest(bytes: bytes(row, column)) }

  func uuid(_ row: Int, _ column: Int) -> UUIDValue? { UUIDValue(bytes: bytes(row, column)) }

  func version(_ row: Int, _ column: Int) -> ReleaseVersion? {
    ReleaseVersion(bytes(row, column).bindMemory(to: UInt8.self))
  }
}
