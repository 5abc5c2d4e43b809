import Glibc

/// What Linux tells about this process. Each is `nil` where it doesn't.
enum ProcessFacts {
  /// Virtual and resident size in bytes, from `/proc/self/statm`, which counts pages.
  static func memory() -> (virtual: UInt64, resident: UInt64)? {
    guard let fields = read("/proc/self/statm")?.split(separator: " "), fields.count >= 2,
      let virtual = UInt64(fields[0]), let resident = UInt64(fields[1])
    else { return nil }
    let page = UInt64(sysconf(Int32(_SC_PAGESIZE)))
    return (virtual * page, resident * page)
  }

  /// User and system time of all threads.
  static func processorSeconds() -> Double? {
    var usage = rusage()
    guard getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage) == 0 else { return nil }
    let seconds = usage.ru_utime.tv_sec + usage.ru_stime.tv_sec
    let microseconds = usage.ru_utime.tv_usec + usage.ru_stime.tv_usec
    return Double(seconds) + Double(microseconds) / 1_000_000
  }

  /// Entries of `/proc/self/fd`, but for the one that this look itself opens.
  static func openDescriptors() -> Int? {
    guard let directory = opendir("/proc/self/fd") else { return nil }
    defer { closedir(directory) }
    var count = 0
    while let entry = readdir(directory) {
      if entry.pointee.d_name.0 != CChar(UInt8(ascii: ".")) { count += 1 }
    }
    return count - 1
  }

  /// The soft limit of open descriptors.
  static func descriptorLimit() -> UInt64? {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return nil }
    return UInt64(limit.rlim_cur)
  }

  /// Seconds since 1970: the boot time of `/proc/stat` and the ticks since then, field 22 of `/proc/self/stat`.
  static func startTime() -> Double? {
    guard let stat = read("/proc/self/stat"), let name = stat.lastIndex(of: ")"),
      let boot = read("/proc/stat")?.split(separator: "\n").first(where: { $0.hasPrefix("btime ") }),
      let bootSeconds = Double(boot.dropFirst("btime ".count))
    else { return nil }
    // The process name in parentheses may hold spaces; what follows it begins with field 3.
    let fields = stat[stat.index(after: name)...].split(separator: " ")
    guard fields.count > 19, let ticks = Double(fields[19]) else { return nil }
    return bootSeconds + ticks / Double(sysconf(Int32(_SC_CLK_TCK)))
  }

  private static func read(_ path: String) -> String? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var part = [UInt8](repeating: 0, count: 16 * 1024)
    while true {
      let count = Glibc.read(descriptor, &part, part.count)
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { return count == 0 ? String(decoding: bytes, as: UTF8.self) : nil }
      bytes.append(contentsOf: part[..<count])
    }
  }
}
