import Foundation

/// Why there is no cluster. The text holds the end of what the program wrote.
public enum PostgreSQLClusterError: Error {
  /// PostgreSQL's programs aren't installed.
  case notInstalled
  /// The test may not mount a small file system.
  case mountingNotPermitted
  /// A program that the cluster needs failed.
  case command([String], CommandResult)
  /// The server ended instead of accepting connections.
  case ended(ExitStatus, log: String)
  /// The server accepted no connections in time.
  case silent(log: String)
}

/// A PostgreSQL server of a test's own, on a port of 127.0.0.1, with its data in a temporary folder. It flushes to the
/// disk as in production. Two roles: `postgres`, the superuser of the tests, and ``role``, which the program under test
/// uses and which needs its password.
public final class PostgreSQLCluster: @unchecked Sendable {
  /// How the server is asked to stop.
  public enum StopMode: Int32, Sendable {
    /// Ends sessions and writes everything down.
    case fast = 2
    /// Leaves at once; the next start has to recover.
    case immediate = 3
  }

  /// Which files lie on a small file system in memory.
  public enum SmallDisk: Sendable {
    /// Everything but the write-ahead log.
    case tables
    /// The write-ahead log alone.
    case log
  }

  /// The role of the program under test; it owns ``database``.
  public static let role = "analytics"
  /// The password of ``role``, as it stands in a URL and as it must never stand in a log.
  public static let password = "kX7qhornbeamZr2"
  /// The database of the program under test.
  public static let database = "analytics"

  /// The port of 127.0.0.1, the same after every restart.
  public let port: UInt16
  /// The folder with the data and the log.
  public let folder: TemporaryFolder
  /// The folder of the data.
  public var dataPath: String { folder.file("data") }
  /// The file that every start of the server writes its log to.
  public var logPath: String { folder.file("postgres.log") }
  // Changes only in `start`, which a test calls while it does nothing else with the cluster.
  private var process: ChildProcess?
  private var disk: String?

  /// Makes a cluster and starts it.
  /// - Parameters:
  ///   - settings: lines of `postgresql.conf`.
  ///   - small: which files lie on a small file system.
  ///   - size: its size, in the notation of `mount -o size=`.
  /// - Throws: ``PostgreSQLClusterError``.
  public init(settings: [String: String] = [:], small: SmallDisk? = nil, size: String = "64m") throws {
    port = FreePort.take()
    folder = try TemporaryFolder()
    do {
      let template = try Self.template.get()
      if small == .tables {
        try mountDisk("data", size: size)
      } else {
        try FileManager.default.createDirectory(atPath: dataPath, withIntermediateDirectories: false)
      }
      try Self.command(["cp", "-a", "--reflink=auto", template + "/.", dataPath])
      switch small {
      case .tables: try moveLog(to: folder.file("log"))
      case .log:
        try mountDisk("disk", size: size)
        try moveLog(to: folder.file("disk/log"))
      case nil: break
      }
      try own()
      try configure(settings)
      try start()
    } catch {
      remove()
      throw error
    }
  }

  private init(standbyOf primary: PostgreSQLCluster) throws {
    port = FreePort.take()
    folder = try TemporaryFolder()
    do {
      try own()
      try Self.command(
        [
          Self.program("pg_basebackup"), "--pgdata", dataPath, "--checkpoint", "fast", "--wal-method", "stream",
          "--write-recovery-conf", "--no-sync", "--dbname", primary.superuserURL(application: "standby"),
        ], asServer: true)
      try configure([:])
      try start()
    } catch {
      remove()
      throw error
    }
  }

  // MARK: Life

