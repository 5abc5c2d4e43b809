import Reporting

/// What the program can be asked to do.
public enum Command: CaseIterable, Hashable, Sendable {
  case serve, migrate, tokenCreate, tokenList, tokenRevoke, sessionIssue, report(Report), erase, purge, check
  case rebuild, demo, version, help

  /// All of them, in the order of the help.
  public static let allCases: [Command] =
    [.serve, .migrate, .tokenCreate, .tokenList, .tokenRevoke, .sessionIssue]
    + Report.allCases.map { .report($0) } + [.erase, .purge, .check, .rebuild, .demo, .version, .help]

  /// The words that name it on the command line.
  public var words: [String] {
    switch self {
    case .serve: ["serve"]
    case .migrate: ["migrate"]
    case .tokenCreate: ["token", "create"]
    case .tokenList: ["token", "list"]
    case .tokenRevoke: ["token", "revoke"]
    case .sessionIssue: ["session", "issue"]
    case .report(let report): ["report", report.rawValue]
    case .erase: ["erase"]
    case .purge: ["purge"]
    case .check: ["check"]
    case .rebuild: ["rebuild"]
    case .demo: ["demo"]
    case .version: ["version"]
    case .help: ["help"]
    }
  }

  /// One line for the list of commands.
  public var summary: String {
    switch self {
    case .serve: "Take batches and answer requests (what happens when no command is given)"
    case .migrate: "Create the database or bring its schema up to date, and exit"
    case .tokenCreate: "Create an access token and print it, this once"
    case .tokenList: "List the tokens: name, scope, when created and revoked"
    case .tokenRevoke: "Revoke a token"
    case .sessionIssue: "Issue a session for an account and print its access token, to try things out"
    case .report(let report): "Report: \(report.definition.question.dropLast())"
    case .erase: "Erase an installation or an account, and print what was removed as counts"
    case .purge: "Seal the days that are over and remove what has expired, as the server does once a day"
    case .check: "Read the whole database and prove that it holds what it must and nothing else"
    case .rebuild: "Make the sets of installations, which distinct counts come from, anew from the events"
    case .demo: "Fill an empty database with a synthetic population that has lived for some weeks, for a first look"
    case .version: "Print the version"
    case .help: "Show how to call a command"
    }
  }

  /// The options it takes, in the order of its help.
  public var options: [OptionSpecification] {
    let database = [
      ServerOptions.database.specification, ServerOptions.logLevel.specification,
      ServerOptions.insecureTestHooks.specification, ServerOptions.clock.specification,
    ]
    return switch self {
    case .serve:
      [
        ServerOptions.database.specification, ServerOptions.databaseWriters.specification,
        ServerOptions.listen.specification,
        ServerOptions.adminListen.specification, ServerOptions.tlsCertificate.specification,
        ServerOptions.tlsKey.specification, ServerOptions.sessionJWKS.specification,
        ServerOptions.sessionIssuer.specification, ServerOptions.sessionAudience.specification,
        ServerOptions.logLevel.specification,
        ServerOptions.requestTimeout.specification, ServerOptions.idleTimeout.specification,
        ServerOptions.connectionLimit.specification, ServerOptions.httpThreads.specification,
        ServerOptions.queueBatches.specification, ServerOptions.queueBytes.specification,
        ServerOptions.publicURL.specification, ServerOptions.appStoreURL.specification,
        ServerOptions.appID.specification, ServerOptions.storeKitRoot.specification,
        ServerOptions.storeKitBundle.specification, ServerOptions.storeKitSandbox.specification,
        ServerOptions.insecureTestHooks.specification, ServerOptions.clock.specification,
        ServerOptions.welcome.specification, ServerOptions.printConfiguration.specification,
      ]
    case .migrate: database + [ServerOptions.serverRole.specification]
    case .tokenList: database
    case .tokenCreate: [ServerOptions.scope.specification, ServerOptions.tokenName.specification] + database
    case .tokenRevoke: [ServerOptions.tokenName.specification] + database
    case .sessionIssue: [ServerOptions.account.specification, ServerOptions.timeToLive.specification] + database
    case .report:
      [
        ServerOptions.from.specification, ServerOptions.to.specification, ServerOptions.granularity.specification,
        ServerOptions.reportFormat.specification,
      ] + database
    case .erase: [ServerOptions.installation.specification, ServerOptions.erasedAccount.specification] + database
    case .purge: [ServerOptions.dryRun.specification] + database
    case .check, .rebuild: database
    case .demo:
      [
        ServerOptions.demoInstallations.specification, ServerOptions.demoDays.specification,
        ServerOptions.demoEnd.specification, ServerOptions.demoSeed.specification,
      ] + database
    case .version, .help: []
    }
  }
}
