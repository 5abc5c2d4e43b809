import AnalyticsContract

/// Who this installation is at present, and whether it may collect. A state is never changed: a new one with the next
/// number takes its place.
struct ClientState: Sendable, Equatable, Redacted {
  /// The number of the state, from 1.
  var sequence: UInt64
  /// The identity; `nil` where the user doesn't allow collection.
  var installation: InstallationID?
  /// What names the folder of everything that was collected under this identity. A new identity gets a new folder, so
  /// that nothing can slip from the one to the other.
  var generation: UInt64
  /// A salted digest of the account that the identity is linked to; `nil` before the first sign-in.
  var account: Digest?

  /// The name of the folder with everything that was collected under this identity.
  var folderName: String { Self.folderPrefix + hexadecimal(generation) }
  /// What the names of those folders begin with.
  static let folderPrefix = "identity-"

  /// A state with a fresh identity.
  static func fresh(sequence: UInt64) -> ClientState {
    ClientState(
      sequence: sequence, installation: InstallationID(.random()), generation: .random(in: .min ... .max), account: nil)
  }

  /// A state without identity, in which nothing is collected.
  static func off(sequence: UInt64) -> ClientState {
    ClientState(sequence: sequence, installation: nil, generation: .random(in: .min ... .max), account: nil)
  }

  /// What an account's identifier is kept as: it can be compared with another one and tells nothing by itself.
  static func digest(of account: UUIDValue, for installation: InstallationID) -> Digest {
    Digest(hashing: installation.uuid.text() + account.text())
  }
}

extension ClientState {
  /// The file's bytes: the state twice, each with its own checksum, so that damage to one byte loses nothing.
  var bytes: [UInt8] {
    var bytes: [UInt8] = Array("OSGS".utf8) + [1, installation == nil ? 0 : 1, account == nil ? 0 : 1, 0]
    bytes += UUIDValue(high: sequence, low: generation).bytes
    bytes += (installation?.uuid ?? UUIDValue(high: 0, low: 0)).bytes
    bytes += account?.withUnsafeBytes { Array($0) } ?? [UInt8](repeating: 0, count: Digest.byteCount)
    let sealed = Checksum.sealing(bytes)
    return sealed + sealed
  }

  /// Reads what ``bytes`` gives; `nil` where both copies are damaged.
  init?(bytes: [UInt8]) {
    let size = 76
    for copy in [bytes.prefix(size), bytes.dropFirst(size).prefix(size)] where copy.count == size {
      if let content = Checksum.opening(copy), let state = ClientState(content: content) {
        self = state
        return
      }
    }
    return nil
  }

  private init?(content: [UInt8]) {
    guard content.starts(with: Array("OSGS".utf8) + [1]) else { return nil }
    let numbers = content[8..<24].withUnsafeBytes { UUIDValue(bytes: $0) }!
    let uuid = content[24..<40].withUnsafeBytes { UUIDValue(bytes: $0) }!
    (sequence, generation) = (numbers.high, numbers.low)
    installation = content[5] == 1 ? InstallationID(uuid) : nil
    account = content[6] == 1 ? content[40..<72].withUnsafeBytes { Digest(bytes: $0) } : nil
  }
}
