// swift-tools-version: 6.2
import PackageDescription

// Which module may import which is the architecture: docs/ARCHITECTURE.md gives the reasons. C libraries come from
// Debian (see `run`), each behind one thin target.
let package = Package(
  name: "OSGAnalytics",
  platforms: [.macOS(.v15), .iOS(.v17)],
  products: [
    .executable(name: "osg-analytics", targets: ["osg-analytics"]),
    .library(name: "OSGAnalyticsClient", targets: ["AnalyticsClient"]),
  ],
  targets: [
    .target(
      name: "AnalyticsContract",
      dependencies: [.target(name: "COpenSSL", condition: .when(platforms: [.linux]))]),
    .target(
      name: "AnalyticsClient",
      dependencies: ["AnalyticsContract", .target(name: "CZlib", condition: .when(platforms: [.linux]))]),
    .target(name: "Ingestion", dependencies: ["AnalyticsContract"]),
    .target(name: "ServerFacts", dependencies: ["AnalyticsContract", "Ingestion", "COpenSSL", "CJOSE"]),
    .target(name: "Reporting", dependencies: ["AnalyticsContract", "CRoaring"]),
    .target(name: "AppStoreStandIn", dependencies: ["AnalyticsContract", "COpenSSL"]),
    .target(
      name: "Demo",
      dependencies: ["AnalyticsContract", "AppStoreStandIn", "Ingestion", "Reporting", "ServerFacts", "Storage"]),
    .target(
      name: "Storage",
      dependencies: ["AnalyticsContract", "Ingestion", "ServerFacts", "Reporting", "PostgreSQL", "CSQLite"]),
    .target(name: "PostgreSQL", dependencies: ["CPostgreSQL"]),
    .target(name: "HTTPServer", dependencies: ["CMicroHTTPD", "CZlib"]),
    .target(
      name: "Server",
      dependencies: [
        "AnalyticsContract", "Demo", "Ingestion", "ServerFacts", "Reporting", "Storage", "PostgreSQL", "HTTPServer",
      ]),
    .executableTarget(name: "osg-analytics", dependencies: ["Server"]),
    .executableTarget(
      name: "decoder-benchmark", dependencies: ["AnalyticsContract", "Ingestion"], path: "Benchmarks/Decoder"),
    .executableTarget(
      name: "reports-benchmark",
      dependencies: ["AnalyticsContract", "Ingestion", "PostgreSQL", "Reporting", "ServerFacts", "Storage"],
      path: "Benchmarks/Reports"),
    .executableTarget(name: "metrics-dictionary", dependencies: ["Reporting"], path: "Tools/MetricsDictionary"),

    .target(
      name: "CMicroHTTPD",
      linkerSettings: [.linkedLibrary("microhttpd"), .linkedLibrary("gnutls")]),
    .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
    .systemLibrary(name: "CPostgreSQL", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
    .systemLibrary(name: "COpenSSL", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
    .systemLibrary(name: "CRoaring", providers: [.apt(["libroaring-dev"])]),
    .systemLibrary(name: "CJOSE", pkgConfig: "jose", providers: [.apt(["libjose-dev"])]),
    .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),

    .target(
      name: "TestSupport",
      dependencies: ["AnalyticsContract", "AppStoreStandIn", "CJOSE", "COpenSSL", "CPostgreSQL", "CSQLite", "CZlib"],
      path: "Tests/TestSupport"),
    .testTarget(name: "AnalyticsContractTests", dependencies: ["AnalyticsContract", "TestSupport"]),
    .executableTarget(
      name: "osg-analytics-client-example", dependencies: ["AnalyticsClient", "AnalyticsContract"],
      path: "Examples/Client"),
    .executableTarget(
      name: "client-benchmark", dependencies: ["AnalyticsClient", "AnalyticsContract"], path: "Benchmarks/Client"),
    .executableTarget(
      name: "client-process", dependencies: ["AnalyticsClient", "AnalyticsContract"], path: "Tests/ClientProcess"),
    .testTarget(name: "AnalyticsClientTests", dependencies: ["AnalyticsClient", "TestSupport"]),
    .testTarget(name: "DemoTests", dependencies: ["Demo", "TestSupport"]),
    .testTarget(name: "ReportingTests", dependencies: ["Reporting", "TestSupport"]),
    .testTarget(name: "IngestionTests", dependencies: ["Ingestion", "TestSupport"]),
    .testTarget(
      name: "ServerFactsTests", dependencies: ["Ingestion", "ServerFacts", "TestSupport", "COpenSSL", "CJOSE"]),
    .testTarget(name: "StorageTests", dependencies: ["Storage", "Reporting", "PostgreSQL", "TestSupport", "CSQLite"]),
    .testTarget(name: "PostgreSQLTests", dependencies: ["PostgreSQL", "TestSupport"]),
    .testTarget(name: "HTTPServerTests", dependencies: ["HTTPServer", "TestSupport"]),
    .testTarget(name: "ServerTests", dependencies: ["Server", "PostgreSQL", "TestSupport"]),
    .testTarget(
      name: "SystemTests",
      dependencies: ["osg-analytics", "client-process", "TestSupport", "CSQLite"],
      resources: [.copy("Fixtures")]),
  ],
  swiftLanguageModes: [.v6]
)
