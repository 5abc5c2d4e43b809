import AnalyticsContract

/// Reads a transaction's members, of which some are believed only after the signature holds. Members that are not
/// mentioned here may be there and are stepped over.
struct StoreKitPayload: ~Copyable {
  private let members: JSONObject

  /// When the App Store existed: an instant outside is no date of it. The last is the first millisecond of 2100.
  private static let milliseconds: ClosedRange<Int64> = 1_199_145_600_000...4_102_444_800_000

  /// - Parameter bytes: the payload of the JWS.
  /// - Throws: `payload` where it is no JSON object.
  init(_ bytes: [UInt8]) throws(StoreKitRefusal) {
    guard let members = JSONObject(bytes) else { throw .payload }
    self.members = members
  }

  /// When the transaction was signed: what the chain is validated at, before anything is believed.
  var signedAt: Instant {
    get throws(StoreKitRefusal) { try required(try instant("signedDate")) }
  }

  /// The transaction, for after the signature holds.
  /// - Parameter configuration: which apps and environments are accepted.
  /// - Returns: the transaction.
  /// - Throws: `bundle`, `environment` or `payload`.
  func transaction(_ configuration: StoreKitVerifier.Configuration) throws(StoreKitRefusal) -> StoreKitTransaction {
    guard let bundle = try text("bundleId"), configuration.bundleIDs.contains(bundle) else { throw .bundle }
    let environment = try named("environment", StoreKitEnvironment.self, \.name, otherwise: .environment)
    if environment == .sandbox, !configuration.allowsSandbox { throw .environment }
    return StoreKitTransaction(
      transactionID: try identifier("transactionId", atMost: 64),
      originalTransactionID: try identifier("originalTransactionId", atMost: 64),
      productID: try identifier("productId", atMost: 128),
      type: try named("type", StoreKitProductType.self, \.name, otherwise: .payload),
      quantity: Int32(try required(try integer("quantity", in: 1...Int64(Int32.max)))),
      purchasedAt: try required(try instant("purchaseDate")),
      price: try integer("price", in: 0...Int64.max),
      currency: try letters("currency"),
      refundedAt: try instant("revocationDate"),
      environment: environment,
      storefront: try letters("storefront"),
      account: try account())
  }

  private func required<Value>(_ value: Value?) throws(StoreKitRefusal) -> Value {
    guard let value else { throw .payload }
    return value
  }

  private func text(_ name: StaticString) throws(StoreKitRefusal) -> String? {
    guard let member = members[name] else { return nil }
    return try required(member.text)
  }

  private func integer(_ name: StaticString, in range: ClosedRange<Int64>) throws(StoreKitRefusal) -> Int64? {
    guard let member = members[name] else { return nil }
    guard let value = member.integer, range.contains(value) else { throw .payload }
    return value
  }

  private func instant(_ name: StaticString) throws(StoreKitRefusal) -> Instant? {
    try integer(name, in: Self.milliseconds).map { Instant(microseconds: $0 * 1000) }
  }

  private func identifier(_ name: StaticString, atMost length: Int) throws(StoreKitRefusal) -> String {
    let value = try required(try text(name))
    guard (1...length).contains(value.utf8.count), value.utf8.allSatisfy(Self.isIdentifying) else { throw .payload }
    return value
  }

  private func letters(_ name: StaticString) throws(StoreKitRefusal) -> String? {
    guard let value = try text(name) else { return nil }
    guard value.utf8.count == 3, value.utf8.allSatisfy({ (0x41...0x5A).contains($0) }) else { throw .payload }
    return value
  }

  private func account() throws(StoreKitRefusal) -> UUIDValue? {
    guard let value = try text("appAccountToken") else { return nil }
    let account = try required(UUIDValue(text: value))
    return account.isNil ? nil : account
  }

  private func named<Value: CaseIterable>(
    _ member: StaticString, _: Value.Type, _ name: KeyPath<Value, StaticString>, otherwise refusal: StoreKitRefusal
  ) throws(StoreKitRefusal) -> Value {
    let text = members[member]?.text
    guard let value = Value.allCases.first(where: { "\($0[keyPath: name])" == text }) else { throw refusal }
    return value
  }

  private static func isIdentifying(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"):
      true
    default: false
    }
  }
}
