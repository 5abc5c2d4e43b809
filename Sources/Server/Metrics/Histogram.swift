import Synchronization

/// What a histogram can observe: `Duration`, shown in seconds, and `Int`, shown as it is.
public protocol HistogramValue: Sendable {
  /// The value in whole ticks, never below 0.
  var ticks: UInt64 { get }
  /// How many ticks make up the unit that is shown: a power of ten.
  static var ticksPerUnit: UInt64 { get }
}

extension Duration: HistogramValue {
  /// Whole microseconds.
  public var ticks: UInt64 {
    let (seconds, attoseconds) = components
    return UInt64(clamping: seconds &* 1_000_000 &+ attoseconds / 1_000_000_000_000)
  }

  /// Microseconds in a second.
  public static var ticksPerUnit: UInt64 { 1_000_000 }
}

extension Int: HistogramValue {
  /// The number itself; below 0 counts as 0.
  public var ticks: UInt64 { UInt64(clamping: self) }

  /// 1.
  public static var ticksPerUnit: UInt64 { 1 }
}

/// Counts observations in fixed buckets.
///
/// Observing is a scan over the bounds and two relaxed atomic additions, from any thread. The count that is shown is
/// the sum of the buckets, so that both always agree; the sum may be an observation ahead of them during a scrape.
///
/// `@unchecked Sendable`: `cells` is set once, points to `bounds.count + 1` atomics that are only used through atomic
/// operations, and lives as long as the object.
public final class Histogram<Value: HistogramValue>: Metric, @unchecked Sendable {
  /// `histogram`.
  public static var kind: MetricKind { .histogram }
  /// The name without prefix, ending in the unit: `_seconds` for `Duration`.
  public let name: StaticString
  /// What is observed.
  public let help: StaticString
  private let bounds: [UInt64]
  private let cells: UnsafeMutablePointer<Atomic<UInt64>>
  private let sum = Atomic<UInt64>(0)

  /// An empty histogram.
  ///
  /// - Parameters:
  ///   - name: the name without prefix.
  ///   - help: what is observed.
  ///   - buckets: the upper bounds, rising; a bucket holds what is equal to its bound. One more for everything above
  ///     is added.
  public init(_ name: StaticString, _ help: StaticString, buckets: [Value]) {
    self.name = name
    self.help = help
    bounds = buckets.map(\.ticks)
    precondition(zip(bounds, bounds.dropFirst()).allSatisfy { $0 < $1 }, "bucket bounds must rise")
    cells = .allocate(capacity: bounds.count + 1)
    for index in 0...bounds.count { (cells + index).initialize(to: Atomic(0)) }
  }

  deinit {
    cells.deinitialize(count: bounds.count + 1)
    cells.deallocate()
  }

  /// Counts one observation. Below 0 counts as 0: a clock was set back.
  public func observe(_ value: Value) { observe(ticks: value.ticks) }

  private func observe(ticks: UInt64) {
    var index = 0
    while index < bounds.count && ticks > bounds[index] { index += 1 }
    cells[index].wrappingAdd(1, ordering: .relaxed)
    sum.wrappingAdd(ticks, ordering: .relaxed)
  }

  /// How many observations there were.
  public var count: UInt64 {
    (0...bounds.count).reduce(0) { $0 &+ cells[$1].load(ordering: .relaxed) }
  }

  /// Writes the cumulative buckets, the sum and the count.
  public func writeSamples(labels: [(name: StaticString, value: StaticString)], to text: inout ExpositionText) {
    let perUnit = Value.ticksPerUnit
    var count: UInt64 = 0
    for index in 0...bounds.count {
      count &+= cells[index].load(ordering: .relaxed)
      let bound = index < bounds.count ? Ticks(count: bounds[index], perUnit: perUnit) : nil
      text.bucket(name, labels: labels, upTo: bound, count)
    }
    let total = Ticks(count: sum.load(ordering: .relaxed), perUnit: perUnit)
    text.total(name, labels: labels, sum: total, count: count)
  }
}

extension Histogram where Value == Duration {
  /// Counts one observation in microseconds, for callers that have the difference of two clock readings.
  public func observe(microseconds: Int64) { observe(ticks: UInt64(clamping: microseconds)) }
}
