internal import CZlib

/// Inflates a gzip stream into at most a given number of bytes.
///
/// Several members one after another count as one stream (RFC 1952, 2.2). Zero padding or anything else after the last
/// member is an error.
final class GzipInflater {
  enum Failure: Error {
    case tooLarge, broken
  }

  private(set) var output: [UInt8] = []
  private let limit: Int
  private var isBetweenMembers = false
  // On the heap, as zlib keeps a pointer back to it: owned by this object, freed in deinit.
  private let stream: UnsafeMutablePointer<z_stream>

  init(limit: Int) {
    self.limit = limit
    stream = .allocate(capacity: 1)
    stream.initialize(to: z_stream())
    // 15 + 16: the largest window, gzip alone (no zlib, no raw deflate).
    let result = inflateInit2_(stream, 15 + 16, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
    precondition(result == Z_OK, "zlib could not be initialised: out of memory, or another version than built for")
  }

  deinit {
    inflateEnd(stream)
    stream.deallocate()
  }

  /// Inflates the next part.
  func append(_ input: UnsafeRawBufferPointer) throws(Failure) {
    // zlib declares its input as mutable but does not write to it.
    stream.pointee.next_in = UnsafeMutablePointer(
      mutating: input.bindMemory(to: UInt8.self).baseAddress)
    stream.pointee.avail_in = UInt32(input.count)
    var failure: Failure?
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 16 * 1024) { chunk in
      while failure == nil {
        if isBetweenMembers {
          if stream.pointee.avail_in == 0 { return }
          inflateReset(stream)
          isBetweenMembers = false
        }
        stream.pointee.next_out = chunk.baseAddress
        stream.pointee.avail_out = UInt32(chunk.count)
        let result = inflate(stream, Z_NO_FLUSH)
        let count = chunk.count - Int(stream.pointee.avail_out)
        if count > limit - output.count {
          failure = .tooLarge
          return
        }
        output.append(contentsOf: chunk[..<count])
        switch result {
        case Z_STREAM_END: isBetweenMembers = true
        case Z_OK: if stream.pointee.avail_in == 0 && stream.pointee.avail_out > 0 { return }
        case Z_BUF_ERROR: return
        default: failure = .broken
        }
      }
    }
    stream.pointee.next_in = nil
    if let failure { throw failure }
  }

  /// Whether the stream may end here: after a whole member.
  var isComplete: Bool { isBetweenMembers }
}
