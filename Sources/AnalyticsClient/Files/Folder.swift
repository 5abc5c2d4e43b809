#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#endif

/// A folder that several processes use at once. Whatever must happen once is a `link` or a `rename`, which the system
/// lets only one of them do; there are no locks.
struct Folder: Sendable {
  /// Where it is.
  let path: String

  /// What the names of unfinished files begin with.
  private static let unfinished = "tmp-"

  /// The path of a file or folder in it.
  func path(of name: String) -> String { path + "/" + name }

  /// A folder in it.
  func folder(_ name: String) -> Folder { Folder(path: path(of: name)) }

  /// Makes the folder if it isn't there. Its parent must be.
  func create() throws(FileError) {
    if mkdir(path, 0o700) != 0, errno != EEXIST { throw FileError(operation: "mkdir", code: errno) }
  }

  /// The names of everything in it, in no order.
  func names() throws(FileError) -> [String] {
    guard let stream = opendir(path) else { throw FileError(operation: "opendir", code: errno) }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: $0.pointee)) { String(cString: $0) }
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names
  }

  /// The size of a file in bytes and when it was changed last, in seconds since 1970; `nil` where there is none.
  func status(of name: String) -> (size: Int, changed: Int)? {
    var status = stat()
    if stat(path(of: name), &status) != 0 { return nil }
    #if canImport(Darwin)
      return (Int(status.st_size), status.st_mtimespec.tv_sec)
    #else
      return (Int(status.st_size), status.st_mtim.tv_sec)
    #endif
  }

  /// Whether there is something of that name.
  func contains(_ name: String) -> Bool { access(path(of: name), F_OK) == 0 }

  /// Moves a file. Of several processes that move the same one, one succeeds.
  /// - Returns: whether this call moved it; false where it was not there any more.
  func move(_ name: String, to newName: String) throws(FileError) -> Bool {
    if rename(path(of: name), path(of: newName)) == 0 { return true }
    if errno == ENOENT { return false }
    throw FileError(operation: "rename", code: errno)
  }

  /// Removes a file; that it is gone already is no error.
  func remove(_ name: String) { unlink(path(of: name)) }

  /// A whole small file.
  /// - Parameters:
  ///   - name: its name.
  ///   - limit: where it is longer, only so many bytes.
  /// - Returns: the bytes; `nil` where there is no such file.
  /// - Throws: ``FileError``.
  func contents(of name: String, limit: Int = 4096) throws(FileError) -> [UInt8]? {
    var found: File?
    do throws(FileError) { found = try File(path(of: name), .reading) } catch {
      if error.code != ENOENT { throw error }
    }
    guard let file = found.take() else { return nil }
    var failure: FileError?
    let bytes = [UInt8](unsafeUninitializedCapacity: limit) { buffer, count in
      do throws(FileError) { count = try file.read(at: 0, into: UnsafeMutableRawBufferPointer(buffer)) } catch {
        failure = error
      }
    }
    if let failure { throw failure }
    return bytes
  }

  /// Makes a small file that is there whole or not at all.
  /// - Returns: whether this call made it; false where there was one already, which stays as it is.
  func create(_ name: String, _ bytes: [UInt8]) throws(FileError) -> Bool {
    let draft = try draft(bytes)
    defer { remove(draft) }
    if link(path(of: draft), path(of: name)) == 0 { return true }
    if errno == EEXIST { return false }
    throw FileError(operation: "link", code: errno)
  }

  /// Makes a small file or replaces it; who reads it meanwhile sees the old or the new one.
  func replace(_ name: String, _ bytes: [UInt8]) throws(FileError) {
    let draft = try draft(bytes)
    if rename(path(of: draft), path(of: name)) == 0 { return }
    let code = errno
    remove(draft)
    throw FileError(operation: "rename", code: code)
  }

  /// Removes unfinished files that a killed process left: those that weren't touched for an hour.
  /// - Parameter now: seconds since 1970.
  func removeUnfinished(now: Int) {
    for name in (try? names()) ?? [] where name.hasPrefix(Self.unfinished) {
      if let status = status(of: name), abs(now - status.changed) > 3600 { remove(name) }
    }
  }

  /// Removes the folder and everything in it, as far as that is possible: another process may be adding to it.
  func removeAll() {
    for name in (try? names()) ?? [] where unlink(path(of: name)) != 0 { folder(name).removeAll() }
    rmdir(path)
  }

  private func draft(_ bytes: [UInt8]) throws(FileError) -> String {
    let name = Self.unfinished + hexadecimal(UInt64.random(in: .min ... .max))
    do throws(FileError) {
      let file = try File(path(of: name), .appendingToNew)
      var failure: FileError?
      bytes.withUnsafeBytes { bytes in
        do throws(FileError) {
          try file.append(bytes)
          try file.synchronize()
        } catch { failure = error }
      }
      if let failure { throw failure }
    } catch {
      remove(name)
      throw error
    }
    return name
  }
}

/// 16 hexadecimal digits, so that names sort as their numbers do.
func hexadecimal(_ value: UInt64) -> String {
  let digits = String(value, radix: 16)
  return String(repeating: "0", count: 16 - digits.utf8.count) + digits
}
