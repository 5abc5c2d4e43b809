import AnalyticsContract
import ServerFacts

/// How the rows of a ledger's table are stored.
struct FactTable<Key: Hashable & Sendable, Record: Equatable & Sendable> {
  let description: TableDescription
  let key: (Key) -> StoredValue
  /// The columns after the key.
  let encode: (Record) -> [StoredValue]
  /// A whole row; `nil` where it was not written by this program.
  let decode: ([StoredValue]) -> (Key, Record)?

  /// Loads the rows that there are of some keys.
  func load<Runner: StatementRunner>(
    _ keys: some Sequence<Key>, into table: inout LedgerTable<Key, Record>, _ runner: Runner
  ) throws(Runner.Failure) {
    for row in try runner.load(description, keys.map(key)) {
      if let (key, record) = decode(row) { table.load(key, record) }
    }
  }

  /// Stores the rows that changed, in the order of their keys.
  func store<Runner: StatementRunner>(
    _ table: LedgerTable<Key, Record>, _ runner: Runner
  ) throws(Runner.Failure) {
    try runner.store(description, table.changes.map { [key($0.key)] + encode($0.record) })
  }
}

/// The tables that facts change, beside those of installations.
enum FactTables {
  static var accounts: FactTable<UUIDValue, AccountRecord> {
    FactTable(
      description: TableDescription(name: "accounts", columns: [("account_id", .uuid), ("created_at", .bigint)]),
      key: { StoredValue($0) }, encode: { [StoredValue($0.createdAt)] },
      decode: { row in row[0].uuid.map { ($0, AccountRecord(createdAt: row[1].instant)) } })
  }

  static var tombstones: FactTable<Digest, TombstoneRecord> {
    FactTable(
      description: TableDescription(
        name: "deleted_accounts",
        columns: [("account_digest", .bytea), ("deleted_at", .bigint), ("created_at", .bigint)]),
      key: { StoredValue($0) }, encode: { [StoredValue($0.deletedAt), StoredValue($0.createdAt)] },
      decode: { row in
        guard let digest = row[0].digest, let deletedAt = row[1].instant else { return nil }
        return (digest, TombstoneRecord(deletedAt: deletedAt, createdAt: row[2].instant))
      })
  }

  static var sessions: FactTable<Digest, SessionRecord> {
    FactTable(
      description: TableDescription(
        name: "sessions",
        columns: [("token_digest", .bytea), ("account_id", .uuid), ("expires_at", .bigint), ("revoked_at", .bigint)]),
      key: { StoredValue($0) },
      encode: { [StoredValue($0.account), StoredValue($0.expiresAt), StoredValue($0.revokedAt)] },
      decode: { row in
        row[0].digest.map {
          ($0, SessionRecord(account: row[1].uuid, expiresAt: row[2].instant, revokedAt: row[3].instant))
        }
      })
  }

  static var settlements: FactTable<UUIDValue, SettlementRecord> {
    FactTable(
      description: TableDescription(
        name: "settlements",
        columns: [
          ("settlement_id", .uuid), ("account_id", .uuid), ("settled_at", .bigint), ("feature", .smallint),
          ("credits", .bigint),
        ]),
      key: { StoredValue($0) },
      encode: { record in
        [
          StoredValue(record.account), StoredValue(record.settledAt), .integer(Int64(record.feature.code)),
          .integer(record.credits),
        ]
      },
      decode: { row in
        guard let id = row[0].uuid, let settledAt = row[2].instant, let credits = row[4].integer,
          let feature = row[3].integer.flatMap({ Feature(rawValue: UInt8(clamping: $0)) })
        else { return nil }
        return (
          id, SettlementRecord(account: row[1].uuid, settledAt: settledAt, feature: feature, credits: credits)
        )
      })
  }

