/// A JSON Web Signature in its compact form: three texts in base64url, joined by dots.
struct CompactJWS {
  /// The three texts as they are written, inside the whole text.
  struct Text {
    let header: UnsafeBufferPointer<UInt8>
    let payload: UnsafeBufferPointer<UInt8>
    let signature: UnsafeBufferPointer<UInt8>

    /// - Parameter text: the whole text; `nil` where it has another number of dots.
    init?(_ text: UnsafeBufferPointer<UInt8>) {
      let parts = text.split(separator: UInt8(ascii: "."), maxSplits: 3, omittingEmptySubsequences: false)
      guard parts.count == 3 else { return nil }
      header = UnsafeBufferPointer(rebasing: parts[0])
      payload = UnsafeBufferPointer(rebasing: parts[1])
      signature = UnsafeBufferPointer(rebasing: parts[2])
    }
  }

  /// The header's JSON.
  let header: [UInt8]
  /// What is signed, beside the header.
  let payload: [UInt8]
  /// The signature.
  let signature: [UInt8]
  /// How much of the start is signed: both encoded parts and the dot between them.
  let signedCount: Int

  /// - Parameter text: the three texts; `nil` where one is no base64url.
  init?(_ text: Text) {
    guard let header = Base64.url.decode(text.header), let payload = Base64.url.decode(text.payload),
      let signature = Base64.url.decode(text.signature)
    else { return nil }
    self.header = header
    self.payload = payload
    self.signature = signature
    signedCount = text.header.count + 1 + text.payload.count
  }
}
