import Foundation

/// How a process ended.
public enum ExitStatus: Equatable, Sendable {
  /// It exited with this code.
  case code(Int32)
  /// This signal ended it.
  case signal(Int32)
}

/// A process that a test started. It can't outlive the test process: the kernel kills it when that one ends.
public final class ChildProcess: @unchecked Sendable {
  /// The process id.
  public let pid: pid_t
  // The lock guards `ended`, so that no signal can reach a process id that has been collected and given away again.
  private let lock = NSLock()
  private var ended: ExitStatus?

  /// Starts a program with no input. Sockets and files of the test stay its own: they are all closed on exec.
  /// - Parameters:
  ///   - arguments: the program, by path or by name, and its arguments.
  ///   - environment: the whole environment.
  ///   - folder: the working folder.
  ///   - output: the file that standard output is appended to.
  ///   - error: the file that standard error is appended to.
  ///   - ignoresFileSizeSignal: whether SIGXFSZ is ignored, so that a write past `prlimit --fsize` fails, as it does on a
  ///     full disk, and doesn't kill.
  ///   - user: the user that it runs as; nil is the test's own.
  /// - Throws: `POSIXError` when it can't be started.
  public init(
    _ arguments: [String], environment: [String: String], folder: String, output: String, error: String,
    ignoresFileSizeSignal: Bool = false, user: String? = nil
  ) throws {
    let trap = ignoresFileSizeSignal ? "trap '' XFSZ; " : ""
    // The kernel forgets the signal of the parent's death when the user changes, so that comes first.
    let become = user.map { "setpriv --reuid \($0) --regid \($0) --clear-groups -- " } ?? ""
    let script = trap + "cd \"$0\" && exec \(become)setpriv --pdeathsig KILL -- \"$@\""
    pid = try Launcher.shared.spawn(
      ["/bin/sh", "-c", script, folder] + arguments, environment: environment.map { "\($0.key)=\($0.value)" },
      output: output, error: error)
    TestResources.shared.add(self)
  }

  /// Sends a signal, unless the process has ended.
  public func send(_ signal: Int32) {
    lock.withLock { if ended == nil { _ = kill(pid, signal) } }
  }

  /// How the process ended, or nil while it runs.
  public var exitStatus: ExitStatus? {
    lock.withLock {
      if ended != nil { return ended }
      var status: Int32 = 0
      guard waitpid(pid, &status, WNOHANG) == pid else { return nil }
      let signal = status & 0x7f
      ended = signal == 0 ? .code((status >> 8) & 0xff) : .signal(signal)
      TestResources.shared.remove(self)
      return ended
    }
  }

  /// Waits for the end.
  /// - Returns: how it ended, or nil when it still runs after that time.
  public func wait(seconds: Double) -> ExitStatus? {
    _ = waitUntil(seconds: seconds) { exitStatus != nil }
    return exitStatus
  }

  /// Kills the process if it still runs, and collects it.
  public func end() {
    send(SIGKILL)
    _ = wait(seconds: 30)
  }
}

/// What a finished command left.
public struct CommandResult: Sendable {
  /// How it ended; nil when it had to be killed because it took too long.
  public var status: ExitStatus?
  /// Its standard output.
  public var output: String
  /// Its standard error.
  public var error: String
}

/// Runs a command to its end.
/// - Parameters:
///   - arguments: the program and its arguments.
///   - environment: the whole environment; by default that of the test without the server's own variables.
///   - user: the user that it runs as; nil is the test's own.
///   - seconds: after this time it is killed.
/// - Returns: how it ended and what it wrote.
/// - Throws: `POSIXError` when it can't be started.
public func runCommand(
  _ arguments: [String], environment: [String: String] = childEnvironment(), user: String? = nil, seconds: Double = 30
) throws -> CommandResult {
  let base = FileManager.default.temporaryDirectory.path + "/osg-analytics-command-" + UUID().uuidString
  let (output, error) = (base + ".out", base + ".err")
  defer { for path in [output, error] { unlink(path) } }
  let child = try ChildProcess(
    arguments, environment: environment, folder: "/", output: output, error: error, user: user)
  let status = child.wait(seconds: seconds)
  child.end()
  return CommandResult(
    status: status, output: (try? String(contentsOfFile: output, encoding: .utf8)) ?? "",
    error: (try? String(contentsOfFile: error, encoding: .utf8)) ?? "")
}

/// The environment of the test process without the variables that would configure the server or PostgreSQL's library.
public func childEnvironment() -> [String: String] {
  ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("OSG_ANALYTICS_") && !$0.key.hasPrefix("PG") }
}

/// Held while a child is started, and while there is a descriptor that isn't closed on exec yet.
let inheritance = NSLock()

/// The one thread that starts children. "Killed when the parent ends" means the thread that started the child, so that
/// thread must live as long as the test process; threads of a pool don't.
private final class Launcher: @unchecked Sendable {
  static let shared = Launcher()

  // The condition's lock guards `jobs`.
  private let condition = NSCondition()
  private var jobs: [@Sendable () -> Void] = []

  private init() {
    Thread.detachNewThread { [self] in
      while true {
        condition.lock()
        while jobs.isEmpty { condition.wait() }
        let job = jobs.removeFirst()
        condition.unlock()
        job()
      }
    }
  }

  func spawn(
    _ command: [String], environment: [String], output: String, error: String
  ) throws -> pid_t {
    let done = DispatchSemaphore(value: 0)
    let result = LockedList<Result<pid_t, any Error>>()
    condition.lock()
    jobs.append {
      result.append(
        Result { try Self.spawnHere(command, environment: environment, output: output, error: error) })
      done.signal()
    }
    condition.signal()
    condition.unlock()
    done.wait()
    return try result.all[0].get()
  }

  private static func spawnHere(
    _ command: [String], environment: [String], output: String, error: String
  ) throws -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT | O_APPEND, 0o600)
    posix_spawn_file_actions_addopen(&actions, 2, error, O_WRONLY | O_CREAT | O_APPEND, 0o600)

    // What the test process ignores or blocks must not change how the server behaves.
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    var all = sigset_t()
    sigfillset(&all)
    posix_spawnattr_setsigdefault(&attributes, &all)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))

    let arguments = command.map { strdup($0) } + [nil]
    let variables = environment.map { strdup($0) } + [nil]
    defer { for text in arguments + variables { free(text) } }
    var pid: pid_t = 0
    let code = inheritance.withLock { posix_spawnp(&pid, command[0], &actions, &attributes, arguments, variables) }
    guard code == 0 else { throw POSIXError(POSIXErrorCode(rawValue: code) ?? .EIO) }
    return pid
  }
}
