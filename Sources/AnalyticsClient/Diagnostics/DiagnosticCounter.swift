/// What the client counts about itself. The raw value is the position in the file that keeps the counts, so a case is
/// never moved; a new one goes to the end.
public enum DiagnosticCounter: Int, CaseIterable, Sendable {
  /// Events that were recorded while collection was allowed.
  case recorded
  /// Events that reached the disk.
  case written
  /// Events and summaries that the server stored.
  case accepted
  /// Events and summaries that the server had stored before.
  case replayed
  /// Events and summaries that the server refused for ever, each by itself (400, 409, 422) or with their batch.
  case quarantined
  /// Events that were dropped because the queue was full.
  case evicted
  /// Events that were dropped because they had waited for 34 days.
  case expired
  /// Events that were dropped because their time lies more than 34 days ahead of the device's clock.
  case misdated
  /// Events of a former identity, or recorded while collection was being switched off, that were dropped.
  case discarded
  /// Records of the queue that were damaged.
  case damagedRecords
  /// Unfinished records at the end of a segment.
  case tornRecords
  /// Attempts to write that failed: disk full, or the container not available.
  case failedWrites
  /// Requests that were sent.
  case requests
  /// Requests that the network did not carry to an answer.
  case networkFailures
  /// Answers 401.
  case unauthorizedAnswers
  /// Answers 429.
  case rateLimitedAnswers
  /// Answers 408 and 5xx, and every other one that says nothing about the batch.
  case unavailableAnswers
  /// Batches that were halved.
  case splitBatches
  /// Days of keyboard usage whose last counts came after the day's summary was made, and were dropped.
  case lateUsage
}

/// Values of all ``DiagnosticCounter``s.
public struct DiagnosticCounts: Sendable, Hashable {
  private var values = [UInt64](repeating: 0, count: DiagnosticCounter.allCases.count)

  /// All zero.
  public init() {}

  /// One counter's value.
  public subscript(counter: DiagnosticCounter) -> UInt64 {
    get { values[counter.rawValue] }
    set { values[counter.rawValue] = newValue }
  }

  /// Adds another count.
  mutating func add(_ other: DiagnosticCounts) {
    for counter in DiagnosticCounter.allCases { self[counter] &+= other[counter] }
  }

  /// Eight bytes a counter, least significant first.
  var bytes: [UInt8] { values.flatMap { value in (0..<8).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) } } }

  /// Reads what ``bytes`` gives; counters that an older version didn't have are zero.
  init(bytes: [UInt8]) {
    for counter in DiagnosticCounter.allCases where bytes.count >= (counter.rawValue + 1) * 8 {
      let slice = bytes[(counter.rawValue * 8)..<(counter.rawValue * 8 + 8)]
      self[counter] = slice.reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
  }
}
