import AnalyticsContract

/// FIRST_OPEN, once in the life of an installation of the app, whatever is killed when, and also when the identity changes.
///
/// The event is decided on once, in a file of its own, with id and time. Until the mark says that it is in the queue,
/// every start puts it there again as it is in the file: the server sees the same event and counts it once.
struct FirstOpen: Sendable {
  /// The folder that app and keyboard share.
  let folder: Folder

  private static let decided = "first-open"
  private static let done = "first-open-done"

  /// The event to put into the queue; `nil` where that has been done.
  /// - Parameter event: what it is, if it has not been decided yet.
  /// - Returns: the event as it was decided.
  /// - Throws: ``FileError``.
  func pending(_ event: Event) throws(FileError) -> Event? {
    if folder.contains(Self.done) { return nil }
    var bytes: [UInt8] = []
    EventRecord.append(event, to: &bytes)
    if try folder.create(Self.decided, bytes) {
      // Another process may have finished since the first look, and what it had decided is gone.
      guard folder.contains(Self.done) else { return event }
      folder.remove(Self.decided)
      return nil
    }
    let stored = try folder.contents(of: Self.decided)
    if let stored, case .live(let decided) = stored.withUnsafeBytes({ EventRecord.read($0) }) { return decided }
    // Damaged, or another process has just finished.
    if folder.contains(Self.done) { return nil }
    try folder.replace(Self.decided, bytes)
    return event
  }

  /// It is in the queue, or never will be: an identity that follows another one has no first open.
  func finish() throws(FileError) {
    _ = try folder.create(Self.done, [])
    folder.remove(Self.decided)
  }

  /// Where it has been decided, but perhaps not put into the queue of an identity that is no more, it is not repeated.
  func abandonDecided() throws(FileError) {
    if folder.contains(Self.decided) { try finish() }
  }
}
