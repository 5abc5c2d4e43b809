internal import CMicroHTTPD
import Glibc

extension Response {
  /// The status that goes out: a handler's slip must not break the protocol.
  var sentStatus: Int { (200...599).contains(status) ? status : 500 }

  /// libmicrohttpd's form of the response, to be destroyed by the caller; nil when memory is short.
  func makeMessage() -> OpaquePointer? {
    let message = body.withUnsafeBytes {
      // Only read, as it is to be copied.
      MHD_create_response_from_buffer(
        $0.count, UnsafeMutableRawPointer(mutating: $0.baseAddress), .RESPMEM_MUST_COPY)
    }
    guard let message else { return nil }
    for (name, value) in headers where !Self.belongsToServer(name) {
      // It refuses an empty name or value and control characters.
      _ = MHD_add_response_header(message, name, value)
    }
    if closesConnection { _ = MHD_add_response_header(message, "Connection", "close") }
    return message
  }

  /// The response as bytes, for a connection that ends with it.
  func serialized(for method: Request.Method) -> [UInt8] {
    let reason = MHD_get_reason_phrase_for(UInt32(sentStatus)).map { String(cString: $0) } ?? "Unknown"
    var text = "HTTP/1.1 \(sentStatus) \(reason)\r\n"
    for (name, value) in headers where !Self.belongsToServer(name) && !name.isEmpty {
      if (name + value).utf8.contains(where: { ($0 < 0x20 && $0 != 0x09) || $0 == 0x7F }) { continue }
      text += "\(name): \(value)\r\n"
    }
    text += "Content-Length: \(body.count)\r\nConnection: close\r\n\r\n"
    return Array(text.utf8) + (method == .head ? [] : body)
  }

  private static func belongsToServer(_ name: String) -> Bool {
    switch name.utf8.count {
    case 4: strcasecmp(name, "Date") == 0
    case 10: strcasecmp(name, "Connection") == 0
    case 14: strcasecmp(name, "Content-Length") == 0
    case 17: strcasecmp(name, "Transfer-Encoding") == 0
    default: false
    }
  }
}
