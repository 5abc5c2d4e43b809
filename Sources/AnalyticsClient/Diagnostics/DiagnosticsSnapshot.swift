import AnalyticsContract

/// What the client can tell about itself: numbers alone, for the app's debug screen or a support mail. No identifier, no
/// event and no time of an event is in it.
public struct DiagnosticsSnapshot: Sendable, Hashable {
  /// Whether there is a container to write to. Before the first unlock of a device there is none.
  public internal(set) var isContainerAvailable = false
  /// Whether the user lets the app collect.
  public internal(set) var isCollectionAllowed = false
  /// How many events wait on the disk.
  public internal(set) var queuedEvents = 0
  /// How many segment files they are in.
  public internal(set) var segments = 0
  /// How many bytes those take.
  public internal(set) var queuedBytes = 0
  /// How many seconds must pass before the next upload; 0 where none must.
  public internal(set) var secondsUntilUpload = 0
  /// How many uploads in a row have failed.
  public internal(set) var failuresInARow = 0
  /// What app and keyboard counted, this process's latest counts included.
  public internal(set) var counts = DiagnosticCounts()
}

extension DiagnosticsSnapshot: CustomStringConvertible {
  /// A line for each figure.
  public var description: String {
    let state: [(String, String)] = [
      ("containerAvailable", "\(isContainerAvailable)"), ("collectionAllowed", "\(isCollectionAllowed)"),
      ("queuedEvents", "\(queuedEvents)"), ("segments", "\(segments)"), ("queuedBytes", "\(queuedBytes)"),
      ("secondsUntilUpload", "\(secondsUntilUpload)"), ("failuresInARow", "\(failuresInARow)"),
    ]
    let counters = DiagnosticCounter.allCases.map { ("\($0)", "\(counts[$0])") }
    return (state + counters).map { "\($0): \($1)" }.joined(separator: "\n")
  }
}
