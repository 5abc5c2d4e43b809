import AnalyticsContract

/// Makes few, full segments out of many small ones, and of such as are mostly removed records: a keyboard that is started
/// a hundred times a day would leave thousands of files until the network is back.
///
/// A kill on the way can leave an event in the old and in the new segment. It is sent twice with the same id then, and
/// counted once.
struct SegmentMerger {
  /// More segments than this, and those that are not at least half full are merged.
  static let mostSegments = 64

  let segments: SegmentFolder
  let owner: UInt64

  /// Merges claimed segments where that is worth it.
  /// - Parameters:
  ///   - names: the claimed segments.
  ///   - live: how many live records each has.
  ///   - now: the device's clock.
  /// - Returns: the claimed segments afterwards, the oldest first; `nil` where all is as it was.
  func merge(_ names: [SegmentName?], live: [Int], at now: Instant) -> [SegmentName]? {
    let held = zip(names, live).compactMap { name, live in name.map { ($0, live) } }
    let sparse = held.filter { name, live in
      live > 0 && live <= SegmentWriter.maximumRecords / 2
        && (held.count > Self.mostSegments || segments.recordCount(of: name) > 2 * live + 128)
    }.map(\.0)
    guard !sparse.isEmpty, let made = try? copy(sparse, at: now) else { return nil }
    for name in sparse { segments.folder.remove(name.text) }
    return (held.map(\.0).filter { !sparse.contains($0) } + made).sorted {
      ($0.created, $0.random) < ($1.created, $1.random)
    }
  }

  private func copy(_ names: [SegmentName], at now: Instant) throws(FileError) -> [SegmentName] {
    var made: [SegmentName] = []
    var records: [UInt8] = []
    do throws(FileError) {
      for name in names {
        _ = try segments.scan(name, as: 0) { _, record in records.append(contentsOf: record) }
        let isFull = records.count > SegmentWriter.maximumRecords / 2 * EventRecord.size
        if records.isEmpty || !isFull && name != names.last { continue }
        let target = SegmentName(created: name.created).claimed(
          by: owner, until: now.advanced(bySeconds: segments.lease))
        made.append(target)
        let file = try File(segments.folder.path(of: target.text), .appendingToNew)
        var failure: FileError?
        records.withUnsafeBytes { bytes in
          do throws(FileError) {
            try file.append(bytes)
            try file.synchronize()
          } catch { failure = error }
        }
        if let failure { throw failure }
        records.removeAll(keepingCapacity: true)
      }
    } catch {
      for name in made { segments.folder.remove(name.text) }
      throw error
    }
    return made
  }
}
