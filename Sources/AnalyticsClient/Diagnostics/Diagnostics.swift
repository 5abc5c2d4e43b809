import AnalyticsContract
import Foundation

/// The counters of this process, and the file of each surface that carries them over a restart. They are for a debug
/// screen: a kill loses what was counted since the last save.
final class Diagnostics: @unchecked Sendable {
  // The lock guards everything below it.
  private let lock = NSLock()
  private var counts = DiagnosticCounts()
  private var isLoaded = false

  /// Adds to a counter.
  func add(_ counter: DiagnosticCounter, _ amount: Int = 1) {
    if amount != 0 { lock.withLock { counts[counter] &+= UInt64(amount) } }
  }

  /// The counts so far, those of former processes included once they were loaded.
  var current: DiagnosticCounts { lock.withLock { counts } }

  /// Writes the counts of a surface, after adding what former processes counted.
  func save(_ surface: Surface, in folder: Folder) throws(FileError) {
    let isFirst = lock.withLock { !isLoaded }
    if isFirst {
      let former = try Self.load(surface, from: folder)
      lock.withLock {
        if !isLoaded { counts.add(former) }
        isLoaded = true
      }
    }
    try folder.replace(Self.name(surface), Checksum.sealing(current.bytes))
  }

  /// The counts that processes of a surface saved; zeros where there are none.
  static func load(_ surface: Surface, from folder: Folder) throws(FileError) -> DiagnosticCounts {
    guard let sealed = try folder.contents(of: name(surface)), let bytes = Checksum.opening(sealed[...]) else {
      return DiagnosticCounts()
    }
    return DiagnosticCounts(bytes: bytes)
  }

  private static func name(_ surface: Surface) -> String { "counts-\(surface.code)" }
}
