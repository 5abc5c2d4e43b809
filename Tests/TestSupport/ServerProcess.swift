import Foundation

/// How a test starts its server.
public struct ServerOptions: Sendable {
  /// The clock that the fixtures are written for.
  public static let fixtureClock = "fixed:2026-11-29T12:00:00Z"

  /// The value of `OSG_ANALYTICS_CLOCK`; nil is the real time.
  public var clock: String?
  /// The command; nothing is the default command.
  public var command = ["serve"]
  /// Further arguments after those that every server of a test gets.
  public var arguments: [String]
  /// The database, when it isn't one of the server's own.
  public var database: ServerDatabase?
  /// The port of 127.0.0.1 to serve; 0 lets the system choose another one at every start.
  public var port: UInt16 = 0
  /// See ``ChildProcess/init(_:environment:folder:output:error:ignoresFileSizeSignal:user:)``.
  public var ignoresFileSizeSignal = false

  /// Options; the defaults are a server with the clock of the fixtures.
  public init(clock: String? = fixtureClock, arguments: [String] = [], database: ServerDatabase? = nil) {
    self.clock = clock
    self.arguments = arguments
    self.database = database
  }
}

/// Why a server of a test doesn't serve. The text holds the end of its log.
public enum ServerProcessError: Error {
  /// It ended instead.
  case ended(ExitStatus, log: String)
  /// It neither served nor ended in time.
  case silent(log: String)
  /// A command that the test needs failed.
  case command([String], CommandResult)
}

/// The real program on a port of its own, with a database, log and folder of its own.
public final class ServerProcess: @unchecked Sendable {
  /// The folder with the log and, unless the options say otherwise, the database where that is a file.
  public let folder: TemporaryFolder
  /// Where the data is.
  public let database: ServerDatabase
  /// The file that standard error of every start is appended to.
  public var logPath: String { folder.file("server.log") }
  /// What the next start uses.
  public var options: ServerOptions
  /// The port of 127.0.0.1 that the present process serves.
  public private(set) var port: UInt16 = 0
  /// The present process.
  public private(set) var process: ChildProcess
  private let ownsDatabase: Bool
  // `options`, `port` and `process` change only in `restart`, which a test calls while nothing else uses the server.

  /// Starts a server and waits until it is ready.
  /// - Throws: ``ServerProcessError`` when it doesn't become ready within half a minute.
  public init(_ options: ServerOptions = ServerOptions()) throws {
    self.options = options
    folder = try TemporaryFolder()
    var own: ServerDatabase?
    do {
      if options.database == nil { own = try .make(in: folder.path) }
      (database, ownsDatabase) = (options.database ?? own!, own != nil)
      process = try Self.launch(options, folder: folder, database: database)
      port = try waitUntilReady(logOffset: 0)
    } catch {
      own?.remove()
      folder.remove()
      throw error
    }
  }

  /// The program under test: `OSG_ANALYTICS_BINARY`, or `osg-analytics` beside the test executable.
  public static let binary: String = {
    if let path = ProcessInfo.processInfo.environment["OSG_ANALYTICS_BINARY"] { return path }
    var buffer = [UInt8](repeating: 0, count: 4096)
    let count = readlink("/proc/self/exe", &buffer, buffer.count)
    let path = String(decoding: buffer.prefix(max(count, 0)), as: UTF8.self)
    return (path as NSString).deletingLastPathComponent + "/osg-analytics"
  }()

  /// Runs a command of the program to its end, on no particular database.
  /// - Parameters:
  ///   - arguments: what follows the program's name.
  ///   - environment: variables added to a clean environment.
  ///   - seconds: after this time it is killed.
  /// - Returns: how it ended and what it wrote.
  /// - Throws: `POSIXError` when it can't be started.
  public static func run(
    _ arguments: [String], environment: [String: String] = [:], seconds: Double = 30
  ) throws -> CommandResult {
    let all = childEnvironment().merging(environment) { $1 }
    return try runCommand([binary] + arguments, environment: all, seconds: seconds)
  }

  /// Runs a command of the program on this server's database and clock.
  public func run(_ arguments: [String]) throws -> CommandResult {
    var environment: [String: String] = [:]
    var all = arguments + ["--database", database.url]
    if let clock = options.clock {
      environment["OSG_ANALYTICS_CLOCK"] = clock
      all.append("--insecure-test-hooks")
    }
    return try Self.run(all, environment: environment)
  }

