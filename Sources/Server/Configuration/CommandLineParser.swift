import AnalyticsContract
import Reporting
import ServerFacts

/// What the command line asks for, ready to be done.
public enum Invocation: Sendable {
  /// Run the server.
  case serve(ServerConfiguration)
  /// Bring the schema up to date, and let a PostgreSQL role serve.
  case migrate(CommonConfiguration, serverRole: String?)
  /// Create a token and print it.
  case createToken(CommonConfiguration, scope: TokenScope, name: String)
  /// List the tokens.
  case listTokens(CommonConfiguration)
  /// Revoke a token.
  case revokeToken(CommonConfiguration, name: String)
  /// Issue a session that is valid for the time to live, 1 s to 365 days.
  case issueSession(CommonConfiguration, account: UUIDValue, timeToLive: Duration)
  /// Make a report and print it.
  case report(CommonConfiguration, ReportRequest)
  /// Fill an empty database with a synthetic population; without a last day up to yesterday.
  case demo(CommonConfiguration, installations: Int, days: Int, end: CalendarDay?, seed: UInt64)
  /// Make the sets of installations anew.
  case rebuild(CommonConfiguration)
  /// Erase an installation, by the digest of its identifier.
  case eraseInstallation(CommonConfiguration, Digest)
  /// Erase an account.
  case eraseAccount(CommonConfiguration, UUIDValue)
  /// Seal days and remove what has expired.
  case purge(CommonConfiguration, dryRun: Bool)
  /// Prove the invariants of the database.
  case check(CommonConfiguration)
  /// Print the version.
  case version
  /// Print this text to standard output and exit with 0: a help, or the configuration.
  case text(String)
}

/// Reads the command line and the environment. Pure: it opens, prints and ends nothing.
public enum CommandLineParser {
  /// Finds the command, its options and their values.
  ///
  /// - Parameters:
  ///   - arguments: the arguments without the program's name.
  ///   - environment: the process environment.
  /// - Returns: what to do.
  /// - Throws: `UsageError` that names what is wrong and what is expected.
  public static func parse(
    _ arguments: [String], environment: [String: String]
  ) throws(UsageError) -> Invocation {
    let selection = try CommandSelection(arguments)
    guard let command = selection.command else { return .text(selection.help) }
    if selection.asksForHelp { return .text(HelpText.command(command)) }
    let flags = try FlagReader.read(selection.rest, of: command)
    let options = try ResolvedOptions(command: command, flags: flags, environment: environment)
    switch command {
    case .serve:
      let configuration = try ServerConfiguration(options)
      guard !options.required(ServerOptions.printConfiguration) else {
        return .text(ConfigurationText.render(options))
      }
      return .serve(configuration)
    case .migrate:
      let common = try CommonConfiguration(options)
      let serverRole = options.value(ServerOptions.serverRole)
      if serverRole != nil, case .sqlite = common.database {
        throw UsageError("--server-role: expected a postgres:// URL in --database with it", command: command)
      }
      return .migrate(common, serverRole: serverRole)
    case .tokenCreate:
      return .createToken(
        try CommonConfiguration(options), scope: options.required(ServerOptions.scope),
        name: options.required(ServerOptions.tokenName))
    case .tokenList: return .listTokens(try CommonConfiguration(options))
    case .tokenRevoke:
      return .revokeToken(try CommonConfiguration(options), name: options.required(ServerOptions.tokenName))
    case .sessionIssue:
      return .issueSession(
        try CommonConfiguration(options), account: options.required(ServerOptions.account),
        timeToLive: .seconds(options.required(ServerOptions.timeToLive)))
    case .report(let report): return .report(try CommonConfiguration(options), ReportRequest(report, options))
    case .erase: return try erase(options)
    case .purge: return .purge(try CommonConfiguration(options), dryRun: options.required(ServerOptions.dryRun))
    case .check: return .check(try CommonConfiguration(options))
    case .rebuild: return .rebuild(try CommonConfiguration(options))
    case .demo:
      return .demo(
        try CommonConfiguration(options), installations: options.required(ServerOptions.demoInstallations),
        days: options.required(ServerOptions.demoDays), end: options.value(ServerOptions.demoEnd),
        seed: UInt64(options.required(ServerOptions.demoSeed)))
    case .version: return .version
    case .help: return .text(HelpText.overview())
    }
  }

  private static func erase(_ options: ResolvedOptions) throws(UsageError) -> Invocation {
    let common = try CommonConfiguration(options)
    switch (options.value(ServerOptions.installation), options.value(ServerOptions.erasedAccount)) {
    case (let installation?, nil): return .eraseInstallation(common, installation.digest)
    case (nil, let account?): return .eraseAccount(common, account)
    case (nil, nil), (_?, _?):
      throw UsageError("erase: expected one of --installation and --account", command: options.command)
    }
  }
}

extension ReportRequest {
  fileprivate init(_ report: Report, _ options: ResolvedOptions) {
    var parameters: [(name: String, value: String)] = []
    if let from = options.value(ServerOptions.from) { parameters.append(("from", "\(from)")) }
    if let to = options.value(ServerOptions.to) { parameters.append(("to", "\(to)")) }
    parameters.append(("granularity", options.required(ServerOptions.granularity).rawValue))
    self.init(report: report, parameters: parameters, output: options.required(ServerOptions.reportFormat))
  }
}
