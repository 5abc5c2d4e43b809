import AnalyticsContract

/// When a surface's use after a pause is a new session: after 30 minutes in which nothing was recorded on it.
///
/// Within a process the pause is measured with the monotonic clock, so that setting the device's clock neither makes nor
/// hides a session. After a restart only the device's clock is left; a time that has gone back by more than 30 minutes
/// counts as a pause.
struct SessionRule: Sendable {
  /// The pause, in seconds.
  static let pauseSeconds: Int64 = 30 * 60

  /// When the surface was used last, by the device's clock, as the file of former processes has it.
  private(set) var lastUse: Instant?
  private var lastUptime: Int64?

  /// - Parameter lastUse: when a former process noticed the last use.
  init(lastUse: Instant?) { self.lastUse = lastUse }

  /// The surface was used.
  /// - Parameters:
  ///   - instant: by the device's clock.
  ///   - uptime: nanoseconds of the monotonic clock.
  /// - Returns: whether a session begins.
  mutating func use(at instant: Instant, uptime: Int64) -> Bool {
    defer { (lastUse, lastUptime) = (instant, uptime) }
    if let lastUptime { return uptime - lastUptime >= Self.pauseSeconds * 1_000_000_000 }
    guard let lastUse else { return true }
    return abs(instant.microseconds - lastUse.microseconds) >= Self.pauseSeconds * 1_000_000
  }
}

/// The file with the last use of a surface.
struct LastUse: Sendable {
  /// The folder that app and keyboard share.
  let folder: Folder
  /// The surface.
  let surface: Surface

  private var name: String { "last-use-\(surface.code)" }

  /// When the surface was used last; `nil` where that isn't known.
  func load() throws(FileError) -> Instant? {
    guard let sealed = try folder.contents(of: name), let bytes = Checksum.opening(sealed[...]), bytes.count == 8 else {
      return nil
    }
    return Instant(microseconds: Int64(bitPattern: bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }))
  }

  /// Writes it in place: a kill on the way makes it unknown, no more.
  func save(_ instant: Instant) throws(FileError) {
    let bits = UInt64(bitPattern: instant.microseconds)
    let sealed = Checksum.sealing((0..<8).map { UInt8(truncatingIfNeeded: bits >> ($0 * 8)) })
    let file = try File(folder.path(of: name), .changingOrNew)
    var failure: FileError?
    sealed.withUnsafeBytes { bytes in
      do throws(FileError) { try file.overwrite(at: 0, with: bytes) } catch { failure = error }
    }
    if let failure { throw failure }
  }
}