  /// Starts the server and waits until it accepts connections.
  /// - Throws: ``PostgreSQLClusterError``.
  public func start() throws {
    let process = try ChildProcess(
      [Self.program("postgres"), "-D", dataPath], environment: childEnvironment(), folder: folder.path,
      output: logPath, error: logPath, user: Self.user)
    self.process = process
    let accepts = waitUntil(seconds: 30) {
      if process.exitStatus != nil || isAccepting { return true }
      // Each question costs the server a process.
      usleep(20_000)
      return false
    }
    let tail = String(log.suffix(2000))
    if let status = process.exitStatus { throw PostgreSQLClusterError.ended(status, log: tail) }
    if !accepts { throw PostgreSQLClusterError.silent(log: tail) }
  }

  /// Whether the server accepts connections now.
  public var isAccepting: Bool { (try? connect()) != nil }

  /// Whether the server's main process runs.
  public var isRunning: Bool { process.map { $0.exitStatus == nil } ?? false }

  /// Stops the server and waits for its end. Does nothing when it doesn't run.
  public func stop(_ mode: StopMode) {
    process?.send(mode.rawValue)
    if process?.wait(seconds: 30) == nil { crash() }
  }

  /// Kills every process of the server without a chance to do anything more.
  public func crash() {
    guard let process else { return }
    // Stopped first, so that it can't replace what is killed.
    process.send(SIGSTOP)
    let children = Self.children(of: process.pid)
    process.send(SIGKILL)
    for child in children { kill(child, SIGKILL) }
    _ = process.wait(seconds: 30)
    _ = waitUntil(seconds: 30) { children.allSatisfy { Self.parent(of: $0) == nil } }
  }

  /// Stops every process of the server where it is, as on a machine that hangs; ``thaw()`` lets them go on.
  public func freeze() { signalAll(SIGSTOP) }

  /// Ends what ``freeze()`` began.
  public func thaw() { signalAll(SIGCONT) }

  /// Ends the server and removes everything.
  public func remove() {
    thaw()
    stop(.immediate)
    removeSharedMemory()
    folder.remove()
  }

  // MARK: Replication

  /// Makes a copy that follows this server, and that every commit waits for from now on.
  /// - Returns: the standby, running.
  /// - Throws: ``PostgreSQLClusterError``.
  public func makeStandby() throws -> PostgreSQLCluster {
    let standby = try PostgreSQLCluster(standbyOf: self)
    do {
      try set("synchronous_standby_names", "standby")
      let session = try connect()
      let follows = try waitUntil(seconds: 30) {
        try session.integer("SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'") == 1
      }
      guard follows else { throw PostgreSQLClusterError.silent(log: String(standby.log.suffix(2000))) }
      return standby
    } catch {
      standby.remove()
      throw error
    }
  }

  /// Makes a standby take writes, and waits until it does.
  /// - Throws: `PostgreSQLSessionError`, also when it is no standby.
  public func promote() throws {
    let session = try connect()
    try session.execute("SELECT pg_promote(true, 30)")
    _ = try waitUntil(seconds: 30) { try session.text("SELECT pg_is_in_recovery()") == "f" }
  }

  // MARK: Access

  /// The URL that the program under test gets.
  /// - Parameters:
  ///   - ports: other ports than this server's own; several are several hosts.
  ///   - password: the password.
  ///   - parameters: what follows the question mark.
  /// - Returns: the URL.
  public func url(
    ports: [UInt16]? = nil, password: String = PostgreSQLCluster.password, parameters: String = ""
  ) -> String {
    let hosts = (ports ?? [port]).map { "127.0.0.1:\($0)" }.joined(separator: ",")
    return "postgres://\(Self.role):\(password)@\(hosts)/\(Self.database)"
      + (parameters.isEmpty ? "" : "?\(parameters)")
  }

  /// The database for a server of a test.
  /// - Parameter url: how the program under test reaches it; by default directly.
  /// - Returns: the database, which goes with the cluster.
  public func serverDatabase(url: String? = nil) -> ServerDatabase {
    let superuser = PostgreSQLAccess(url: superuserURL(application: "test"))
    return .postgresql(PostgreSQLDatabase(access: PostgreSQLAccess(url: url ?? self.url()), superuser: superuser))
  }

