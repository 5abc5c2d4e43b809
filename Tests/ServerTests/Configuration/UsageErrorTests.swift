import Testing

@testable import Server

@Suite struct UsageErrorTests {
  @Test func exitsWithTwoAndPointsToTheHelpOfItsCommand() {
    #expect(UsageError.exitCode == 2)
    #expect(
      UsageError("--name: expected more", command: .tokenCreate).description
        == "osg-analytics: --name: expected more\nRun 'osg-analytics token create --help' to see what is possible.\n")
    #expect(UsageError("x").description.contains("'osg-analytics --help'"))
  }

  @Test(arguments: Command.allCases) func everyFlagOfEveryCommandIsNamedWhenItIsWrong(_ command: Command) {
    let words = command.words.joined(separator: " ")
    for option in command.options where option.hasFlag {
      if option.placeholder == nil {
        #expect(complaint("\(words) \(option.flag)=true") == "\(option.flag): expected without a value")
        #expect(complaint("\(words) \(option.flag) \(option.flag)").hasPrefix("\(option.flag): expected once"))
      } else {
        let missing = "\(option.flag): a value is missing, expected \(option.expectation)"
        #expect(complaint("\(words) \(option.flag)") == missing)
        #expect(complaint("\(words) \(option.flag) --log-level info") == missing)
        if option.isRepeatable { continue }
        #expect(complaint("\(words) \(option.flag) a \(option.flag)=b").hasPrefix("\(option.flag): expected once"))
      }
    }
  }

  @Test(arguments: ["DATABASE", "LISTEN", "QUEUE_BYTES", "INSECURE_TEST_HOOKS", "LOG_LEVEL"])
  func aVariableIsNamedTogetherWithItsFlag(_ name: String) {
    let flag = "--" + name.lowercased().split(separator: "_").joined(separator: "-")
    #expect(
      complaint("", ["OSG_ANALYTICS_\(name)": "?"]).hasPrefix("OSG_ANALYTICS_\(name) (the same as \(flag)): expected "))
  }

  @Test func anUnknownFlagIsNamedWithOneThatIsLikeIt() {
    #expect(complaint("--databse=sqlite:a") == "--databse: unknown flag of serve, expected perhaps --database")
    #expect(complaint("serve --listn 1") == "--listn: unknown flag of serve, expected perhaps --listen")
    let message = complaint("token list --colour")
    #expect(message.hasPrefix("--colour: unknown flag of token list, expected one of --database, --log-level, "))
    #expect(complaint("migrate --listen 127.0.0.1:1").hasPrefix("--listen: unknown flag of migrate"))
    #expect(complaint("token list --name n").hasPrefix("--name: unknown flag of token list"))
    #expect(complaint("-x").hasPrefix("-x: unknown flag of serve"))
    #expect(complaint("version --listen 127.0.0.1:1").hasPrefix("--listen: unknown flag of version"))
    #expect(complaint("--database\u{1B}[2J=a").hasPrefix("--database\\u{1b}[2J: unknown flag"))
  }

  @Test(arguments: ["serve a", "--listen 127.0.0.1:1 a", "migrate a", "version a", "serve -", "serve --"])
  func aStrayArgumentIsShown(_ line: String) {
    let last = line.split(separator: " ").last ?? ""
    #expect(complaint(line) == "unexpected argument \"\(last)\": expected a flag")
  }

  @Test func aPasswordInTheWrongPlaceIsNotRepeated() {
    for line in [
      "serve postgres://user:secret@host/db", "postgres://user:secret@host/db", "--databse=postgres://user:secret@host",
      "help postgres://user:secret@host/db", "help serve postgres://user:secret@host/db",
    ] {
      #expect(!complaint(line).contains("secret"))
    }
  }

  @Test func commandsThatDoNotExistAreAnsweredWithThoseThatDo() {
    #expect(complaint("server").hasPrefix("unknown command \"server\": expected one of serve, migrate, token create, "))
    #expect(complaint("token") == "token: expected one of create, list, revoke after it")
    #expect(complaint("token make") == "token: expected one of create, list, revoke after it")
    #expect(complaint("session --account x") == "session: expected one of issue after it")
    #expect(complaint("help nothing").hasPrefix("unknown command \"nothing\""))
  }
}
