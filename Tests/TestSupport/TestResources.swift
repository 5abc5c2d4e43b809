import Foundation

/// What has to be undone when the test process ends, however it ends: children, mounts, folders and databases of tests that
/// failed, and of servers that several tests share.
final class TestResources: @unchecked Sendable {
  static let shared = TestResources()

  // The lock guards the collections of what is to be undone; they are touched a few times a test.
  private let lock = NSLock()
  private var children: [pid_t: ChildProcess] = [:]
  private var folders: Set<String> = []
  private var databases: [String: PostgreSQLDatabase] = [:]

  private var signals: [any DispatchSourceSignal] = []

  private init() {
    atexit { TestResources.shared.releaseAll() }
    // Whoever interrupts the tests wants nothing left either.
    for number in [SIGINT, SIGTERM] {
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler {
        TestResources.shared.releaseAll()
        _exit(128 + number)
      }
      source.resume()
      signals.append(source)
    }
  }

  func add(_ child: ChildProcess) { lock.withLock { children[child.pid] = child } }
  func remove(_ child: ChildProcess) { lock.withLock { children[child.pid] = nil } }
  func add(folder: String) { _ = lock.withLock { folders.insert(folder) } }
  func remove(folder: String) { _ = lock.withLock { folders.remove(folder) } }

  func add(_ database: PostgreSQLDatabase) { lock.withLock { databases[database.name] = database } }
  func remove(_ database: PostgreSQLDatabase) { lock.withLock { databases[database.name] = nil } }

  private func releaseAll() {
    let (children, folders, databases) = lock.withLock {
      (Array(self.children.values), self.folders, Array(self.databases.values))
    }
    for child in children { child.send(SIGKILL) }
    for child in children { _ = child.wait(seconds: 5) }
    for folder in folders { TemporaryFolder.erase(folder) }
    for database in databases { database.dropAtExit() }
  }
}

/// A folder of its own for one test, removed with everything in it and everything mounted below it.
public final class TemporaryFolder: Sendable {
  /// The absolute path.
  public let path: String
  private let mounts = LockedList<String>()

  /// Makes an empty folder below the system's temporary folder.
  /// - Throws: `POSIXError` when it can't be made.
  public init() throws {
    let base = ProcessInfo.processInfo.environment["TMPDIR"] ?? "/tmp"
    var template = Array((base + "/osg-analytics-test.XXXXXX").utf8CString)
    guard mkdtemp(&template) != nil else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    TestResources.shared.add(folder: path)
  }

  /// The path of a file or folder inside.
  public func file(_ name: String) -> String { path + "/" + name }

  /// Makes a folder inside and mounts a small file system in memory there.
  /// - Parameters:
  ///   - name: the folder's name.
  ///   - size: the size in the notation of `mount -o size=`, such as `3m`.
  /// - Returns: the folder's path, or nil when mounting is not permitted here.
  /// - Throws: `POSIXError` when `mount` can't be started.
  public func mountMemory(_ name: String, size: String) throws -> String? {
    let folder = file(name)
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let result = try runCommand(["mount", "-t", "tmpfs", "-o", "size=\(size)", "none", folder])
    guard result.status == .code(0) else { return nil }
    mounts.append(folder)
    return folder
  }

  /// Changes the options of a file system that ``mountMemory(_:size:)`` mounted, such as `size=64m` or `ro`.
  /// - Returns: whether it was possible.
  public func remount(_ folder: String, _ options: String) throws -> Bool {
    try runCommand(["mount", "-o", "remount,\(options)", folder]).status == .code(0)
  }

  /// Removes the folder; later calls do nothing.
  public func remove() {
    for folder in mounts.all { _ = try? runCommand(["umount", "--lazy", folder]) }
    Self.erase(path)
    TestResources.shared.remove(folder: path)
  }

  static func erase(_ path: String) {
    // Whatever is still mounted below must go first, or its files would be deleted through the mount point.
    if let table = try? String(contentsOfFile: "/proc/self/mounts", encoding: .utf8) {
      for line in table.split(separator: "\n") {
        let fields = line.split(separator: " ")
        if fields.count > 1, fields[1].hasPrefix(path + "/") {
          _ = try? runCommand(["umount", "--lazy", String(fields[1])])
        }
      }
    }
    try? FileManager.default.removeItem(atPath: path)
  }
}