  /// A connection of the superuser.
  /// - Throws: `PostgreSQLSessionError`.
  public func connect() throws -> PostgreSQLSession {
    try PostgreSQLSession(PostgreSQLAccess(url: superuserURL(application: "test")))
  }

  /// A connection of ``role``, as the program under test makes it.
  /// - Throws: `PostgreSQLSessionError`.
  public func connectAsRole() throws -> PostgreSQLSession {
    try PostgreSQLSession(PostgreSQLAccess(url: url(parameters: "application_name=test&connect_timeout=5")))
  }

  /// Changes a setting that needs no restart.
  /// - Throws: `PostgreSQLSessionError`.
  public func set(_ name: String, _ value: String) throws {
    let session = try connect()
    try session.execute("ALTER SYSTEM SET \(name) = '\(value)'")
    try session.execute("SELECT pg_reload_conf()")
  }

  /// The log so far.
  public var log: String { String(decoding: FileManager.default.contents(atPath: logPath) ?? Data(), as: UTF8.self) }

  /// Fills the small file system with a file of no use, to the last byte.
  public func fillDisk() {
    guard let disk else { return }
    let descriptor = open(disk + "/ballast", O_WRONLY | O_CREAT | O_APPEND, 0o600)
    defer { close(descriptor) }
    for size in [1 << 20, 1 << 12, 1] {
      let bytes = [UInt8](repeating: 0, count: size)
      while write(descriptor, bytes, size) > 0 {}
    }
  }

  /// Removes the file of no use.
  public func freeDisk() { if let disk { unlink(disk + "/ballast") } }

  // MARK: Making

  private func mountDisk(_ name: String, size: String) throws {
    disk = try folder.mountMemory(name, size: size)
    if disk == nil { throw PostgreSQLClusterError.mountingNotPermitted }
  }

  private func moveLog(to path: String) throws {
    try Self.command(["mv", dataPath + "/pg_wal", path])
    try FileManager.default.createSymbolicLink(atPath: dataPath + "/pg_wal", withDestinationPath: path)
  }

  /// Gives the folder to the server's user. The data in it comes from the template, whose owner is the right one.
  private func own() throws {
    let paths = [folder.path, dataPath, disk].compactMap { $0 }.filter { FileManager.default.fileExists(atPath: $0) }
    if let user = Self.user { try Self.command(["chown", user] + paths) }
    for path in paths where path != folder.path { chmod(path, 0o700) }
  }

