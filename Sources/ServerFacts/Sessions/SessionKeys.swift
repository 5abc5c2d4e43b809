import CJOSE
import Glibc

/// Why a file gives no keys to verify sessions with.
public enum SessionKeysFailure: Error, CaseIterable, Sendable {
  /// It can't be read.
  case unreadable
  /// It is larger than 1 MiB.
  case tooLarge
  /// It is no JSON object with a member `keys` that is an array.
  case noKeySet
  /// It holds no public key for ES256, RS256 or EdDSA.
  case noUsableKey
  /// Two usable keys have the same `kid`, or several have none.
  case ambiguousKeys

  /// The label.
  public var label: StaticString {
    switch self {
    case .unreadable: "unreadable"
    case .tooLarge: "too_large"
    case .noKeySet: "no_key_set"
    case .noUsableKey: "no_usable_key"
    case .ambiguousKeys: "ambiguous_keys"
    }
  }
}

/// The usable keys of a JWK set (RFC 7517). Keys of other kinds and for other purposes are passed over.
struct SessionKeys: Sendable {
  private let keys: [SessionKey]

  var count: Int { keys.count }

  /// - Parameter bytes: the set's JSON.
  /// - Throws: ``SessionKeysFailure``.
  init(_ bytes: [UInt8]) throws(SessionKeysFailure) {
    guard let set = JSONObject(bytes), let elements = set["keys"]?.elements else { throw .noKeySet }
    keys = elements.compactMap { SessionKey($0) }
    if keys.isEmpty { throw .noUsableKey }
    if Set(keys.map(\.id)).count != keys.count { throw .ambiguousKeys }
  }

  /// The key that a token names; without a name, the only one.
  func key(named name: String?) -> SessionKey? {
    guard let name else { return keys.count == 1 ? keys[0] : nil }
    return keys.first { $0.id == name }
  }
}

/// The file with the keys, and how it is told that it has changed.
struct SessionKeysFile: Sendable {
  /// What changes when a file is written or replaced.
  struct Version: Equatable, Sendable {
    let device: UInt
    let inode: UInt
    let size: Int
    let seconds: Int
    let nanoseconds: Int

    fileprivate init(_ status: stat) {
      device = UInt(status.st_dev)
      inode = UInt(status.st_ino)
      size = Int(status.st_size)
      seconds = status.st_mtim.tv_sec
      nanoseconds = status.st_mtim.tv_nsec
    }
  }

  let path: String
  private static let maximumSize = 1 << 20

  /// The file as it is now; `nil` where there is none.
  var version: Version? {
    var status = stat()
    return stat(path, &status) == 0 ? Version(status) : nil
  }

  /// Reads the keys. A version that was taken before tells later whether to read again.
  /// - Returns: the keys.
  /// - Throws: ``SessionKeysFailure``.
  func read() throws(SessionKeysFailure) -> SessionKeys {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    if descriptor < 0 { throw .unreadable }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 16 * 1024)
    while true {
      let count = Glibc.read(descriptor, &chunk, chunk.count)
      if count < 0 { throw .unreadable }
      if count == 0 { return try SessionKeys(bytes) }
      bytes += chunk.prefix(count)
      if bytes.count > Self.maximumSize { throw .tooLarge }
    }
  }
}
