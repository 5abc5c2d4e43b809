import Synchronization

/// A whole number that goes up and down, such as what is in a queue.
///
/// Changing it is one relaxed atomic operation, from any thread.
public final class Gauge: Metric {
  /// `gauge`.
  public static var kind: MetricKind { .gauge }
  /// The name without prefix.
  public let name: StaticString
  /// What is measured.
  public let help: StaticString
  private let current = Atomic<Int64>(0)

  /// A gauge at 0.
  public init(_ name: StaticString, _ help: StaticString) {
    self.name = name
    self.help = help
  }

  /// Adds, or takes away when negative.
  public func add(_ amount: Int64) { current.wrappingAdd(amount, ordering: .relaxed) }

  /// Sets the value.
  public func set(_ value: Int64) { current.store(value, ordering: .relaxed) }

  /// The value now.
  public var value: Int64 { current.load(ordering: .relaxed) }

  /// Writes the value.
  public func writeSamples(labels: [(name: StaticString, value: StaticString)], to text: inout ExpositionText) {
    text.sample(name, labels: labels, value)
  }
}

/// A constant 1 whose labels say something about the process, such as its version.
public struct InfoMetric: Metric {
  /// `gauge`.
  public static var kind: MetricKind { .gauge }
  /// The name without prefix, ending in `_info`.
  public let name: StaticString
  /// What the labels say.
  public let help: StaticString
  private let facts: [(name: StaticString, value: StaticString)]

  /// - Parameters:
  ///   - name: the name without prefix, ending in `_info`.
  ///   - help: what the labels say.
  ///   - facts: the labels.
  public init(_ name: StaticString, _ help: StaticString, _ facts: [(name: StaticString, value: StaticString)]) {
    self.name = name
    self.help = help
    self.facts = facts
  }

  /// Writes the one sample.
  public func writeSamples(labels: [(name: StaticString, value: StaticString)], to text: inout ExpositionText) {
    text.sample(name, labels: labels + facts, 1)
  }
}
