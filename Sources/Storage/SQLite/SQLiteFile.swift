import Glibc

/// The files of a SQLite database: made private to the server's user, recognised before SQLite touches them, and locked
/// against a second server.
struct SQLiteFile {
  let path: String

  /// Marks a database as ours in its header: "OSGA".
  static let applicationID: Int32 = 0x4F53_4741

  /// Creates the folders and the file where they are missing, readable by the server's user alone, and refuses a file
  /// that is something else without changing a byte of it.
  /// - Parameter creates: whether a missing file is created.
  /// - Throws: ``SQLiteOpenError``.
  func prepare(creates: Bool) throws(SQLiteOpenError) {
    if creates { try createFolders() }
    let descriptor = open(path, O_RDWR | O_CLOEXEC | (creates ? O_CREAT : 0), 0o600)
    if descriptor < 0, errno == ENOENT { throw .missing(path: path) }
    if descriptor < 0 { throw .notWritable(path: path, reason: String(cString: strerror(errno))) }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { throw .notADatabase(path: path) }
    // The write-ahead log is found by the file's name: under two names a database has two of them, and breaks.
    if status.st_nlink > 1 { throw .hasSeveralNames(path: path) }
    var header = [UInt8](repeating: 0, count: 100)
    let count = pread(descriptor, &header, header.count, 0)
    // A database that has never been checkpointed is an empty file beside its write-ahead log.
    if count == 0 { return }
    guard count == header.count, header.starts(with: Array("SQLite format 3\0".utf8)) else {
      throw .notADatabase(path: path)
    }
    let applicationID = header[68..<72].reduce(Int32(0)) { $0 << 8 | Int32($1) }
    // A database whose first migration still lies in the write-ahead log has no mark yet: that is for SQLite to see.
    if applicationID == 0 { return }
    if applicationID != Self.applicationID { throw .foreignDatabase(path: path) }
    try Self.refuseNewer(header[60..<64].reduce(Int64(0)) { $0 << 8 | Int64($1) }, path: path)
  }

  /// Refuses a database whose schema this program does not know.
  static func refuseNewer(_ version: Int64, path: String) throws(SQLiteOpenError) {
    let known = Migration.current
    if version > known { throw .newerThanProgram(path: path, databaseVersion: version, programVersion: known) }
  }

  /// Tells this file from any other that may come to stand at its path.
  struct Identity: Equatable {
    private let device: dev_t
    private let inode: ino_t

    /// - Returns: `nil` where nothing is at the path.
    init?(path: String) {
      var status = stat()
      guard stat(path, &status) == 0 else { return nil }
      device = status.st_dev
      inode = status.st_ino
    }
  }

  /// Whether the disk has room for a group of batches of any size.
  var hasRoom: Bool {
    var status = statvfs()
    guard statvfs(path, &status) == 0 else { return false }
    return UInt64(status.f_bavail) * UInt64(status.f_frsize) >= 1 << 20
  }

  /// Locks the database for one server. The lock is on the file, not on a name of it, and is the kernel's: it ends with
  /// the process, however that ends. SQLite's own locks are of another kind and don't meet it.
  /// - Returns: the descriptor that holds the lock while it is open. Closing it ends SQLite's locks too.
  func lock() throws(SQLiteOpenError) -> Int32 {
    let descriptor = open(path, O_RDWR | O_CLOEXEC)
    if descriptor < 0 { throw .notWritable(path: path, reason: String(cString: strerror(errno))) }
    if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return descriptor }
    close(descriptor)
    throw .lockedByAnotherServer(path: path)
  }

  private func createFolders() throws(SQLiteOpenError) {
    for (position, character) in path.enumerated() where character == "/" && position > 0 {
      if mkdir(String(path.prefix(position)), 0o700) != 0, errno != EEXIST {
        throw .notWritable(path: path, reason: String(cString: strerror(errno)))
      }
    }
  }
}
