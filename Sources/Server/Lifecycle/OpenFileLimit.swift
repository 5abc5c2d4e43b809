import Glibc

/// Each connection needs a file descriptor, and the default soft limit of 1,024 is for programs that use `select`.
enum OpenFileLimit {
  /// Raises the soft limit to the hard one.
  /// - Returns: how many files the process may open now.
  static func raise() -> Int {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 1024 }
    limit.rlim_cur = limit.rlim_max
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    return Int(min(limit.rlim_max, 10_000_000))
  }
}
