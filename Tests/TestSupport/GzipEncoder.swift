internal import CZlib

/// Bytes in a gzip wrapper, as a client makes them.
/// - Parameters:
///   - bytes: the content.
///   - level: zlib's compression level, 0 to 9.
/// - Returns: the gzip file's bytes.
public func gzipped(_ bytes: [UInt8], level: Int32 = 6) -> [UInt8] {
  var stream = z_stream()
  let version = ZLIB_VERSION
  // 15 bits of window, and 16 more to ask for the gzip wrapper.
  deflateInit2_(&stream, level, Z_DEFLATED, 15 + 16, 8, 0, version, Int32(MemoryLayout<z_stream>.size))
  defer { deflateEnd(&stream) }
  var output = [UInt8](repeating: 0, count: Int(deflateBound(&stream, UInt(bytes.count))) + 64)
  var input = bytes
  let written = input.withUnsafeMutableBufferPointer { source in
    output.withUnsafeMutableBufferPointer { target in
      stream.next_in = source.baseAddress
      stream.avail_in = UInt32(source.count)
      stream.next_out = target.baseAddress
      stream.avail_out = UInt32(target.count)
      precondition(deflate(&stream, Z_FINISH) == Z_STREAM_END)
      return Int(stream.total_out)
    }
  }
  return Array(output.prefix(written))
}
