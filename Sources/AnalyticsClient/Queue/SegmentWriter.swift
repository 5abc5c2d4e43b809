import AnalyticsContract

/// Appends events to this process's own segment.
///
/// Any process may claim the segment at any time; nothing keeps it from that. So after every write comes a look whether
/// the file is still where it was. If it is, whoever claims it later sees what was written. If it isn't, the claimer may
/// have read the file before, and the same records, with the same ids, are written to a new segment: the server
/// recognises those that arrive twice.
final class SegmentWriter {
  /// The most records of a segment.
  static let maximumRecords = 1024

  private let folder: Folder
  private var file: File?
  private var path = ""
  private var count = 0
  private var bytes: [UInt8] = []

  /// - Parameter folder: where the segments are.
  init(folder: Folder) { self.folder = folder }

  /// Writes events; when this returns they are in a segment, and survive the end of the process.
  /// - Parameters:
  ///   - events: what to write.
  ///   - now: the device's clock, for the name of a new segment.
  ///   - isDurable: whether to wait until they survive a loss of power too.
  /// - Throws: ``FileError``; none of the events counts as written then, and all may be written again.
  func write(_ events: ArraySlice<Event>, at now: Instant, isDurable: Bool) throws(FileError) {
    var rest = events
    while let chunk = Optional(rest.prefix(Self.maximumRecords)), !chunk.isEmpty {
      bytes.removeAll(keepingCapacity: chunk.count <= 64)
      for event in chunk { EventRecord.append(event, to: &bytes) }
      try write(records: chunk.count, at: now, isDurable: isDurable)
      rest = rest.dropFirst(chunk.count)
    }
    if bytes.capacity > 64 * EventRecord.size { bytes = [] }
  }

  private func write(records: Int, at now: Instant, isDurable: Bool) throws(FileError) {
    while true {
      if count + records > Self.maximumRecords { close() }
      if file == nil {
        path = folder.path(of: SegmentName(created: now).text)
        file = try File(path, .appendingToNew)
        count = 0
      }
      var failure: FileError?
      bytes.withUnsafeBytes { bytes in
        do throws(FileError) {
          try file!.append(bytes)
          if isDurable { try file!.synchronize() }
        } catch { failure = error }
      }
      if let failure {
        // What was written of them must not make the records after it unreadable.
        do { try file!.truncate(to: count * EventRecord.size) } catch { close() }
        throw failure
      }
      count += records
      if file!.isAt(path) { return }
      close()
    }
  }

  /// Waits until everything in the open segment survives a loss of power.
  func synchronize() throws(FileError) { if file != nil { try file!.synchronize() } }

  /// The next write begins a new segment.
  func close() {
    file = nil
    count = 0
  }
}
