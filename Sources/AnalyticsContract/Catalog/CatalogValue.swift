/// A value of a closed set of the contract: a name on the wire, a small integer in storage.
///
/// The raw value is the code. Codes are permanent: databases hold them for years, so a code is never changed and never
/// given to another value. 0 stands for "absent" in storage and is no value's code.
public protocol CatalogValue: RawRepresentable, CaseIterable, Hashable, Sendable where RawValue == UInt8 {
  /// The name on the wire, ASCII.
  var wireName: StaticString { get }
}

extension CatalogValue {
  /// The permanent code in storage, 1 to 255.
  public var code: UInt8 { rawValue }

  /// The wire name as a string.
  public var name: String { wireName.description }
}

extension StaticString {
  /// Whether this text has exactly these bytes.
  package func hasBytes(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    guard utf8CodeUnitCount == bytes.count else { return false }
    for position in 0..<bytes.count where utf8Start[position] != bytes[position] { return false }
    return true
  }
}
