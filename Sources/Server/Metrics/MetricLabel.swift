/// A label value of a metric: a case of an enumeration, known at compile time.
///
/// The closed set bounds the number of series, and keeps text from outside out of the metrics.
public protocol MetricLabel: StaticallyLabelled, LabelSet, CaseIterable, Equatable {
  /// The label's name, for example `outcome`.
  static var labelName: StaticString { get }
}

/// All combinations of label values that a metric family has series for: one label, or a `LabelPair`.
public protocol LabelSet: Sendable {
  /// Every combination once, in the order of `ordinal`, as names and values.
  static var combinations: [[(name: StaticString, value: StaticString)]] { get }
  /// Where this combination stands in `combinations`.
  var ordinal: Int { get }
}

extension MetricLabel {
  /// One entry for each case.
  public static var combinations: [[(name: StaticString, value: StaticString)]] {
    allCases.map { [(labelName, $0.label)] }
  }

  /// The position among the cases.
  public var ordinal: Int {
    var position = 0
    for value in Self.allCases {
      if value == self { break }
      position += 1
    }
    return position
  }
}

extension MetricLabel where Self: RawRepresentable, RawValue == Int {
  /// The raw value, which counts from 0 in `enum Outcome: Int, MetricLabel`.
  public var ordinal: Int { rawValue }
}

/// Two labels of one metric.
public struct LabelPair<First: MetricLabel, Second: MetricLabel>: LabelSet {
  let first: First
  let second: Second

  /// The product of both labels' cases, the second changing fastest.
  public static var combinations: [[(name: StaticString, value: StaticString)]] {
    First.combinations.flatMap { first in Second.combinations.map { first + $0 } }
  }

  /// The position in `combinations`.
  public var ordinal: Int { first.ordinal * Second.allCases.count + second.ordinal }
}
