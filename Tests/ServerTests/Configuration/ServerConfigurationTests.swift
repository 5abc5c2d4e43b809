import AnalyticsContract
import Glibc
import Testing

@testable import Server

@Suite struct ServerConfigurationTests {
  @Test(arguments: ["", "serve"]) func theDefaultsAreTheDocumentedOnes(_ line: String) throws {
    let configuration = try serve(line)
    #expect(configuration.common.database == .sqlite(path: "./data/analytics.sqlite"))
    #expect(configuration.listen == ListenAddress("127.0.0.1:8080"))
    #expect(configuration.adminListen == nil)
    #expect(configuration.tls == nil)
    #expect(configuration.sessionTokens == nil)
    #expect(configuration.common.logLevel == .info)
    #expect(configuration.requestTimeout == .seconds(30))
    #expect(configuration.idleTimeout == .seconds(60))
    #expect(configuration.connectionLimit == 10_000)
    #expect(configuration.httpThreads == min(max(sysconf(Int32(_SC_NPROCESSORS_ONLN)), 1), 64))
    #expect(configuration.queueBatches == 4_096)
    #expect(configuration.queueBytes == 67_108_864)
    #expect(!configuration.common.allowsTestHooks)
    #expect(configuration.common.clock == nil)
    #expect(configuration.invitations == .init(publicURL: nil, appStoreURL: nil, appIDs: []))
    #expect(configuration.storeKit.roots[0].withUnsafeBytes { Array($0.prefix(4)) } == [0x63, 0x34, 0x3a, 0xbf])
    #expect(configuration.storeKit.bundleIDs.isEmpty)
    #expect(!configuration.storeKit.allowsSandbox)
  }

  @Test(arguments: [" ", "="]) func everyFlagIsTaken(_ separator: String) throws {
    let flags = [
      "--database sqlite:/var/lib/a=b.sqlite", "--listen 0.0.0.0:80", "--admin-listen [::1]:0",
      "--tls-certificate cert.pem", "--tls-key key.pem", "--log-level error", "--request-timeout 1",
      "--session-jwks keys.json", "--session-issuer https://a.example", "--session-audience b",
      "--idle-timeout 3600", "--connection-limit 1", "--http-threads 64", "--queue-batches 7", "--queue-bytes 1GiB",
    ]
    let line = flags.map { flag in
      let parts = flag.split(separator: " ", maxSplits: 1)
      return parts[0] + separator + parts[1]
    }
    let configuration = try serve("serve --insecure-test-hooks " + line.joined(separator: " "))
    #expect(configuration.common.database == .sqlite(path: "/var/lib/a=b.sqlite"))
    #expect(configuration.listen.description == "0.0.0.0:80")
    #expect(configuration.adminListen?.description == "[::1]:0")
    #expect(configuration.tls == .init(certificate: "cert.pem", key: "key.pem"))
    #expect(configuration.sessionTokens == .init(jwks: "keys.json", issuer: "https://a.example", audience: "b"))
    #expect(configuration.common.logLevel == .error)
    #expect(configuration.requestTimeout == .seconds(1))
    #expect(configuration.idleTimeout == .seconds(3_600))
    #expect(configuration.connectionLimit == 1)
    #expect(configuration.httpThreads == 64)
    #expect(configuration.queueBatches == 7)
    #expect(configuration.queueBytes == 1 << 30)
    #expect(configuration.common.allowsTestHooks)
  }

  @Test func aFlagWinsOverTheEnvironmentAndThatOverTheDefault() throws {
    let environment = ["OSG_ANALYTICS_LISTEN": "127.0.0.2:2", "OSG_ANALYTICS_QUEUE_BATCHES": "2"]
    let configuration = try serve("--queue-batches 3", environment)
    #expect(configuration.listen.description == "127.0.0.2:2")
    #expect(configuration.queueBatches == 3)
    #expect(configuration.connectionLimit == 10_000)
  }

  @Test func aFlagHidesABadValueOfTheEnvironment() throws {
    #expect(try serve("--queue-batches 3", ["OSG_ANALYTICS_QUEUE_BATCHES": "x"]).queueBatches == 3)
  }

