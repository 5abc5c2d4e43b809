#if canImport(Darwin)
  import Compression
#else
  internal import CZlib
#endif

/// Bytes in a gzip wrapper (RFC 1952), the same for the same content.
enum GzipEncoder {
  /// Compresses some bytes.
  /// - Returns: the gzip file; `nil` where it would not be smaller.
  static func compress(_ bytes: [UInt8]) -> [UInt8]? {
    let wrapper = 18
    guard bytes.count > wrapper, let deflated = deflate(bytes, limit: bytes.count - wrapper) else { return nil }
    let checksum = bytes.withUnsafeBytes { Checksum.of($0) }
    // Deflate, no name, no time, no level, unknown system.
    let head: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255]
    let tail = [checksum, UInt32(truncatingIfNeeded: bytes.count)].flatMap { value in
      (0..<4).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
    }
    return head + deflated + tail
  }

  /// A raw deflate stream (RFC 1951); `nil` where it would be longer than the limit.
  private static func deflate(_ bytes: [UInt8], limit: Int) -> [UInt8]? {
    let result = [UInt8](unsafeUninitializedCapacity: limit) { target, count in
      #if canImport(Darwin)
        count = compression_encode_buffer(target.baseAddress!, limit, bytes, bytes.count, nil, COMPRESSION_ZLIB)
      #else
        var stream = z_stream()
        // A negative window is a raw stream of the largest one.
        let size = Int32(MemoryLayout<z_stream>.size)
        guard deflateInit2_(&stream, 6, Z_DEFLATED, -15, 8, 0, ZLIB_VERSION, size) == Z_OK else { return }
        defer { deflateEnd(&stream) }
        bytes.withUnsafeBufferPointer { source in
          // zlib declares its input as mutable but does not write to it.
          stream.next_in = UnsafeMutablePointer(mutating: source.baseAddress)
          stream.avail_in = UInt32(source.count)
          stream.next_out = target.baseAddress
          stream.avail_out = UInt32(limit)
          if CZlib.deflate(&stream, Z_FINISH) == Z_STREAM_END { count = Int(stream.total_out) }
        }
      #endif
    }
    return result.isEmpty ? nil : result
  }
}