  private func configure(_ settings: [String: String]) throws {
    var all = [
      "port": "\(port)",
      "listen_addresses": "127.0.0.1",
      "unix_socket_directories": "",
      "max_connections": "40",
      "shared_buffers": "16MB",
      // Its files go with the folder, also after a crash.
      "dynamic_shared_memory_type": "mmap",
      "min_wal_size": "8MB",
      "max_wal_size": "64MB",
      "fsync": "on",
      // One call instead of a flush of each of a thousand files, whenever the server has to recover.
      "recovery_init_sync_method": "syncfs",
      "synchronous_commit": "on",
      "deadlock_timeout": "200ms",
      "log_lock_waits": "on",
      "log_line_prefix": "%m %p %a ",
    ]
    all.merge(settings) { $1 }
    let lines = all.sorted { $0.key < $1.key }.map { "\($0.key) = '\($0.value)'\n" }
    let file = dataPath + "/postgresql.conf"
    let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: file))
    defer { try? handle.close() }
    try handle.seekToEnd()
    try handle.write(contentsOf: Data(("\n" + lines.joined()).utf8))
  }

  private func superuserURL(application: String) -> String {
    "postgres://postgres@127.0.0.1:\(port)/\(Self.database)?application_name=\(application)&connect_timeout=5"
      // The program under test has its tables in a schema of its own.
      + "&options=-csearch_path%3Dosg_analytics%2Cpublic"
  }

  /// The user that the server runs as: it refuses to be root.
  private static var user: String? { getuid() == 0 ? "postgres" : nil }

  private static func program(_ name: String) -> String { programFolder + "/" + name }

  private static let programFolder: String = {
    let asked = (try? runCommand(["pg_config", "--bindir"]))?.output.trimmingCharacters(in: .whitespacesAndNewlines)
    let debian = "/usr/lib/postgresql"
    let versions = ((try? FileManager.default.contentsOfDirectory(atPath: debian)) ?? [])
      .sorted { (Int($0) ?? 0) > (Int($1) ?? 0) }
    let folders = [asked].compactMap { $0 } + versions.map { "\(debian)/\($0)/bin" }
    return folders.first { FileManager.default.isExecutableFile(atPath: $0 + "/postgres") } ?? "/nowhere"
  }()

  /// The data of a cluster that never ran, which takes a second to make and a tenth to copy.
  private static let template = Result { () throws -> String in
    guard FileManager.default.isExecutableFile(atPath: program("initdb")) else {
      throw PostgreSQLClusterError.notInstalled
    }
    let folder = try TemporaryFolder()
    if let user { try command(["chown", user, folder.path]) }
    let data = folder.file("data")
    // Small segments, so that little of a test's disk is the log's; nothing here has to survive a loss of power.
    try command(
      [
        program("initdb"), "--pgdata", data, "--username", "postgres", "--auth", "trust", "--encoding", "UTF8",
        "--locale", "C", "--wal-segsize", "1", "--no-sync",
      ], asServer: true)
    // Every database is three hundred files to copy.
    let sql = """
      CREATE ROLE \(role) LOGIN PASSWORD '\(password)'
      ALTER DATABASE postgres RENAME TO \(database)
      ALTER DATABASE \(database) OWNER TO \(role)
      UPDATE pg_database SET datistemplate = false WHERE datname = 'template0'
      DROP DATABASE template0

      """
    try command(
      ["sh", "-c", "printf %s \"$0\" | \"$1\" --single -D \"$2\" template1", sql, program("postgres"), data],
      asServer: true)
    let access = """
      host all postgres 127.0.0.1/32 trust
      host replication postgres 127.0.0.1/32 trust
      host all all 127.0.0.1/32 scram-sha-256

      """
    try command(["sh", "-c", "printf %s \"$0\" > \"$1\"", access, data + "/pg_hba.conf"], asServer: true)
    return data
  }

  private static func command(_ arguments: [String], asServer: Bool = false) throws {
    let result = try runCommand(arguments, user: asServer ? user : nil, seconds: 60)
    guard result.status == .code(0) else { throw PostgreSQLClusterError.command(arguments, result) }
  }

  // MARK: Processes

  private func signalAll(_ signal: Int32) {
    guard let process, process.exitStatus == nil else { return }
    process.send(signal)
    for child in Self.children(of: process.pid) { kill(child, signal) }
  }

  private static func children(of parent: pid_t) -> [pid_t] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
    return names.compactMap { pid_t($0) }.filter { self.parent(of: $0) == parent }
  }

  /// A process's parent; nil when it has ended, collected or not.
  private static func parent(of pid: pid_t) -> pid_t? {
    guard let stat = try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8),
      let end = stat.lastIndex(of: ")")
    else { return nil }
    let fields = stat[stat.index(after: end)...].split(separator: " ")
    return fields.count > 1 && fields[0] != "Z" && fields[0] != "X" ? pid_t(fields[1]) : nil
  }

  /// A crashed server leaves a few bytes of shared memory, which only its own next start would remove.
  private func removeSharedMemory() {
    guard let text = try? String(contentsOfFile: dataPath + "/postmaster.pid", encoding: .utf8) else { return }
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    guard lines.count > 6, let id = lines[6].split(separator: " ").last.flatMap({ Int32($0) }) else { return }
    shmctl(id, IPC_RMID, nil)
  }
}
