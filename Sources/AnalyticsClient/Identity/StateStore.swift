import AnalyticsContract

/// The container's folder and the state in it, which app and keyboard share.
///
/// A state is a file whose name has its number. To change the state is to make the file with the next number, which the
/// system lets only one process do; the other one looks again. So two processes that start at once agree on one identity,
/// and whoever is killed on the way leaves either the old state or the new one.
struct StateStore: Sendable {
  /// The folder that app and keyboard share.
  let folder: Folder

  private static let prefix = "state-"

  /// The present state; where there is none yet, one with a fresh identity.
  ///
  /// A state that can't be read any more might have said that collection is not allowed. So it counts as that, until the
  /// app says otherwise.
  /// - Throws: ``FileError`` where the container is not available.
  func current() throws(FileError) -> ClientState {
    while true {
      guard let newest = try sequences().max() else {
        let first = ClientState.fresh(sequence: 1)
        if try make(first) { return first }
        continue
      }
      guard let bytes = try folder.contents(of: Self.name(newest)) else { continue }
      if let state = ClientState(bytes: bytes), state.sequence == newest { return state }
      let off = ClientState.off(sequence: newest + 1)
      if try make(off) { return off }
    }
  }

  /// Whether a state is still the present one. It costs two calls to the system.
  func isCurrent(_ state: ClientState) -> Bool {
    folder.contains(Self.name(state.sequence)) && !folder.contains(Self.name(state.sequence + 1))
  }

  /// Replaces the state.
  /// - Parameter transition: gives what comes after a state, its number aside; `nil` leaves it as it is. It is asked
  ///   again where another process was faster.
  /// - Returns: the present state.
  /// - Throws: ``FileError`` where the container is not available.
  func change(_ transition: (ClientState) -> ClientState?) throws(FileError) -> ClientState {
    while true {
      let old = try current()
      guard var new = transition(old) else { return old }
      new.sequence = old.sequence + 1
      if try make(new) { return new }
    }
  }

  /// Removes what belongs to former states. Any process may do it at any time, and a killed one leaves it to the next.
  func removeFormer(_ state: ClientState) {
    for name in (try? folder.names()) ?? [] {
      if name.hasPrefix(ClientState.folderPrefix), name != state.folderName { folder.folder(name).removeAll() }
      if let sequence = Self.sequence(name), sequence < state.sequence { folder.remove(name) }
    }
  }

  private func make(_ state: ClientState) throws(FileError) -> Bool {
    try folder.create(Self.name(state.sequence), state.bytes)
  }

  private func sequences() throws(FileError) -> [UInt64] { try folder.names().compactMap(Self.sequence) }

  private static func name(_ sequence: UInt64) -> String { prefix + String(sequence) }

  private static func sequence(_ name: String) -> UInt64? {
    name.hasPrefix(prefix) ? UInt64(name.dropFirst(prefix.count)) : nil
  }
}