  static var codes: FactTable<Digest, ReferralCodeRecord> {
    FactTable(
      description: TableDescription(
        name: "referral_codes",
        columns: [("code_digest", .bytea), ("account_id", .uuid), ("issued_at", .bigint), ("revoked_at", .bigint)]),
      key: { StoredValue($0) },
      encode: { [StoredValue($0.account), StoredValue($0.issuedAt), StoredValue($0.revokedAt)] },
      decode: { row in
        row[0].digest.map {
          ($0, ReferralCodeRecord(account: row[1].uuid, issuedAt: row[2].instant, revokedAt: row[3].instant))
        }
      })
  }

  static var referrals: FactTable<UUIDValue, ReferralRecord> {
    FactTable(
      description: TableDescription(
        name: "referrals",
        columns: [
          ("referral_id", .uuid), ("inviter_account_id", .uuid), ("invitee_account_id", .uuid), ("bound_at", .bigint),
          ("qualified_at", .bigint), ("rewarded_at", .bigint), ("credits", .bigint),
        ]),
      key: { StoredValue($0) },
      encode: { record in
        [
          StoredValue(record.inviter), StoredValue(record.invitee), StoredValue(record.boundAt),
          StoredValue(record.qualifiedAt), StoredValue(record.rewardedAt), StoredValue(record.credits),
        ]
      },
      decode: { row in
        row[0].uuid.map { id in
          var record = ReferralRecord()
          record.inviter = row[1].uuid
          record.invitee = row[2].uuid
          record.boundAt = row[3].instant
          record.qualifiedAt = row[4].instant
          record.rewardedAt = row[5].instant
          record.credits = row[6].integer
          return (id, record)
        }
      })
  }

  static var transactions: FactTable<String, StoreKitTransaction> {
    FactTable(
      description: TableDescription(
        name: "storekit_transactions",
        columns: [
          ("transaction_id", .text), ("original_transaction_id", .text), ("account_id", .uuid), ("product_id", .text),
          ("product_type", .smallint), ("quantity", .integer), ("purchased_at", .bigint), ("price", .bigint),
          ("currency", .text), ("refunded_at", .bigint), ("environment", .smallint), ("storefront", .text),
        ]),
      key: { .text($0) },
      encode: { transaction in
        [
          .text(transaction.originalTransactionID), StoredValue(transaction.account), .text(transaction.productID),
          .integer(Int64(transaction.type.rawValue)), .integer(Int64(transaction.quantity)),
          StoredValue(transaction.purchasedAt), StoredValue(transaction.price), StoredValue(transaction.currency),
          StoredValue(transaction.refundedAt), .integer(Int64(transaction.environment.rawValue)),
          StoredValue(transaction.storefront),
        ]
      },
      decode: { row in transaction(in: row).map { ($0.transactionID, $0) } })
  }

  private static func transaction(in row: [StoredValue]) -> StoreKitTransaction? {
    guard let id = row[0].text, let original = row[1].text, let product = row[3].text,
      let type = row[4].integer.flatMap({ StoreKitProductType(rawValue: UInt8(clamping: $0)) }),
      let quantity = row[5].integer, let purchasedAt = row[6].instant,
      let environment = row[10].integer.flatMap({ StoreKitEnvironment(rawValue: UInt8(clamping: $0)) })
    else { return nil }
    return StoreKitTransaction(
      transactionID: id, originalTransactionID: original, productID: product, type: type,
      quantity: Int32(clamping: quantity), purchasedAt: purchasedAt, price: row[7].integer, currency: row[8].text,
      refundedAt: row[9].instant, environment: environment, storefront: row[11].text, account: row[2].uuid)
  }

  /// Fact ids are remembered with the day of their receipt, which only storing them needs.
  static func facts(receivedOn day: CalendarDay) -> FactTable<UUIDValue, Digest> {
    FactTable(
      description: TableDescription(
        name: "facts", columns: [("fact_id", .uuid), ("values_digest", .bytea), ("received_day", .integer)]),
      key: { StoredValue($0) }, encode: { [StoredValue($0), StoredValue(day)] },
      decode: { row in
        guard let id = row[0].uuid, let digest = row[1].digest else { return nil }
        return (id, digest)
      })
  }
}
