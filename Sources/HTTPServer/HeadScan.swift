import Glibc

/// One pass over the header lines of a request: what frames its body, and the few values that are kept.
///
/// A request that two parsers could frame differently is refused: that is how a request is smuggled past a proxy
/// (RFC 9112, 6.3 and 11.2). libmicrohttpd alone would take the first of two lengths, prefer a transfer coding to a
/// length, overlook a length whose name is followed by a space, and read a body of unknown coding until the end.
struct HeadScan {
  /// How the content is coded.
  enum Coding {
    case identity, gzip, unsupported
  }

  private(set) var kept: [(name: HeaderName, value: String)] = []
  private(set) var contentLength: UInt64?
  private(set) var isChunked = false
  private(set) var coding = Coding.identity
  private(set) var lines = 0
  private var hosts = 0
  private var hasCoding = false
  private var hasUnknownTransferCoding = false
  private var isAmbiguous = false
  private var layout: HeadLayout
  private let keptNames: [HeaderName]

  private static let host: HeaderName = "host"
  private static let contentLength: HeaderName = "content-length"
  private static let transferEncoding: HeaderName = "transfer-encoding"
  private static let contentEncoding: HeaderName = "content-encoding"

  init(keptNames: [HeaderName], version: UnsafePointer<CChar>) {
    self.keptNames = keptNames
    layout = HeadLayout(version: version)
  }

  /// Takes one header line.
  mutating func add(name: UnsafePointer<CChar>?, value: UnsafePointer<CChar>?) {
    lines += 1
    layout.add(name: name, value: value)
    add(name: Self.bytes(name), value: Self.bytes(value))
  }

  /// Takes the end of the head.
  mutating func finish(_ end: UnsafePointer<CChar>) { layout.finish(end) }

  private mutating func add(name: UnsafeBufferPointer<UInt8>, value: UnsafeBufferPointer<UInt8>) {
    if name.isEmpty || !name.allSatisfy(Self.isToken) { isAmbiguous = true }
    // Some parsers end a line at a lone CR (RFC 9112, 2.2).
    if value.contains(where: { $0 < 0x20 && $0 != 0x09 || $0 == 0x7F }) { isAmbiguous = true }
    switch name.count {
    case 4 where Self.host.matches(name): hosts += 1
    case 14 where Self.contentLength.matches(name):
      if contentLength != nil { isAmbiguous = true }
      contentLength = Self.number(value)
      if contentLength == nil { isAmbiguous = true }
    case 17 where Self.transferEncoding.matches(name):
      if isChunked || !Self.equals(value, "chunked") { hasUnknownTransferCoding = true }
      isChunked = true
    case 16 where Self.contentEncoding.matches(name):
      let text = Self.trimmed(value)
      if hasCoding {
        coding = .unsupported
      } else if Self.equals(text, "gzip") || Self.equals(text, "x-gzip") {
        coding = .gzip
      } else if !text.isEmpty, !Self.equals(text, "identity") {
        coding = .unsupported
      }
      hasCoding = true
    default: break
    }
    for candidate in keptNames where candidate.matches(name) {
      kept.append((candidate, String(decoding: Self.trimmed(value), as: UTF8.self)))
    }
  }

  /// Judges the whole head.
  /// - Parameter isVersion10: whether the request is HTTP/1.0, which needs no `Host` and knows no transfer coding.
  /// - Returns: the status code to refuse the request with, or nil.
  func refusal(isVersion10: Bool) -> Int? {
    if isAmbiguous || !layout.isIntact || hosts > 1 || (hosts == 0 && !isVersion10) { return 400 }
    if isChunked && (contentLength != nil || isVersion10) { return 400 }
    return hasUnknownTransferCoding ? 501 : nil
  }

  private static func bytes(_ text: UnsafePointer<CChar>?) -> UnsafeBufferPointer<UInt8> {
    guard let text else { return UnsafeBufferPointer(start: nil, count: 0) }
    return UnsafeBufferPointer(start: UnsafeRawPointer(text).assumingMemoryBound(to: UInt8.self), count: strlen(text))
  }

  /// `tchar` of RFC 9110, 5.6.2: bit n of the pair of words stands for the ASCII character n.
  private static func isToken(_ byte: UInt8) -> Bool {
    let low: UInt64 = 0x03FF_6CFA_0000_0000
    let high: UInt64 = 0x57FF_FFFF_C7FF_FFFE
    return byte < 128 && ((byte < 64 ? low : high) >> UInt64(byte & 63)) & 1 == 1
  }

  private static func number(_ text: UnsafeBufferPointer<UInt8>) -> UInt64? {
    if text.isEmpty || text.count > 18 { return nil }
    var result: UInt64 = 0
    for byte in text {
      guard byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") else { return nil }
      result = result * 10 + UInt64(byte - UInt8(ascii: "0"))
    }
    return result
  }

  private static func trimmed(_ text: UnsafeBufferPointer<UInt8>) -> UnsafeBufferPointer<UInt8> {
    func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
    var slice = text[...]
    while let first = slice.first, isSpace(first) { slice.removeFirst() }
    while let last = slice.last, isSpace(last) { slice.removeLast() }
    return UnsafeBufferPointer(rebasing: slice)
  }

  private static func equals(_ text: UnsafeBufferPointer<UInt8>, _ word: StaticString) -> Bool {
    guard text.count == word.utf8CodeUnitCount else { return false }
    for index in 0..<text.count where HeaderName.lowercased(text[index]) != word.utf8Start[index] { return false }
    return true
  }
}