  /// Creates a token of a scope, `admin` or `server`.
  /// - Throws: ``ServerProcessError/command(_:_:)``.
  public func createToken(scope: String, name: String = "test") throws -> String {
    try secret(["token", "create", "--scope", scope, "--name", name])
  }

  /// Issues a session for an account.
  /// - Parameters:
  ///   - account: the account's UUID.
  ///   - ttl: how many seconds it is valid.
  /// - Returns: the access token.
  /// - Throws: ``ServerProcessError/command(_:_:)``.
  public func issueSession(account: String, ttl: Int? = nil) throws -> String {
    try secret(["session", "issue", "--account", account] + (ttl.map { ["--ttl", String($0)] } ?? []))
  }

  /// Asks the server to stop.
  /// - Parameter signal: SIGTERM or SIGINT.
  /// - Returns: how it ended; nil when it still runs after half a minute.
  public func terminate(_ signal: Int32 = SIGTERM) -> ExitStatus? {
    process.send(signal)
    return process.wait(seconds: 30)
  }

  /// Kills the server without a chance to do anything more.
  public func kill() { process.end() }

  /// Starts again on the same folder and database, killing a process that still runs.
  /// - Throws: ``ServerProcessError``.
  public func restart() throws {
    process.end()
    let offset = Self.size(of: logPath)
    process = try Self.launch(options, folder: folder, database: database)
    port = try waitUntilReady(logOffset: offset)
  }

  /// Ends the process and removes everything but a database that others use too.
  public func remove() {
    process.end()
    if ownsDatabase { database.remove() }
    folder.remove()
  }

  /// The log so far.
  public var log: String { String(decoding: FileManager.default.contents(atPath: logPath) ?? Data(), as: UTF8.self) }

  /// Connects to the database, beside the server or after it.
  public func openDatabase() throws -> any DatabaseConnection { try database.connect() }

  private func secret(_ arguments: [String]) throws -> String {
    let result = try run(arguments)
    let lines = result.output.split(separator: "\n")
    guard result.status == .code(0), lines.count == 1 else { throw ServerProcessError.command(arguments, result) }
    return String(lines[0])
  }

  private static func launch(
    _ options: ServerOptions, folder: TemporaryFolder, database: ServerDatabase
  ) throws -> ChildProcess {
    var environment = childEnvironment()
    environment["OSG_ANALYTICS_CLOCK"] = options.clock
    let arguments =
      [binary] + options.command + ["--database", database.url, "--listen", "127.0.0.1:\(options.port)"]
      + (options.clock == nil ? [] : ["--insecure-test-hooks"]) + options.arguments
    return try ChildProcess(
      arguments, environment: environment, folder: folder.path, output: folder.file("server.out"),
      error: folder.file("server.log"), ignoresFileSizeSignal: options.ignoresFileSizeSignal)
  }

  private func waitUntilReady(logOffset: Int) throws -> UInt16 {
    var found: UInt16?
    let ready = waitUntil(seconds: 30) {
      if process.exitStatus != nil { return true }
      if found == nil { found = listeningPort(logOffset: logOffset) }
      guard let found, let connection = try? HTTPConnection(port: found, timeoutSeconds: 10) else { return false }
      return (try? connection.request("GET", "/readyz").status) == 200
    }
    let tail = String(log.suffix(2000))
    if let status = process.exitStatus { throw ServerProcessError.ended(status, log: tail) }
    guard ready, let found else {
      process.end()
      throw ServerProcessError.silent(log: tail)
    }
    return found
  }

  private func listeningPort(logOffset: Int) -> UInt16? {
    guard let data = FileManager.default.contents(atPath: logPath) else { return nil }
    for line in data.dropFirst(logOffset).split(separator: UInt8(ascii: "\n")) {
      guard let object = try? JSONSerialization.jsonObject(with: Data(line)) as? [String: Any] else { continue }
      if object["event"] as? String == "listening", let port = object["port"] as? Int { return UInt16(exactly: port) }
    }
    return nil
  }

  private static func size(of path: String) -> Int { FileManager.default.contents(atPath: path)?.count ?? 0 }
}

/// Starts a server, gives it to a test and removes it afterwards, also when the test fails.
public func withServer<Value>(
  _ options: ServerOptions = ServerOptions(), isolation: isolated (any Actor)? = #isolation,
  _ body: (ServerProcess) async throws -> Value
) async throws -> Value {
  let server = try ServerProcess(options)
  defer { server.remove() }
  return try await body(server)
}
