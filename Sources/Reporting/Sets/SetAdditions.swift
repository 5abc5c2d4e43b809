import AnalyticsContract

/// What a transaction adds to sets: written as one row beside what it stores, and merged into the sets later. Adding is
/// idempotent, so that a row may be merged twice.
public struct SetAdditions: Sendable {
  /// The keys of installations, by set.
  public private(set) var keys: [SetKey: [UInt32]] = [:]

  /// Nothing.
  public init() {}

  /// Whether there is nothing to add.
  public var isEmpty: Bool { keys.isEmpty }

  /// Forgets everything.
  public mutating func removeAll() { keys.removeAll(keepingCapacity: true) }

  /// Adds an installation to a set.
  /// - Parameters:
  ///   - installation: its key, at most ``InstallationSet/maximumKey``.
  ///   - set: the set.
  public mutating func add(_ installation: UInt32, to set: SetKey) { keys[set, default: []].append(installation) }

  /// One set after the other: kind (1 byte), day (4), length of the label (1), label, count (4), keys (4 each); integers
  /// with the least byte first.
  public func encoded() -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(keys.reduce(0) { $0 + 12 + $1.value.count * 4 })
    for (set, installations) in keys {
      bytes.append(set.kind.rawValue)
      Self.append(UInt32(bitPattern: set.day.daysSince1970), to: &bytes)
      bytes.append(UInt8(set.label.utf8.count))
      bytes.append(contentsOf: set.label.utf8)
      Self.append(UInt32(installations.count), to: &bytes)
      for installation in installations { Self.append(installation, to: &bytes) }
    }
    return bytes
  }

  /// Adds what ``encoded()`` gave, as far as it is wanted.
  /// - Parameters:
  ///   - bytes: the bytes.
  ///   - isWanted: which sets are wanted, by kind and day.
  /// - Returns: whether the bytes are of that form.
  public mutating func decode(
    _ bytes: UnsafeRawBufferPointer, where isWanted: (SetKind, CalendarDay) -> Bool
  ) -> Bool {
    var position = 0
    func integer() -> UInt32? {
      guard position + 4 <= bytes.count else { return nil }
      defer { position += 4 }
      return UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: position, as: UInt32.self))
    }
    while position < bytes.count {
      guard let kind = SetKind(rawValue: bytes[position]) else { return false }
      position += 1
      guard let day = integer(), position < bytes.count else { return false }
      let labelEnd = position + 1 + Int(bytes[position])
      guard labelEnd <= bytes.count else { return false }
      let label = String(decoding: bytes[(position + 1)..<labelEnd], as: UTF8.self)
      position = labelEnd
      guard let count = integer(), position + Int(count) * 4 <= bytes.count else { return false }
      let set = SetKey(kind, CalendarDay(daysSince1970: Int32(bitPattern: day)), label: label)
      if isWanted(set.kind, set.day) {
        let end = position + Int(count) * 4
        var installations: [UInt32] = []
        installations.reserveCapacity(Int(count))
        while position < end, let key = integer() { installations.append(key) }
        keys[set, default: []].append(contentsOf: installations)
      } else {
        position += Int(count) * 4
      }
    }
    return true
  }

  private static func append(_ value: UInt32, to bytes: inout [UInt8]) {
    withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
  }
}
