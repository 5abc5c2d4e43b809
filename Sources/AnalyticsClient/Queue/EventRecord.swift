import AnalyticsContract

/// How an event lies in a segment: 120 bytes, whatever the event, so that one damaged record can't hide the next.
///
/// | bytes | |
/// | --: | --- |
/// | 0 | `OSGR`, then the version of this layout, 1 |
/// | 5 | the codes of type, surface, channel, feature, mode, failure and duration; 0 is absent |
/// | 12 | the event's id |
/// | 28 | when it happened, microseconds since 1970, least significant byte first |
/// | 36 | the app's version: its length, then 32 bytes |
/// | 69 | the system's version, in the same way |
/// | 102 | zeros |
/// | 108 | CRC-32 of all that |
/// | 112 | ``removalMark`` once the event was delivered or dropped; zeros before |
///
/// The mark is outside the checksum, so that a record is removed by writing 8 bytes in place. Anything but the whole
/// mark counts as none: to send an event again is harmless, to lose one is not.
enum EventRecord {
  /// The size in bytes.
  static let size = 120
  /// Where the mark is.
  static let markOffset = 112
  /// What a removed record carries there.
  static let removalMark: [UInt8] = Array("removed.".utf8)

  /// What 120 bytes turn out to be.
  enum Slot {
    /// An event that waits.
    case live(Event)
    /// One that was delivered or dropped.
    case removed
    /// Something that is no record, or one of an event that the catalog does not have.
    case damaged
  }

  /// Appends a record.
  static func append(_ event: Event, to bytes: inout [UInt8]) {
    let start = bytes.count
    bytes.append(contentsOf: [0x4F, 0x53, 0x47, 0x52, 1, event.kind.type.code, event.kind.surface.code])
    for dimension in dimensions { bytes.append(event.kind.code(of: dimension)) }
    bytes.append(contentsOf: event.clientEventID.bytes)
    for position in 0..<8 { bytes.append(UInt8(truncatingIfNeeded: event.occurredAt.microseconds >> (position * 8))) }
    append(event.appVersion, to: &bytes)
    append(event.osVersion, to: &bytes)
    bytes.append(contentsOf: repeatElement(0, count: start + 108 - bytes.count))
    let checksum = bytes[start...].withUnsafeBytes { Checksum.of($0) }
    for position in 0..<4 { bytes.append(UInt8(truncatingIfNeeded: checksum >> (position * 8))) }
    bytes.append(contentsOf: repeatElement(0, count: 8))
  }

  /// Reads a record. Only its 120 bytes are looked at.
  static func read(_ bytes: UnsafeRawBufferPointer) -> Slot {
    guard bytes.count >= size else { return .damaged }
    if bytes[markOffset..<size].elementsEqual(removalMark) { return .removed }
    let stored = UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: 108, as: UInt32.self))
    guard Checksum.of(UnsafeRawBufferPointer(rebasing: bytes[..<108])) == stored,
      bytes[..<5].elementsEqual([0x4F, 0x53, 0x47, 0x52, 1]),
      let type = EventType(rawValue: bytes[5]), let surface = Surface(rawValue: bytes[6]),
      let id = UUIDValue(bytes: UnsafeRawBufferPointer(rebasing: bytes[12..<28])), !id.isNil
    else { return .damaged }
    let kind = EventKind(
      type: type, surface: surface, acquisitionChannel: AcquisitionChannel(rawValue: bytes[7]),
      feature: Feature(rawValue: bytes[8]), executionMode: ExecutionMode(rawValue: bytes[9]),
      failureCategory: FailureCategory(rawValue: bytes[10]), durationBucket: DurationBucket(rawValue: bytes[11]))
    guard Catalog.rule(for: type).allows(kind) else { return .damaged }
    let occurredAt = Int64(littleEndian: bytes.loadUnaligned(fromByteOffset: 28, as: Int64.self))
    return .live(
      Event(
        clientEventID: id, occurredAt: Instant(microseconds: occurredAt), kind: kind,
        appVersion: version(bytes, at: 36), osVersion: version(bytes, at: 69)))
  }

  /// The dimensions in the order of their bytes.
  private static let dimensions: [Dimension] = [
    .acquisitionChannel, .feature, .executionMode, .failureCategory, .durationBucket,
  ]

  private static func append(_ version: ReleaseVersion?, to bytes: inout [UInt8]) {
    let end = bytes.count + 1 + ReleaseVersion.maximumLength
    bytes.append(UInt8(version?.count ?? 0))
    version?.withUnsafeBytes { bytes.append(contentsOf: $0) }
    bytes.append(contentsOf: repeatElement(0, count: end - bytes.count))
  }

  private static func version(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> ReleaseVersion? {
    let text = bytes[(offset + 1)..<(offset + 1 + min(Int(bytes[offset]), ReleaseVersion.maximumLength))]
    return UnsafeRawBufferPointer(rebasing: text).withMemoryRebound(to: UInt8.self) { ReleaseVersion($0) }
  }
}
