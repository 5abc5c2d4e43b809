/// Gathers a body as it arrives, holding no more than the limit of it.
struct BodyAssembler {
  /// Whether more has arrived than the limit allows, as sent. What follows is discarded.
  private(set) var isOverLimit = false
  private var received = 0
  private var bytes: [UInt8] = []
  private var isGzip = false
  private var refusal: RequestBody?
  private let limit: Int

  /// - Parameters:
  ///   - limit: the most bytes, as sent and inflated.
  ///   - coding: how the content is coded.
  ///   - expected: the length the client announced; a hint, as memory is given for what has arrived.
  init(limit: Int, coding: HeadScan.Coding, expected: Int) {
    self.limit = limit
    switch coding {
    case .identity: bytes.reserveCapacity(min(expected, limit, 16 * 1024))
    case .gzip: isGzip = true
    case .unsupported: refusal = .unsupportedEncoding
    }
  }

  mutating func append(_ part: UnsafeRawBufferPointer) {
    if part.count > limit - received {
      isOverLimit = true
      refusal = .tooLarge
      bytes = []
      received = limit
      return
    }
    received += part.count
    if refusal == nil { bytes.append(contentsOf: part) }
  }

  /// The body, once all of it has been appended.
  ///
  /// What is compressed is inflated only now: a client that sends a few bytes and then nothing makes the server hold no
  /// more than those.
  func finish() -> RequestBody {
    if let refusal { return refusal }
    // No body at all is no broken gzip stream: some clients name a coding on every request.
    if !isGzip || received == 0 { return .bytes(bytes) }
    let inflater = GzipInflater(limit: limit)
    let failure: GzipInflater.Failure? = bytes.withUnsafeBytes { all in
      do throws(GzipInflater.Failure) {
        try inflater.append(all)
        return nil
      } catch { return error }
    }
    if let failure { return failure == .tooLarge ? .tooLarge : .undecodable }
    return inflater.isComplete ? .bytes(inflater.output) : .undecodable
  }
}
