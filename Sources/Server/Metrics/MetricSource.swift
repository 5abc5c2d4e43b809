/// Something that has samples to show at a scrape.
public protocol MetricSource: Sendable {
  /// The names it writes, without prefix. A registry refuses a name twice.
  var names: [StaticString] { get }
  /// Writes `HELP`, `TYPE` and all samples.
  func write(to text: inout ExpositionText)
}

/// A metric with one value or one distribution, alone or as one series of a `MetricFamily`.
public protocol Metric: MetricSource {
  /// What `TYPE` says.
  static var kind: MetricKind { get }
  /// The name without prefix, `[a-zA-Z_][a-zA-Z0-9_]*`; the unit in the name, `_total` for counters.
  var name: StaticString { get }
  /// What it counts, for the person who writes a dashboard.
  var help: StaticString { get }
  /// Writes the samples of this metric with the labels of its series.
  func writeSamples(labels: [(name: StaticString, value: StaticString)], to text: inout ExpositionText)
}

extension Metric {
  /// Its one name.
  public var names: [StaticString] { [name] }

  /// The heading and the samples without labels.
  public func write(to text: inout ExpositionText) {
    text.heading(name, help, Self.kind)
    writeSamples(labels: [], to: &text)
  }
}

/// The types of the text exposition format that are used here.
public enum MetricKind: StaticallyLabelled {
  /// Only grows, from 0 at the start of the process.
  case counter
  /// Goes up and down.
  case gauge
  /// Counts observations in cumulative buckets.
  case histogram

  /// The word in the `TYPE` line.
  public var label: StaticString {
    switch self {
    case .counter: "counter"
    case .gauge: "gauge"
    case .histogram: "histogram"
    }
  }
}
