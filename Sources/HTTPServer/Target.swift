/// Takes a request target apart.
enum Target {
  /// The path of a target in origin or absolute form, and the bytes after its first `?`.
  static func split(_ target: UnsafeBufferPointer<UInt8>) -> (path: String, query: UnsafeBufferPointer<UInt8>) {
    var start = 0
    if target.first != UInt8(ascii: "/"), let authority = authorityStart(target) {
      start = authority
      while start < target.count, target[start] != UInt8(ascii: "/"), target[start] != UInt8(ascii: "?") { start += 1 }
    }
    let rest = UnsafeBufferPointer(rebasing: target[start...])
    guard let mark = rest.firstIndex(of: UInt8(ascii: "?")) else {
      return (String(decoding: rest, as: UTF8.self), UnsafeBufferPointer(rebasing: rest[rest.count...]))
    }
    return (String(decoding: rest[..<mark], as: UTF8.self), UnsafeBufferPointer(rebasing: rest[(mark + 1)...]))
  }

  /// The parameters of a query; see ``Request/query``.
  static func parameters(_ query: UnsafeBufferPointer<UInt8>) -> [(name: String, value: String)] {
    if query.isEmpty { return [] }
    return query.split(separator: UInt8(ascii: "&")).map { part in
      guard let equals = part.firstIndex(of: UInt8(ascii: "=")) else { return (decoded(part), "") }
      return (decoded(part[..<equals]), decoded(part[(equals + 1)...]))
    }
  }

  private static func authorityStart(_ target: UnsafeBufferPointer<UInt8>) -> Int? {
    for scheme in ["http://", "https://"] where target.count >= scheme.utf8.count {
      if zip(target, scheme.utf8).allSatisfy({ HeaderName.lowercased($0) == $1 }) { return scheme.utf8.count }
    }
    return nil
  }

  private static func decoded(_ text: Slice<UnsafeBufferPointer<UInt8>>) -> String {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count)
    var index = text.startIndex
    while index < text.endIndex {
      let byte = text[index]
      if byte == UInt8(ascii: "%"), text.endIndex - index > 2,
        let high = digit(text[index + 1]), let low = digit(text[index + 2])
      {
        bytes.append(high << 4 | low)
        index += 3
      } else {
        bytes.append(byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
        index += 1
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}
