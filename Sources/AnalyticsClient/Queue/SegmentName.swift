import AnalyticsContract

/// The name of a segment file, which says how old it is and whether somebody is uploading it.
///
/// `events-CREATED-RANDOM` is free. `events-CREATED-RANDOM.EXPIRY-OWNER` is claimed: until the expiry only its owner
/// looks into it. All four are numbers in 16 hexadecimal digits; instants in microseconds since 1970. A claim is a
/// rename, so only one of several processes gets it; and as every claim has its own name, whoever lost it notices.
struct SegmentName: Sendable, Hashable {
  /// Who uploads a segment, and until when nobody else may.
  struct Claim: Sendable, Hashable {
    /// When the claim ends, if it isn't renewed.
    let expiry: Instant
    /// The client that holds it: a random number.
    let owner: UInt64
  }

  /// When the segment was begun, by the device's clock; never negative.
  let created: Instant
  /// What tells segments of the same instant apart.
  let random: UInt64
  /// Who uploads it; `nil` where it is free.
  let claim: Claim?

  private static let prefix = "events-"

  /// A new, free segment.
  init(created: Instant, random: UInt64 = .random(in: .min ... .max)) {
    self.init(created: created, random: random, claim: nil)
  }

  private init(created: Instant, random: UInt64, claim: Claim?) {
    self.created = max(created, Instant(microseconds: 0))
    self.random = random
    self.claim = claim
  }

  /// Reads a file's name; `nil` where it is no segment's.
  init?(_ text: String) {
    guard text.hasPrefix(Self.prefix) else { return nil }
    let parts = text.dropFirst(Self.prefix.count).split(separator: ".", omittingEmptySubsequences: false)
    guard (1...2).contains(parts.count), let (created, random) = Self.pair(parts[0]) else { return nil }
    var claim: Claim?
    if parts.count == 2 {
      guard let (expiry, owner) = Self.pair(parts[1]) else { return nil }
      claim = Claim(expiry: Self.instant(expiry), owner: owner)
    }
    self.init(created: Self.instant(created), random: random, claim: claim)
  }

  /// The file's name.
  var text: String {
    let base = Self.prefix + hexadecimal(UInt64(created.microseconds)) + "-" + hexadecimal(random)
    guard let claim else { return base }
    return base + "." + hexadecimal(UInt64(max(0, claim.expiry.microseconds))) + "-" + hexadecimal(claim.owner)
  }

  /// The same segment, claimed.
  func claimed(by owner: UInt64, until expiry: Instant) -> SegmentName {
    SegmentName(created: created, random: random, claim: Claim(expiry: expiry, owner: owner))
  }

  /// The same segment, free.
  var free: SegmentName { SegmentName(created: created, random: random, claim: nil) }

  /// Whether a client may claim the segment. An expiry that lies further ahead than a claim ever lasts was written
  /// with another clock, and tells nothing.
  func isClaimable(at now: Instant, lease seconds: Int64) -> Bool {
    guard let claim else { return true }
    return claim.expiry <= now || claim.expiry > now.advanced(bySeconds: seconds)
  }

  private static func pair(_ text: Substring) -> (UInt64, UInt64)? {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 2, parts.allSatisfy({ $0.utf8.count == 16 }), let first = UInt64(parts[0], radix: 16),
      let second = UInt64(parts[1], radix: 16)
    else { return nil }
    return (first, second)
  }

  private static func instant(_ value: UInt64) -> Instant {
    Instant(microseconds: Int64(clamping: value))
  }
}
