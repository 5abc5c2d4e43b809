import AnalyticsContract

/// When the next upload may be, and how the next batch is cut: what has to outlive the process, shared by app and keyboard.
///
/// It is advice. Where two processes write it at once one of the two survives, and where it can't be read there is none.
struct RetryState: Sendable, Equatable {
  /// The longest wait, in seconds.
  static let maximumWait: Int64 = 6 * 3600
  /// The longest wait after the first failure, in seconds; it doubles with each further one.
  static let firstWait: Int64 = 15

  /// How many uploads in a row have failed.
  var failures = 0
  /// When the wait was decided on.
  var decidedAt = Instant(microseconds: 0)
  /// When it ends.
  var notBefore = Instant(microseconds: 0)
  /// For each endpoint the sizes of the batches that come next, where a batch was refused and has been halved.
  var sizes: [IngestionEndpoint: [Int]] = [:]

  /// How long to wait, in microseconds; 0 where nothing is to be waited for. A wait that was decided on with a clock
  /// that has been set back since is void.
  func wait(at now: Instant) -> Int64 {
    guard now >= decidedAt, now < notBefore else { return 0 }
    return min(notBefore.microseconds - now.microseconds, Self.maximumWait * 1_000_000)
  }

  /// An upload failed: exponential backoff with full jitter, and not before the server wants to be asked again.
  mutating func fail(
    at now: Instant, retryAfterSeconds: Int?, firstWait: Int64 = Self.firstWait,
    using random: inout some RandomNumberGenerator
  ) {
    let ceiling = min(Self.maximumWait, firstWait << min(Int64(failures), 20))
    failures = min(failures + 1, 1000)
    let jittered = Int64.random(in: 0...(ceiling * 1_000_000), using: &random)
    let asked = Int64(min(max(retryAfterSeconds ?? 0, 0), Int(Self.maximumWait))) * 1_000_000
    decidedAt = now
    notBefore = Instant(microseconds: now.microseconds + max(jittered, asked))
  }

  /// The server answered a batch.
  mutating func succeed() { (failures, decidedAt, notBefore) = (0, Instant(microseconds: 0), Instant(microseconds: 0)) }

  /// The size of the next batch.
  func nextSize(for endpoint: IngestionEndpoint) -> Int { sizes[endpoint]?.first ?? ContractLimits.maximumItems }

  /// A batch was refused because of one of its items: its halves come next.
  mutating func halve(_ count: Int, for endpoint: IngestionEndpoint) {
    sizes[endpoint, default: []] = [count / 2, count - count / 2] + (sizes[endpoint] ?? []).dropFirst()
  }

  /// A batch is done with, in one way or the other.
  mutating func finish(for endpoint: IngestionEndpoint) {
    sizes[endpoint] = Array((sizes[endpoint] ?? []).dropFirst())
    if sizes[endpoint] == [] { sizes[endpoint] = nil }
  }
}

extension RetryState {
  private static let name = "upload"

  /// Reads the state; a fresh one where there is none.
  static func load(from folder: Folder) throws(FileError) -> RetryState {
    guard let sealed = try folder.contents(of: name), let bytes = Checksum.opening(sealed[...]), bytes.count >= 24
    else {
      return RetryState()
    }
    var numbers = stride(from: 0, to: 24, by: 8).map { start in
      Int64(bitPattern: bytes[start..<(start + 8)].reversed().reduce(0) { $0 << 8 | UInt64($1) })
    }
    var state = RetryState()
    state.failures = Int(numbers.removeFirst() & 0xFFFF)
    (state.decidedAt, state.notBefore) = (Instant(microseconds: numbers[0]), Instant(microseconds: numbers[1]))
    var rest = bytes[24...]
    for endpoint in IngestionEndpoint.allCases {
      guard let count = rest.popFirst(), rest.count >= Int(count) else { break }
      let sizes = rest.prefix(Int(count)).map { min(max(Int($0), 1), ContractLimits.maximumItems) }
      if !sizes.isEmpty { state.sizes[endpoint] = sizes }
      rest = rest.dropFirst(Int(count))
    }
    return state
  }

  /// Writes the state.
  func save(to folder: Folder) throws(FileError) {
    var bytes: [UInt8] = []
    for number in [Int64(failures), decidedAt.microseconds, notBefore.microseconds] {
      bytes += (0..<8).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
    }
    for endpoint in IngestionEndpoint.allCases {
      let sizes = (sizes[endpoint] ?? []).prefix(200)
      bytes += [UInt8(sizes.count)] + sizes.map { UInt8($0) }
    }
    try folder.replace(Self.name, Checksum.sealing(bytes))
  }
}
