import AnalyticsContract

/// Chance that follows from a seed (SplitMix64): the same everywhere.
struct DemoRandom {
  private var state: UInt64

  /// - Parameters:
  ///   - seed: the plan's.
  ///   - stream: what it is for; each has chances of its own.
  init(seed: UInt64, stream: UInt64) {
    state = seed &* 0x9E37_79B9_7F4A_7C15 ^ stream &* 0xD1B5_4A32_D192_ED03
    _ = next()
  }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var value = state
    value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
    return value ^ (value >> 31)
  }

  /// From 0 to less than 1.
  mutating func unit() -> Double { Double(next() >> 11) / 9_007_199_254_740_992 }

  /// Whether something of a probability happens.
  mutating func happens(_ probability: Double) -> Bool { unit() < probability }

  /// From 0 to less than a limit, at least 1.
  mutating func below(_ limit: Int) -> Int { Int(next() % UInt64(limit)) }

  /// How often something happens that happens so often on average.
  mutating func count(mean: Double) -> Int {
    // Each of twenty chances, so that it is bounded.
    (0..<20).reduce(0) { count, _ in count + (happens(mean / 20) ? 1 : 0) }
  }

  /// One of some values, by their weights.
  mutating func pick<Value>(_ choices: [(Value, Double)]) -> Value {
    var rest = unit() * choices.reduce(0) { $0 + $1.1 }
    for (value, weight) in choices {
      rest -= weight
      if rest < 0 { return value }
    }
    return choices[choices.count - 1].0
  }

  mutating func id() -> UUIDValue { UUIDValue(high: next(), low: next() | 1) }
}
