import AnalyticsContract
import PostgreSQL
import Testing

@testable import Server

@Suite struct OptionValueTests {
  @Test(arguments: [
    ("request-timeout", 1, 600), ("idle-timeout", 1, 3_600), ("connection-limit", 1, 1_000_000),
    ("http-threads", 1, 64), ("queue-batches", 1, 1_000_000), ("queue-bytes", 1 << 20, 1 << 34),
  ])
  func numbersAreTakenWithinTheirRange(_ name: String, _ low: Int, _ high: Int) throws {
    for value in [low, high] { _ = try serve("--\(name) \(value)") }
    let wrong = [
      "\(low - 1)", "\(high + 1)", "-1", "+5", "5.0", "1e3", "0x10", "5s", "five", "99999999999999999999", "٥", "1_000",
    ]
    for value in wrong {
      let message = complaint("--\(name) \(value)")
      #expect(message.hasPrefix("--\(name): expected a "), "\(value)")
      #expect(message.hasSuffix(", not \"\(value)\""))
    }
    #expect(complaint("--\(name)=").hasPrefix("--\(name): expected a "))
  }

  @Test(arguments: [
    ("1048576", 1 << 20), ("1024KiB", 1 << 20), ("1MiB", 1 << 20), ("16384MiB", 1 << 34), ("16GiB", 1 << 34),
    ("0001MiB", 1 << 20),
  ]) func sizesKnowTheirUnits(_ text: String, _ bytes: Int) throws {
    #expect(try serve("--queue-bytes \(text)").queueBytes == bytes)
  }

  @Test(arguments: ["1KiB", "17GiB", "1MB", "1M", "1mib", "MiB", "1.5MiB", "1MiBMiB", "9999999999999999GiB", "-1MiB"])
  func otherSizesAreRefused(_ text: String) {
    #expect(complaint("--queue-bytes \(text)").hasPrefix("--queue-bytes: expected a number of bytes, or one with KiB"))
  }

  @Test(
    arguments: [
      ("127.0.0.1:8080", "127.0.0.1", 8080), ("0.0.0.0:0", "0.0.0.0", 0), ("[::1]:65535", "::1", 65_535),
      ("[::]:80", "::", 80), ("[2001:DB8:0:0::1]:443", "2001:db8::1", 443),
    ] as [(String, String, UInt16)])
  func addressesAreLiteralsWithAPort(_ text: String, _ host: String, _ port: UInt16) throws {
    let address = try serve("--listen \(text)").listen
    #expect(address.host == host && address.port == port)
    #expect(address.family == (text.hasPrefix("[") ? .ipv6 : .ipv4))
    #expect(ListenAddress(address.description) == address)
  }

  @Test(arguments: [
    "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:-1", "127.0.0.1:+1", "127.0.0.1:http", ":8080", "8080",
    "localhost:8080", "127.1:80", "256.0.0.1:80", "::1:8080", "[::1]", "[::1", "[127.0.0.1]:80", "[fe80::1%eth0]:80",
    "[]:80", "http://127.0.0.1:80", "127.0.0.1:80:80",
  ]) func otherAddressesAreRefused(_ text: String) {
    for flag in ["--listen", "--admin-listen"] {
      #expect(complaint("\(flag) \(text)").hasPrefix("\(flag): expected an IPv4 address, or an IPv6 address in "))
    }
  }

  @Test(arguments: ["sqlite:", "sqlite::memory:", "analytics.sqlite", "SQLITE:a", "mysql://u:secret@host/db", "secret"])
  func aDatabaseIsAFileOfSQLiteOrAURLOfPostgreSQL(_ text: String) {
    #expect(
      complaint("--database \(text)") == "--database: expected sqlite: and the path of a file, or a postgres:// URL")
  }

  @Test(arguments: ["postgres", "postgresql"])
  func aURLOfPostgreSQLIsTakenAndABrokenOneNotRepeated(_ scheme: String) throws {
    let text = "\(scheme)://user:secret@host:5432,host2:5433/db?sslmode=verify-full"
    #expect(try serve("--database \(text)").common.database == .postgreSQL(#require(PostgreSQLURL(text))))
    let message = complaint("--database \(text)&nonsense=1")
    #expect(message == "--database: expected sqlite: and the path of a file, or a postgres:// URL")
  }

  @Test func logLevelsAreTheFour() throws {
    for level in LogLevel.allCases { #expect(try serve("--log-level \(level.label)").common.logLevel == level) }
    #expect(
      complaint("--log-level INFO") == "--log-level: expected debug, info, warning or error, not \"INFO\"")
  }

  @Test(arguments: [
    ("fixed:2026-11-29T12:00:00Z", ClockOverride.fixed(Instant(microseconds: 1_795_953_600_000_000))),
    ("offset:0", .offset(seconds: 0)), ("offset:90", .offset(seconds: 90)), ("offset:+90", .offset(seconds: 90)),
    ("offset:-3153600000", .offset(seconds: -3_153_600_000)),
  ]) func clocksAreFixedOrOffset(_ text: String, _ clock: ClockOverride) throws {
    #expect(try serve("--insecure-test-hooks", ["OSG_ANALYTICS_CLOCK": text]).common.clock == clock)
  }

  @Test(arguments: [
    "now", "fixed", "fixed:", "fixed:2026-11-29", "offset:", "offset:1.5", "offset:--1", "offset:3153600001",
    "Offset:1",
  ])
  func otherClocksAreRefused(_ text: String) {
    let message = complaint("--insecure-test-hooks", ["OSG_ANALYTICS_CLOCK": text])
    #expect(message.hasPrefix("OSG_ANALYTICS_CLOCK: expected fixed: and an instant"))
  }

  @Test func pathsAreNotEmpty() {
    #expect(complaint("--tls-key=").hasPrefix("--tls-key: expected the path of a file"))
    #expect(complaint("--tls-certificate=").hasPrefix("--tls-certificate: expected the path of a file"))
  }

  @Test func tlsNeedsBothFiles() {
    #expect(complaint("--tls-certificate c") == "--tls-certificate: expected --tls-key with it")
    #expect(complaint("--tls-key k") == "--tls-key: expected --tls-certificate with it")
  }
}
