#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#endif

/// An open file. It is closed with the value, and no lock is ever taken on it: a process that is suspended while it holds
/// a lock in a shared container is killed by iOS.
struct File: ~Copyable {
  /// How a file is opened.
  enum Mode {
    /// An existing one, for reading.
    case reading
    /// An existing one, for reading and for changing in place.
    case changing
    /// A new one; that it exists is an error. Every write goes to its end.
    case appendingToNew
    /// A new or existing one, for reading and for changing in place.
    case changingOrNew
  }

  private let descriptor: Int32

  init(_ path: String, _ mode: Mode) throws(FileError) {
    let flags: Int32 =
      switch mode {
      case .reading: O_RDONLY
      case .changing: O_RDWR
      case .appendingToNew: O_WRONLY | O_CREAT | O_EXCL | O_APPEND
      case .changingOrNew: O_RDWR | O_CREAT
      }
    descriptor = retrying { open(path, flags | O_CLOEXEC, 0o600) }
    if descriptor < 0 { throw FileError(operation: "open", code: errno) }
  }

  deinit { close(descriptor) }

  /// The size in bytes.
  func size() throws(FileError) -> Int {
    var status = stat()
    if fstat(descriptor, &status) != 0 { throw FileError(operation: "fstat", code: errno) }
    return Int(status.st_size)
  }

  /// Whether the file is what a path leads to now.
  func isAt(_ path: String) -> Bool {
    var (own, other) = (stat(), stat())
    return fstat(descriptor, &own) == 0 && stat(path, &other) == 0 && own.st_ino == other.st_ino
      && own.st_dev == other.st_dev
  }

  /// Appends bytes with as few calls as the system allows, one as a rule.
  func append(_ bytes: UnsafeRawBufferPointer) throws(FileError) {
    var done = 0
    while done < bytes.count {
      let count = retrying { write(descriptor, bytes.baseAddress! + done, bytes.count - done) }
      if count < 0 { throw FileError(operation: "write", code: errno) }
      done += count
    }
  }

  /// Overwrites bytes in place.
  func overwrite(at offset: Int, with bytes: UnsafeRawBufferPointer) throws(FileError) {
    let count = retrying { pwrite(descriptor, bytes.baseAddress!, bytes.count, off_t(offset)) }
    if count != bytes.count { throw FileError(operation: "pwrite", code: count < 0 ? errno : EIO) }
  }

  /// Reads into a buffer.
  /// - Returns: how many bytes there were; fewer than the buffer holds at the end of the file.
  func read(at offset: Int, into buffer: UnsafeMutableRawBufferPointer) throws(FileError) -> Int {
    var done = 0
    while done < buffer.count {
      let count = retrying { pread(descriptor, buffer.baseAddress! + done, buffer.count - done, off_t(offset + done)) }
      if count < 0 { throw FileError(operation: "pread", code: errno) }
      if count == 0 { break }
      done += count
    }
    return done
  }

  /// Cuts the file to a size.
  func truncate(to size: Int) throws(FileError) {
    if retrying({ Int(ftruncate(descriptor, off_t(size))) }) != 0 {
      throw FileError(operation: "ftruncate", code: errno)
    }
  }

  /// Waits until the bytes are on the disk, so that they survive a loss of power and not only the end of the process.
  func synchronize() throws(FileError) {
    if retrying({ Int(fsync(descriptor)) }) != 0 { throw FileError(operation: "fsync", code: errno) }
  }
}

/// Repeats a call that a signal interrupted.
private func retrying<Result: FixedWidthInteger & SignedInteger>(_ call: () -> Result) -> Result {
  while true {
    let result = call()
    if result >= 0 || errno != EINTR { return result }
  }
}
