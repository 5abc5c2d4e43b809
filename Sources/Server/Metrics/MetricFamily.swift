/// One metric for every combination of label values.
///
/// All series exist from the start, at 0, so that a rate over the first error isn't missing. Getting one is an array
/// access: `metrics.httpRequests[.events, .ok].increment()`.
public struct MetricFamily<Member: Metric, Labels: LabelSet>: MetricSource {
  private let members: [Member]

  /// - Parameter make: makes one series; called once for each combination.
  public init(_ make: () -> Member) {
    members = Labels.combinations.map { _ in make() }
    precondition(!members.isEmpty, "a family needs at least one series")
  }

  /// The name of its metric.
  public var names: [StaticString] { [members[0].name] }

  /// The series of one label, or of a pair.
  public subscript(labels: Labels) -> Member { members[labels.ordinal] }

  /// The series of two labels.
  public subscript<First, Second>(first: First, second: Second) -> Member
  where Labels == LabelPair<First, Second> {
    members[LabelPair(first: first, second: second).ordinal]
  }

  /// Writes one heading and the samples of all series.
  public func write(to text: inout ExpositionText) {
    text.heading(members[0].name, members[0].help, Member.kind)
    for (member, labels) in zip(members, Labels.combinations) { member.writeSamples(labels: labels, to: &text) }
  }
}

/// Counters by label.
public typealias CounterFamily<Labels: LabelSet> = MetricFamily<Counter, Labels>
/// Duration histograms by label.
public typealias DurationFamily<Labels: LabelSet> = MetricFamily<Histogram<Duration>, Labels>

extension MetricFamily where Member == Counter {
  /// Counters at 0.
  public init(_ name: StaticString, _ help: StaticString) { self.init { Counter(name, help) } }
}

extension MetricFamily where Member == Histogram<Duration> {
  /// Empty histograms with the same buckets.
  public init(_ name: StaticString, _ help: StaticString, buckets: [Duration]) {
    self.init { Histogram(name, help, buckets: buckets) }
  }
}
