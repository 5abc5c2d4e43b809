import Foundation
import TestSupport

/// One row of the table of facts, copied from the contract and not from the product's code.
struct FactRow: Sendable, CustomStringConvertible {
  /// What the value of a member looks like.
  enum Kind: Sendable { case uuid, digest, instant, feature, credits, transaction }

  var type: String
  /// The members of this type, by name.
  var members: [String: Kind]

  var description: String { type }

  static let all = [
    FactRow(type: "ACCOUNT_CREATED", members: ["accountId": .uuid]),
    FactRow(type: "ACCOUNT_DELETED", members: ["accountId": .uuid]),
    FactRow(type: "SESSION_ISSUED", members: ["accountId": .uuid, "tokenDigest": .digest, "expiresAt": .instant]),
    FactRow(type: "SESSION_REVOKED", members: ["tokenDigest": .digest]),
    FactRow(
      type: "CREDITS_SETTLED",
      members: ["accountId": .uuid, "settlementId": .uuid, "feature": .feature, "credits": .credits]),
    FactRow(type: "STOREKIT_TRANSACTION", members: ["signedTransaction": .transaction]),
    FactRow(type: "REFERRAL_CODE_ISSUED", members: ["accountId": .uuid, "codeDigest": .digest]),
    FactRow(type: "REFERRAL_CODE_REVOKED", members: ["codeDigest": .digest]),
    FactRow(
      type: "REFERRAL_BOUND",
      members: ["referralId": .uuid, "inviterAccountId": .uuid, "inviteeAccountId": .uuid]),
    FactRow(type: "REFERRAL_QUALIFIED", members: ["referralId": .uuid]),
    FactRow(type: "REFERRAL_REWARDED", members: ["referralId": .uuid, "credits": .credits]),
  ]

  /// Every member that belongs to a type.
  static let members = all.reduce(into: [String: Kind]()) { $0.merge($1.members) { first, _ in first } }

  static func row(_ type: String) -> FactRow { all.first { $0.type == type }! }
}

/// Makes valid facts with identifiers of their own.
struct WireFacts {
  /// Who signs the transactions of all tests.
  static let authority = StoreKitAuthority()
  static let path = "/v1/server/facts"

  var bodies: WireBodies
  /// When the facts occur.
  var time = "2026-11-29T10:00:00.000Z"

  init(seed: String) { bodies = WireBodies(seed: "facts " + seed) }

  mutating func uuid() -> String { bodies.uuid() }

  /// 64 hexadecimal digits.
  mutating func digest() -> String {
    (bodies.uuid() + bodies.uuid()).lowercased().filter { $0 != "-" }
  }

  /// A fact with everything that its type has; some members may be given.
  mutating func fact(_ type: String, _ given: [String: String] = [:]) -> WireItem {
    var fact = WireItem()
    fact["factId"] = uuid()
    fact["type"] = type
    fact["occurredAt"] = time
    for (name, kind) in FactRow.row(type).members.sorted(by: { $0.key < $1.key }) {
      switch kind {
      case .uuid: fact[name] = given[name] ?? uuid()
      case .digest: fact[name] = given[name] ?? digest()
      case .instant: fact[name] = given[name] ?? "2026-12-29T10:00:00.000Z"
      case .feature: fact[name] = given[name] ?? "POLISH"
      case .credits: fact.set(name, json: given[name] ?? "250")
      case .transaction: fact[name] = given[name] ?? transaction()
      }
    }
    return fact
  }

  /// The signed text of a transaction of its own; values are JSON, and nil leaves a member out.
  mutating func transaction(_ changes: [String: String?] = [:]) -> String {
    let number = String(2_000_000_000_000_000 + Int(bodies.generator.next() % 1_000_000_000_000))
    let own: [String: String?] = [
      "transactionId": "\"\(number)\"", "originalTransactionId": "\"\(number)\"", "appAccountToken": "\"\(uuid())\"",
    ]
    return Self.authority.sign(StoreKitPayload(own.merging(changes) { $1 }).json)
  }

  static func json(_ facts: [WireItem]) -> String { "{\"facts\":[\(facts.map(\.json).joined(separator: ","))]}" }
}

/// A server that takes facts, and the token to state them.
struct FactServer {
  let server: ServerProcess
  let token: String

  var port: UInt16 { server.port }

  func state(_ facts: [WireItem]) throws -> HTTPReply { try send(WireFacts.json(facts)) }

  func send(_ body: String, headers: [(String, String)] = jsonHeaders) throws -> HTTPReply {
    try exchange(path: WireFacts.path, port: port, headers: headers + [bearer(token)], body: Array(body.utf8))
  }

  /// How many rows each table of facts has.
  func counts() throws -> [String: Int] {
    let database = try server.openDatabase()
    defer { database.close() }
    let tables = FactTables.all + ["facts"]
    return Dictionary(
      uniqueKeysWithValues: try tables.map { ($0, try database.integer("SELECT count(*) FROM \($0)") ?? -1) })
  }
}

enum FactTables {
  static let all = [
    "accounts", "sessions", "settlements", "storekit_transactions", "referral_codes", "referrals", "deleted_accounts",
    "deleted_registration_day_totals",
  ]

  /// Everything in some tables as text, in an order of its own.
  static func dump(_ database: any DatabaseConnection, _ tables: [String] = all) throws -> [String: [String]] {
    var dump: [String: [String]] = [:]
    for table in tables {
      let columns =
        DatabaseUnderTest.isSQLite
        ? try database.rows("SELECT name FROM pragma_table_info('\(table)')").compactMap { $0[0] }
        : try database.rows(
          """
          SELECT attname FROM pg_attribute
          WHERE attrelid = '\(table)'::regclass AND attnum > 0 AND NOT attisdropped ORDER BY attnum
          """
        ).compactMap { $0[0] }
      let list = columns.map { DatabaseUnderTest.isSQLite ? "quote(\($0))" : "\($0)::text" }.joined(separator: ", ")
      dump[table] = try database.rows("SELECT \(list) FROM \(table)")
        .map { row in zip(columns, row).map { "\($0)=\($1 ?? "NULL")" }.joined(separator: " ") }.sorted()
    }
    return dump
  }
}

let storeKitArguments = [
  "--storekit-root",
  WireFacts.authority.rootFingerprint.withUnsafeBytes { bytes in
    bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
  }, "--storekit-bundle", StoreKitPayload.bundleID,
]

/// Starts a server that takes the facts of ``WireFacts``, and removes it afterwards.
func withFactServer<Value>(
  clock: String? = ServerOptions.fixtureClock, arguments: [String] = [], database: ServerDatabase? = nil,
  isolation: isolated (any Actor)? = #isolation, _ body: (FactServer) async throws -> Value
) async throws -> Value {
  let options = ServerOptions(clock: clock, arguments: storeKitArguments + arguments, database: database)
  return try await withServer(options) { server in
    try await body(FactServer(server: server, token: try server.createToken(scope: "server", name: "facts")))
  }
}

/// What a server counts in its metrics.
func metric(_ name: String, _ labels: [String: String] = [:], port: UInt16) throws -> Double? {
  let reply = try exchange("GET", path: "/metrics", port: port)
  return try PrometheusPage(reply.text).value(name, labels)
}
