import AnalyticsContract

/// The folder of one installation's segments, and what may be done to a segment in it.
///
/// A segment has one process that appends to it, and at most one that holds a claim to it. Removing a record is
/// allowed to everybody, as it is the same eight bytes whoever writes them. Deleting a file is allowed to the holder of
/// its claim alone, after another look: whoever appends finds out that the file was claimed, and writes what it had just
/// written to another segment.
struct SegmentFolder: Sendable {
  /// How long a claim lasts unless it is renewed, in seconds. It must outlast a request.
  static let leaseSeconds: Int64 = 120

  /// Where the segments are.
  let folder: Folder
  /// See ``leaseSeconds``; tests have shorter ones.
  var lease = Self.leaseSeconds

  /// A record's place and what decides its fate, in 24 bytes.
  struct Entry {
    /// When the event happened.
    let occurredAt: Instant
    /// The segment's position in the list of those that were scanned.
    let segment: Int32
    /// The record's position in the segment, from 0.
    let position: Int32
    /// When it goes if there is no room.
    let rank: EvictionRank
  }

  /// All segments, the oldest first.
  func segments() throws(FileError) -> [SegmentName] {
    try folder.names().compactMap { SegmentName($0) }
      .sorted { ($0.created, $0.random) < ($1.created, $1.random) }
  }

  /// How many records a segment holds, removed ones included; 0 where it is gone.
  func recordCount(of name: SegmentName) -> Int { (folder.status(of: name.text)?.size ?? 0) / EventRecord.size }

  /// Claims a segment, or renews a claim.
  /// - Returns: the segment's new name; `nil` where somebody else was faster.
  func claim(_ name: SegmentName, owner: UInt64, at now: Instant) throws(FileError) -> SegmentName? {
    let claimed = name.claimed(by: owner, until: now.advanced(bySeconds: lease))
    if claimed == name { return folder.contains(name.text) ? name : nil }
    return try folder.move(name.text, to: claimed.text) ? claimed : nil
  }

  /// Gives a claim back.
  func release(_ name: SegmentName) { _ = try? folder.move(name.text, to: name.free.text) }

  /// Looks at every record of a segment. Damaged ones are removed, so that they are counted once.
  /// - Parameters:
  ///   - name: the segment.
  ///   - number: what its entries are to name as their segment.
  ///   - body: gets the live records.
  /// - Returns: how many records were damaged, and whether bytes of an unfinished one follow the last.
  /// - Throws: ``FileError``.
  func scan(
    _ name: SegmentName, as number: Int, _ body: (Entry, UnsafeRawBufferPointer) -> Void
  ) throws(FileError) -> (damaged: Int, isTorn: Bool) {
    let file = try File(folder.path(of: name.text), .changing)
    var damaged = 0
    var buffer = [UInt8](repeating: 0, count: 256 * EventRecord.size)
    var first = 0
    while true {
      var (count, failure): (Int, FileError?) = (0, nil)
      buffer.withUnsafeMutableBytes { buffer in
        do throws(FileError) { count = try file.read(at: first * EventRecord.size, into: buffer) } catch {
          failure = error
        }
      }
      if let failure { throw failure }
      let records = count / EventRecord.size
      buffer.withUnsafeBytes { bytes in
        for index in 0..<records {
          let start = index * EventRecord.size
          let record = UnsafeRawBufferPointer(rebasing: bytes[start..<(start + EventRecord.size)])
          switch EventRecord.read(record) {
          case .live(let event):
            let entry = Entry(
              occurredAt: event.occurredAt, segment: Int32(number), position: Int32(first + index),
              rank: EvictionRank(event.kind.type))
            body(entry, record)
          case .removed: break
          case .damaged:
            damaged += 1
            mark(file, first + index)
          }
        }
      }
      first += records
      if count < buffer.count { return (damaged, count % EventRecord.size != 0) }
    }
  }

  /// The event of a record; `nil` where it was removed, or the claim of the segment was lost.
  func event(_ name: SegmentName, _ position: Int) -> Event? {
    guard let file = try? File(folder.path(of: name.text), .reading) else { return nil }
    return withUnsafeTemporaryAllocation(byteCount: EventRecord.size, alignment: 1) { buffer -> Event? in
      guard (try? file.read(at: position * EventRecord.size, into: buffer)) == EventRecord.size,
        case .live(let event) = EventRecord.read(UnsafeRawBufferPointer(buffer))
      else { return nil }
      return event
    }
  }

  /// Removes records. Where the file is gone or the disk refuses, they stay, and are sent again: the server knows them.
  func remove(_ positions: some Sequence<Int32>, of name: SegmentName) {
    guard let file = try? File(folder.path(of: name.text), .changing) else { return }
    for position in positions { mark(file, Int(position)) }
  }

  /// Deletes a segment to which the caller holds the claim, if nothing in it is live.
  /// - Returns: whether the file is gone, and what was lost with it.
  func deleteIfEmpty(_ name: SegmentName) -> (isGone: Bool, damaged: Int, isTorn: Bool) {
    var live = 0
    guard let (damaged, isTorn) = try? scan(name, as: 0, { _, _ in live += 1 }) else { return (true, 0, false) }
    if live > 0 { return (false, damaged, false) }
    folder.remove(name.text)
    return (true, damaged, isTorn)
  }

  private func mark(_ file: borrowing File, _ position: Int) {
    EventRecord.removalMark.withUnsafeBytes { mark in
      try? file.overwrite(at: position * EventRecord.size + EventRecord.markOffset, with: mark)
    }
  }
}