  @Test func everyConfigurationOptionHasAVariable() throws {
    let values = [
      "DATABASE": "sqlite:e", "LISTEN": "127.0.0.1:1", "ADMIN_LISTEN": "127.0.0.1:2", "TLS_CERTIFICATE": "c",
      "TLS_KEY": "k", "LOG_LEVEL": "debug", "REQUEST_TIMEOUT": "2", "IDLE_TIMEOUT": "3", "CONNECTION_LIMIT": "4",
      "HTTP_THREADS": "5", "QUEUE_BATCHES": "6", "QUEUE_BYTES": "7MiB", "INSECURE_TEST_HOOKS": "true",
      "CLOCK": "offset:-8", "DATABASE_WRITERS": "9",
      "SESSION_JWKS": "j", "SESSION_ISSUER": "i", "SESSION_AUDIENCE": "a",
      "PUBLIC_URL": "https://p", "APP_STORE_URL": "https://s/a",
      "APP_ID": "ABCDE12345.a, ABCDE12345.b", "STOREKIT_ROOT": String(repeating: "0a", count: 32),
      "STOREKIT_BUNDLE": "b.one,b.two", "STOREKIT_SANDBOX": "1",
    ]
    let names = Command.serve.options.compactMap(\.environmentName)
    #expect(Set(names) == Set(values.keys.map { "OSG_ANALYTICS_" + $0 }))
    let environment = Dictionary(uniqueKeysWithValues: values.map { ("OSG_ANALYTICS_" + $0, $1) })
    let configuration = try serve("", environment)
    #expect(configuration.common.database == .sqlite(path: "e"))
    #expect(configuration.listen.port == 1)
    #expect(configuration.adminListen?.port == 2)
    #expect(configuration.tls == .init(certificate: "c", key: "k"))
    #expect(configuration.sessionTokens == .init(jwks: "j", issuer: "i", audience: "a"))
    #expect(configuration.common.logLevel == .debug)
    #expect(configuration.requestTimeout == .seconds(2))
    #expect(configuration.idleTimeout == .seconds(3))
    #expect(configuration.connectionLimit == 4)
    #expect(configuration.databaseWriters == 9)
    #expect(configuration.httpThreads == 5)
    #expect(configuration.queueBatches == 6)
    #expect(configuration.queueBytes == 7 << 20)
    #expect(configuration.common.clock == .offset(seconds: -8))
    #expect(
      configuration.invitations
        == .init(publicURL: "https://p", appStoreURL: "https://s/a", appIDs: ["ABCDE12345.a", "ABCDE12345.b"]))
    #expect(configuration.storeKit.roots[0].withUnsafeBytes { $0.allSatisfy { $0 == 10 } })
    #expect(configuration.storeKit.bundleIDs == ["b.one", "b.two"])
    #expect(configuration.storeKit.allowsSandbox)
  }

  @Test func anEmptyVariableCountsAsNotSet() throws {
    #expect(try serve("", ["OSG_ANALYTICS_TLS_KEY": "", "OSG_ANALYTICS_CLOCK": ""]).tls == nil)
  }

  @Test(arguments: [("true", true), ("1", true), ("false", false), ("0", false)])
  func aFlagWithoutValueIsATruthValueInTheEnvironment(_ value: String, _ expected: Bool) throws {
    #expect(try serve("", ["OSG_ANALYTICS_INSECURE_TEST_HOOKS": value]).common.allowsTestHooks == expected)
  }

  @Test func variablesOfOthersAreLeftAlone() throws {
    #expect(try serve("", ["OSG_ANALYTICS_PORT": "tcp://10.0.0.1:80", "LISTEN": "x"]).listen.port == 8080)
  }

  @Test func theSameAddressTwiceIsOneSocketButPortZeroTwiceIsTwo() throws {
    #expect(try serve("--listen 127.0.0.1:9 --admin-listen 127.0.0.1:9").adminListen == nil)
    #expect(try serve("--listen 127.0.0.1:0 --admin-listen 127.0.0.1:0").adminListen != nil)
  }

  @Test func whatTokensMustStateNeedsTheKeys() throws {
    for option in ["--session-issuer", "--session-audience"] {
      let message = complaint("\(option) secret-value")
      #expect(message.contains("\(option): expected --session-jwks with it") && !message.contains("secret-value"))
    }
    #expect(try serve("--session-jwks k").sessionTokens == .init(jwks: "k", issuer: nil, audience: nil))
  }

  @Test func theClockNeedsTheTestHooks() throws {
    let environment = ["OSG_ANALYTICS_CLOCK": "fixed:2026-11-29T12:00:00Z"]
    let clock = ClockOverride.fixed(try #require(Instant(iso8601: "2026-11-29T12:00:00Z")))
    #expect(try serve("--insecure-test-hooks", environment).common.clock == clock)
    for line in ["", "migrate", "token list"] {
      let message = complaint(line, environment)
      #expect(message.contains("OSG_ANALYTICS_CLOCK") && message.contains("--insecure-test-hooks"))
    }
    #expect(complaint("--clock fixed:2026-11-29T12:00:00Z --insecure-test-hooks").contains("--clock"))
  }
}
