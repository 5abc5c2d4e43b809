import Foundation

/// A reproducible source of randomness (SplitMix64). Its seed is a text, usually the name of the test, so that no two
/// tests make the same identifiers; `OSG_ANALYTICS_TEST_SEED` changes all of them.
public struct SeededGenerator: RandomNumberGenerator, Sendable {
  private var state: UInt64

  /// A generator for a seed.
  public init(seed: String) {
    let variation = ProcessInfo.processInfo.environment["OSG_ANALYTICS_TEST_SEED"] ?? ""
    // FNV-1a.
    state = (seed + variation).utf8.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
  }

  /// The next 64 bits.
  public mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var value = state
    value = (value ^ (value >> 30)) &* 0xbf58_476d_1ce4_e5b9
    value = (value ^ (value >> 27)) &* 0x94d0_49bb_1331_11eb
    return value ^ (value >> 31)
  }
}
