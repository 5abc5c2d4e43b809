import Glibc

extension HTTPServer.Configuration {
  /// The seconds without a byte in either direction after which libmicrohttpd ends a connection. It knows nothing of
  /// requests, so it must not be shorter than a request may take: the sweeper does the rest.
  var silenceSeconds: Int { max(idleTimeoutSeconds, requestTimeoutSeconds + 2) }

  /// The most connections that are read on for a while after their end, each with a descriptor.
  var lingeringLimit: Int {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 16 }
    return Int(min(256, limit.rlim_cur / 8))
  }

  /// Checks the ranges.
  /// - Returns: the connection limit that the process' descriptors allow.
  func checked() throws(HTTPServerError) -> Int {
    if !(1...256).contains(threads) { throw .outOfRange("The number of HTTP threads must be 1 to 256") }
    if !(1...1_000_000).contains(connectionLimit) {
      throw .outOfRange("The connection limit must be 1 to 1000000")
    }
    if !(1024...1_048_576).contains(headerLimitBytes) {
      throw .outOfRange("The header limit must be 1024 to 1048576 bytes")
    }
    if !(1...86_400).contains(idleTimeoutSeconds) || !(1...86_400).contains(requestTimeoutSeconds) {
      throw .outOfRange("The idle and request timeouts must be 1 to 86400 seconds")
    }
    var limit = rlimit()
    if getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) != 0 { throw .system("getrlimit", errno) }
    let descriptors = Int(min(limit.rlim_cur, 10_000_000))
    let reserve = min(64, descriptors / 4) + lingeringLimit + reservedDescriptors
    let allowed = min(connectionLimit, descriptors - reserve)
    if allowed < threads && allowed < connectionLimit { throw .tooFewDescriptors(descriptors) }
    // Each thread has its share, and the library wants none to be without.
    return max(allowed, threads)
  }
}
