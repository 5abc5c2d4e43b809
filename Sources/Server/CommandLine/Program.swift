import AnalyticsContract
import Demo
import Glibc
import Ingestion
import Reporting
import ServerFacts
import Storage

/// The program behind the command line: reads what is asked for, does it, and gives the exit code.
public enum Program {
  /// Runs the program.
  /// - Parameters:
  ///   - arguments: the arguments without the program's name.
  ///   - environment: the process environment.
  /// - Returns: the exit code: 0, 1 for a failure, 2 for a call that makes no sense.
  public static func run(_ arguments: [String], environment: [String: String]) async -> Int32 {
    do {
      try await perform(CommandLineParser.parse(arguments, environment: environment))
      return 0
    } catch let error as UsageError {
      complain("\(error)")
      return UsageError.exitCode
    } catch {
      complain("osg-analytics: \(Self.text(of: error))\n")
      return 1
    }
  }

  private static func perform(_ invocation: Invocation) async throws {
    switch invocation {
    case .text(let text): say(text)
    case .version: say("osg-analytics \(productVersion)\n")
    case .serve(let configuration): try await serve(configuration)
    case .migrate(let common, let serverRole):
      let store = try open(common, .migration, serverRole: serverRole)
      let applied = store.appliedMigrations.map(String.init).joined(separator: ", ")
      say(applied.isEmpty ? "The schema is current.\n" : "Applied schema version \(applied).\n")
      if let serverRole { say("The role \(serverRole) may serve.\n") }
      await store.close()
    case .createToken(let common, let scope, let name):
      let secret = Secret.random(prefix: scope.prefix)
      try await withStore(common) { try await $0.createToken(secret.digest, name: name, scope: scope, at: now(common)) }
      say("\(secret.text)\n")
    case .listTokens(let common):
      say(TokenTable.render(try await withStore(common) { try await $0.tokens() }))
    case .revokeToken(let common, let name):
      try await withStore(common) { try await $0.revokeToken(named: name, at: now(common)) }
    case .issueSession(let common, let account, let timeToLive):
      let secret = Secret.random(prefix: "")
      let expiry = now(common).advanced(bySeconds: timeToLive.components.seconds)
      _ = try await state(.sessionIssued(account: account, token: secret.digest, expiresAt: expiry), common)
      let token = AccessToken(digest: secret.digest)
      let isValid = try await withStore(common) { try await $0.isValidSession(token, at: now(common)) }
      guard isValid else { throw CommandFailure.accountDeleted }
      say("\(secret.text)\n")
    case .eraseInstallation(let common, let digest):
      say(ErasureText.render(try await withStore(common) { try await $0.erase(installation: digest) }))
    case .eraseAccount(let common, let account):
      say(ErasureText.render(try await state(.accountDeleted(account: account), common)))
    case .report(let common, let request):
      let now = now(common)
      let query = try request.query(today: now.day)
      say(request.text(of: try await withStore(common) { try await $0.answer(request.report, query, at: now) }))
    case .demo(let common, let installations, let days, let end, let seed):
      let yesterday = now(common).day.advanced(by: -1)
      if let end, end > yesterday {
        throw UsageError("--end: expected a day that is over (UTC), at the latest \(yesterday)", command: .demo)
      }
      let plan = DemoPlan(installations: installations, days: days, end: end ?? yesterday, seed: seed)
      say(try await DemoCommand(plan: plan, database: common.database).run())
    case .rebuild(let common):
      let store = try open(common, .exclusiveCommand)
      say("Made \(try await store.rebuildSets(at: now(common))) sets of installations.\n")
      await store.close()
    case .purge(let common, let dryRun): try await purge(common, dryRun: dryRun)
    case .check(let common): try await check(common)
    }
  }

  private static func purge(_ common: CommonConfiguration, dryRun: Bool) async throws {
    let report = try await withStore(common) { try await Retention(store: $0).run(at: now(common), dryRun: dryRun) }
    guard let report else { throw CommandFailure.retentionRuns }
    say(RetentionText.render(report, dryRun: dryRun))
  }

