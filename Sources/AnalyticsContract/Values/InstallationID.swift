/// The random identifier of one installation of the app. It exists on the server only while its digest is computed.
public struct InstallationID: Sendable, Hashable, Redacted {
  /// The UUID.
  public let uuid: UUIDValue

  /// - Parameter uuid: any UUID but the nil one, which would merge strangers; that gives `nil`.
  public init?(_ uuid: UUIDValue) {
    if uuid.isNil { return nil }
    self.uuid = uuid
  }

  /// What is stored instead of the identifier: SHA-256 over the 36 ASCII bytes of the canonical (lower-case) text.
  public var digest: Digest {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: UUIDValue.textLength) { buffer in
      uuid.writeText(to: buffer, uppercase: false)
      return Digest(hashing: UnsafeRawBufferPointer(buffer))
    }
  }
}
