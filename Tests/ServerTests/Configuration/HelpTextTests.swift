import Testing

@testable import Server

@Suite struct HelpTextTests {
  @Test(arguments: Command.allCases) func everyCommandHasHelpOfAtMostAHundredColumns(_ command: Command) throws {
    let words = command.words.joined(separator: " ")
    let lines = command == .help ? ["help"] : ["\(words) --help", "\(words) -h", "help \(words)"]
    for line in lines {
      let help = try text(line)
      #expect(help.hasPrefix("Usage: osg-analytics "))
      #expect(help.hasSuffix("\n") && !help.hasSuffix("\n\n"))
      #expect(help.split(separator: "\n").allSatisfy { $0.count <= 100 && $0.last != " " })
      for option in command.options {
        #expect(help.contains(option.displayName))
        #expect(option.environmentName.map(help.contains) ?? true)
        for word in option.help.split(separator: " ") { #expect(help.contains(word)) }
      }
    }
  }

  @Test(arguments: ["--help", "-h", "help", "help --help"]) func theOverviewListsAllCommands(_ line: String) throws {
    let help = try text(line)
    for command in Command.allCases { #expect(help.contains("  \(command.words.joined(separator: " ")) ")) }
    #expect(help.split(separator: "\n").allSatisfy { $0.count <= 100 })
  }

  @Test(arguments: ["token --help", "help token", "token -h"]) func aGroupListsItsOwn(_ line: String) throws {
    let help = try text(line)
    #expect(help.contains("token create") && help.contains("token list") && help.contains("token revoke"))
    #expect(!help.contains("session"))
  }

  @Test func helpWinsOverWhatElseIsWrong() throws {
    #expect(try text("serve --listen nonsense --help").hasPrefix("Usage: osg-analytics serve"))
    #expect(try text("token create --help").hasPrefix("Usage: osg-analytics token create --scope SCOPE --name NAME"))
    #expect(try text("--unknown -h").hasPrefix("Usage: osg-analytics serve"))
  }

  @Test func theColumnsAreAligned() throws {
    let expected = """
      Usage: osg-analytics token revoke --name NAME [options]

      Revoke a token.

      Options:
        --name NAME            The token's name in lists and for revoking it: 1 to 64 characters of A-Z
                               a-z 0-9 . - _
                               [required]
        --database LOCATION    Where the data is kept: sqlite: and the path of a file, which is created
                               when it does not exist, or postgres://USER@HOST:PORT/DATABASE, any URL that
                               libpq takes.
                               [default: sqlite:./data/analytics.sqlite; environment:
                               OSG_ANALYTICS_DATABASE]

      """
    #expect(try text("token revoke --help").hasPrefix(expected))
  }

  @Test func wordsAreNeverBroken() {
    #expect(HelpText.wrap("one two three", to: 7) == ["one two", "three"])
    #expect(HelpText.wrap("one\ntwo", to: 7) == ["one", "two"])
    #expect(HelpText.wrap("a incomprehensible b", to: 5) == ["a", "incomprehensible", "b"])
    #expect(HelpText.wrap("", to: 5).isEmpty)
  }
}

@Suite struct ConfigurationTextTests {
  @Test func eachOptionIsShownWithItsOrigin() throws {
    let shown = try text(
      "--print-config --queue-bytes 1GiB --http-threads=3 --tls-key k.pem --tls-certificate c.pem --storekit-sandbox "
        + "--app-id ABCDE12345.a --app-id=ABCDE12345.b",
      [
        "OSG_ANALYTICS_LISTEN": "[::]:80", "OSG_ANALYTICS_QUEUE_BYTES": "2GiB",
        "OSG_ANALYTICS_STOREKIT_BUNDLE": "a.b, c.d", "OSG_ANALYTICS_APP_ID": "ABCDE12345.other",
      ])
    let expected = """
      --database             sqlite:./data/analytics.sqlite                                    default
      --database-writers     2                                                                 default
      --listen               [::]:80                                                           environment OSG_ANALYTICS_LISTEN
      --admin-listen         (same as --listen)                                                default
      --tls-certificate      c.pem                                                             flag
      --tls-key              k.pem                                                             flag
      --session-jwks         (no JSON Web Tokens)                                              default
      --session-issuer       (any)                                                             default
      --session-audience     (any)                                                             default
      --log-level            info                                                              default
      --request-timeout      30                                                                default
      --idle-timeout         60                                                                default
      --connection-limit     10000                                                             default
      --http-threads         3                                                                 flag
      --queue-batches        4096                                                              default
      --queue-bytes          1GiB                                                              flag
      --public-url           (the address that the visitor used)                               default
      --app-store-url        (no button, a line that names the app)                            default
      --app-id               ABCDE12345.a,ABCDE12345.b                                         flag
      --storekit-root        63343abfb89a6a03ebb57e9b3f5fa7be7c4f5c756f3017b3a8c488c3653e9179  default
      --storekit-bundle      a.b,c.d                                                           environment OSG_ANALYTICS_STOREKIT_BUNDLE
      --storekit-sandbox     true                                                              flag
      --insecure-test-hooks  false                                                             default
      OSG_ANALYTICS_CLOCK    (the system's clock)                                              default
      --welcome              false                                                             default

      """
    #expect(shown == expected)
  }

  @Test func aConfigurationThatWouldNotServeIsNotPrinted() {
    #expect(complaint("--print-config --tls-key k").hasPrefix("--tls-key: "))
  }

  @Test(arguments: [
    ("postgres://user:pw@host:5432/db", "postgres://user:********@host:5432/db"),
    ("postgresql://user:p@w:x/y?z#@host/db?sslmode=require", "postgresql://user:********@host/db?sslmode=require"),
    ("postgres://user@host/db", "postgres://user@host/db"), ("postgres://host:5432/db", "postgres://host:5432/db"),
    ("postgres://host/db?user=u&password=pw&x=1", "postgres://host/db?user=u&password=********&x=1"),
    ("postgres://host/db?sslpassword=pw", "postgres://host/db?sslpassword=********"),
    ("postgres://host/db?p%61ssword=pw", "postgres://host/db?p%61ssword=********"),
    ("postgres://u:pw@a:1,b:2/db", "postgres://u:********@a:1,b:2/db"),
    ("postgres://:pw@host", "postgres://:********@host"), ("sqlite:./a:b@c", "sqlite:./a:b@c"), ("", ""),
  ]) func passwordsOfURLsAreHidden(_ url: String, _ shown: String) {
    #expect(Redaction.withoutPassword(url) == shown)
    #expect(ServerOptions.database.specification.shown(url) == shown)
  }

  @Test func secretsAreHiddenWhole() {
    #expect(ServerOptions.account.specification.shown("0a1b2c3d-0000-4000-8000-00000000abcd") == "********")
  }

  @Test func valuesCannotChangeATerminal() throws {
    #expect(Redaction.printable("a\u{1B}[2Jb\nc\u{202E}é") == "a\\u{1b}[2Jb\\u{a}c\\u{202e}é")
    #expect(Redaction.printable(String(repeating: "x", count: 300)) == String(repeating: "x", count: 200) + "…")
    let shown = try text("--print-config", ["OSG_ANALYTICS_DATABASE": "sqlite:a\nb"])
    #expect(shown.split(separator: "\n").count == Command.serve.options.count - 1)
  }
}