  private static func check(_ common: CommonConfiguration) async throws {
    let findings = try await withStore(common) { try await $0.check(at: now(common)) }
    say(CheckText.render(findings))
    if findings.contains(where: { $0.violations > 0 }) { throw CommandFailure.checkFailed }
  }

  /// States a fact as the account server would.
  /// - Returns: what it erased.
  private static func state(_ kind: FactKind, _ common: CommonConfiguration) async throws -> ErasureCounts {
    let now = now(common)
    let fact = Fact(id: .random(), occurredAt: now, kind: kind)
    switch try await withStore(common, { try await $0.state([fact], at: now) }) {
    case .stored(_, _, let erased): return erased
    case .conflict: throw StoreFailure.defect
    }
  }

  private static func serve(_ configuration: ServerConfiguration) async throws {
    TerminationSignals.install()
    let clock = configuration.common.serverClock
    let time: @Sendable () -> Int64 = { clock.now.microseconds }
    let logger = Logger(level: configuration.common.logLevel, output: LogOutput(clock: time), clock: time)
    defer { logger.flush(timeout: .seconds(1)) }
    let server = try AnalyticsServer.start(configuration, logger: logger)
    if configuration.welcomes { say(Welcome(configuration, server, try await server.makeFirstToken()).text) }
    await TerminationSignals.wait()
    let deadline = Task.detached {
      try await Task.sleep(for: .seconds(30))
      // Whoever holds the database must not hold the stop as well. What was acknowledged is durable.
      logger.error("stop_timed_out")
      logger.flush(timeout: .seconds(1))
      _exit(1)
    }
    await server.stop()
    deadline.cancel()
  }

  private static func withStore<Result: Sendable>(
    _ common: CommonConfiguration, _ body: (any AnalyticsStore) async throws -> Result
  ) async throws -> Result {
    let store = try open(common, .command)
    let result = try await body(store)
    await store.close()
    return result
  }

  private static func open(
    _ common: CommonConfiguration, _ role: StoreRole, serverRole: String? = nil
  ) throws -> any AnalyticsStore {
    switch common.database {
    case .sqlite(let path):
      return try SQLiteStore(path: path, role: role, clock: common.serverClock)
    case .postgreSQL(let url):
      return try PostgreSQLStore(
        url: url, role: role, writerCount: 1, serverRole: serverRole, clock: common.serverClock)
    }
  }

  private static func now(_ common: CommonConfiguration) -> Instant { common.serverClock.now }

  private static func text(of error: any Error) -> String {
    switch error {
    case CredentialFailure.nameTaken:
      "There is or was a token of that name. Choose another name; `osg-analytics token list` shows those taken."
    case CredentialFailure.unknownName:
      "There is no valid token of that name. `osg-analytics token list` shows them all."
    case CommandFailure.accountDeleted: "The account was deleted, so that it gets no session."
    case CommandFailure.retentionRuns: "A server is doing that right now; see its log for retention_completed."
    case CommandFailure.checkFailed:
      "The database does not hold what it must: see the lines with a count above. docs/OPERATIONS.md says what to do."
    case DemoFailure.notEmpty:
      "The database holds data already, and a demonstration is not to be mixed with it. Name another one with --database."
    case DemoFailure.unexpectedAnswer:
      "The demonstration got an answer that it must not get. This is a defect of osg-analytics."
    case StoreFailure.unavailable(let reason):
      "The database can't be used now (\(reason.label)). Try again; if that does not help, check its disk, or its server."
    case StoreFailure.defect: "The database refused the statement. This is a defect of osg-analytics."
    default: "\(error)"
    }
  }

  private static func say(_ text: String) { write(text, to: STDOUT_FILENO) }

  private static func complain(_ text: String) { write(text, to: STDERR_FILENO) }

  /// Writes the whole text; where it can't be written, there is nobody to tell.
  private static func write(_ text: String, to descriptor: Int32) {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno != EINTR { return }
      rest = rest.dropFirst(max(0, count))
    }
  }
}

/// Why a command could not do what it was asked to.
enum CommandFailure: Error {
  /// A session was asked for an account that is deleted.
  case accountDeleted
  /// Another process holds the lock of retention.
  case retentionRuns
  /// Rules of the database are broken.
  case checkFailed
}
