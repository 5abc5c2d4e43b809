/// A JSON Web Signature in its compact form: three texts in base64url, joined by dots.
struct CompactJWS {
  /// The header's JSON.
  let header: [UInt8]
  /// The signed bytes' meaning.
  let payload: [UInt8]
  /// The signature.
  let signature: [UInt8]
  /// How much of the start is signed: both encoded parts and the dot between them.
  let signedCount: Int

  /// - Parameter text: the whole text; `nil` where it is not of that form.
  init?(_ text: UnsafeBufferPointer<UInt8>) {
    let parts = text.split(separator: UInt8(ascii: "."), maxSplits: 3, omittingEmptySubsequences: false)
      .map { UnsafeBufferPointer(rebasing: $0) }
    guard parts.count == 3, let header = Base64.url.decode(parts[0]), let payload = Base64.url.decode(parts[1]),
      let signature = Base64.url.decode(parts[2])
    else { return nil }
    self.header = header
    self.payload = payload
    self.signature = signature
    signedCount = parts[0].count + 1 + parts[1].count
  }
}
