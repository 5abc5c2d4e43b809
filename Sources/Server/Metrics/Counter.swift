import Synchronization

/// Counts what happened since the start of the process.
///
/// Adding is one relaxed atomic addition, from any thread. Counts wrap at 2⁶⁴, which nothing here reaches.
public final class Counter: Metric {
  /// `counter`.
  public static var kind: MetricKind { .counter }
  /// The name without prefix, ending in `_total`.
  public let name: StaticString
  /// What is counted.
  public let help: StaticString
  private let count = Atomic<UInt64>(0)

  /// A counter at 0.
  public init(_ name: StaticString, _ help: StaticString) {
    self.name = name
    self.help = help
  }

  /// Adds, 1 if nothing else is said.
  public func increment(by amount: UInt64 = 1) { count.wrappingAdd(amount, ordering: .relaxed) }

  /// The count now.
  public var value: UInt64 { count.load(ordering: .relaxed) }

  /// Writes the count.
  public func writeSamples(labels: [(name: StaticString, value: StaticString)], to text: inout ExpositionText) {
    text.sample(name, labels: labels, value)
  }
}

/// A counter that something else keeps; it is asked at each scrape.
public struct ObservedCounter: Metric {
  /// `counter`.
  public static var kind: MetricKind { .counter }
  /// The name without prefix, ending in `_total`.
  public let name: StaticString
  /// What is counted.
  public let help: StaticString
  private let read: @Sendable () -> UInt64

  /// - Parameters:
  ///   - name: the name without prefix, ending in `_total`.
  ///   - help: what is counted.
  ///   - read: gives the count; must never go down.
  public init(_ name: StaticString, _ help: StaticString, read: @escaping @Sendable () -> UInt64) {
    self.name = name
    self.help = help
    self.read = read
  }

  /// Writes the count.
  public func writeSamples(labels: [(name: StaticString, value: StaticString)], to text: inout ExpositionText) {
    text.sample(name, labels: labels, read())
  }
}
