internal import CMicroHTTPD
import Glibc

// On libmicrohttpd's thread of the connection.
extension Connection {
  /// Takes the request line.
  func requestLine(_ target: UnsafePointer<CChar>) {
    let now = Clock.now()
    isFresh.store(false, ordering: .relaxed)
    let seen = firstByte.load(ordering: .relaxed)
    since.store(seen > since.load(ordering: .relaxed) ? seen : now, ordering: .relaxed)
    if !move(.idle, to: .receivingHead) { return }  // ended by the sweeper: the access handler will see
    let count = strlen(target)
    let bytes = UnsafeBufferPointer(start: UnsafeRawPointer(target).assumingMemoryBound(to: UInt8.self), count: count)
    // The library has put a NUL after the target, and the version follows it. If it doesn't, the client sent that NUL.
    // The version was checked before, so these five bytes exist.
    isMalformed = strncmp(target + count + 1, "HTTP/", 5) != 0 || bytes.contains { $0 <= 0x20 || $0 == 0x7F }
    let (path, parameters) = Target.split(bytes)
    head.path = path
    query = Target.parameters(parameters)
    // The library would make a record of each parameter in the memory of the connection, and give no answer where that
    // is used up. It has found the question mark by now and parses what follows: nothing. The bytes are its own buffer.
    if let mark = bytes.firstIndex(of: UInt8(ascii: "?")), mark + 1 < count {
      UnsafeMutablePointer(mutating: target)[mark + 1] = 0
    }
  }

  /// Takes whatever libmicrohttpd has next.
  /// - Parameters:
  ///   - method: the request's method.
  ///   - version: `HTTP/1.1` or the like.
  ///   - data: a part of the body, or nil for the first call, the last one and those after a suspension.
  ///   - size: the part's size; on return what of it was left.
  /// - Returns: `NO` to close the connection at once.
  func access(
    method: UnsafePointer<CChar>, version: UnsafePointer<CChar>, data: UnsafePointer<CChar>?,
    size: UnsafeMutablePointer<Int>
  ) -> MHD_Result {
    switch step {
    case .head: return receiveHead(method: method, version: version)
    case .body:
      guard let data, size.pointee > 0 else { return receiveEnd() }
      return receivePart(UnsafeRawBufferPointer(start: data, count: size.pointee), left: size)
    case .answer: return proceed(left: size)
    }
  }

  private func receiveHead(method: UnsafePointer<CChar>, version: UnsafePointer<CChar>) -> MHD_Result {
    head.method = Request.Method(method)
    var scan = HeadScan(keptNames: server.configuration.keptHeaders, version: version)
    withUnsafeMutablePointer(to: &scan) {
      _ = MHD_get_connection_values(
        handle, .HEADER_KIND,
        { context, _, name, value in
          context!.assumingMemoryBound(to: HeadScan.self).pointee.add(name: name, value: value)
          return .YES
        }, $0)
    }
    let size = CMicroHTTPDHeadSize(handle)
    scan.finish(method + size)
    var refusal = isMalformed ? 400 : scan.refusal(isVersion10: strcmp(version, "HTTP/1.0") == 0)
    // The library keeps a record for each line in the same memory, and needs what is left for the response.
    if size + 64 * scan.lines > server.configuration.headerLimitBytes { refusal = 431 }
    if let status = refusal {
      guard move(.receivingHead, to: .completed) else { return .NO }
      response = server.configuration.refusal(status)
      step = .answer
      lingers = true
      return deliver()
    }
    keptHeaders = scan.kept
    let limit = max(0, server.bodyLimit(head))
    let length = scan.contentLength ?? 0
    if length > UInt64(limit) {
      guard move(.receivingHead, to: .running) else { return .NO }
      lingers = true
      return handle(.tooLarge, left: nil)
    }
    if scan.isChunked || length > 0 {
      body = BodyAssembler(limit: limit, coding: scan.coding, expected: Int(length))
    }
    step = .body
    return move(.receivingHead, to: .receivingBody) ? .YES : .NO
  }

  private func receivePart(_ part: UnsafeRawBufferPointer, left: UnsafeMutablePointer<Int>) -> MHD_Result {
    if phase.load(ordering: .acquiring) != .timedOut {
      body?.append(part)
      if body?.isOverLimit == true, move(.receivingBody, to: .running) {
        body = nil
        answersWithinBody = true
        lingers = true
        return handle(.tooLarge, left: left)
      }
    }
    left.pointee = 0
    return .YES
  }

  private func receiveEnd() -> MHD_Result {
    guard move(.receivingBody, to: .running) else { return .NO }
    isComplete = true
    let result = body?.finish() ?? .bytes([])
    body = nil
    return handle(result, left: nil)
  }
}

extension Request.Method {
  fileprivate init(_ name: UnsafePointer<CChar>) {
    // In the order of how often they come.
    if strcmp(name, "POST") == 0 {
      self = .post
    } else if strcmp(name, "GET") == 0 {
      self = .get
    } else if strcmp(name, "HEAD") == 0 {
      self = .head
    } else if strcmp(name, "PUT") == 0 {
      self = .put
    } else if strcmp(name, "PATCH") == 0 {
      self = .patch
    } else if strcmp(name, "DELETE") == 0 {
      self = .delete
    } else if strcmp(name, "OPTIONS") == 0 {
      self = .options
    } else {
      self = .other
    }
  }
}
