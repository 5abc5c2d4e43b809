import AnalyticsContract
import ServerFacts
import TestSupport
import Testing

/// What is read from a transaction whose signature holds.
@Suite struct StoreKitTransactions {
  @Test(arguments: StoreKitAuthority.SignatureForm.allCases)
  func `A signed transaction is read whole, in both forms of a signature`(_ form: StoreKitAuthority.SignatureForm)
    throws
  {
    let transaction = try verify(storeKit.sign(StoreKitPayload().json, form: form)).get()
    #expect(transaction.transactionID == "2000000412345678")
    #expect(transaction.originalTransactionID == "2000000398765432")
    #expect(transaction.productID == "com.example.keyboard.pro_monthly-1")
    #expect(transaction.type == .autoRenewableSubscription)
    #expect(transaction.quantity == 1)
    #expect(transaction.purchasedAt == Instant(microseconds: 1_699_999_990_123_000))
    #expect(transaction.price == 9990)
    #expect(transaction.currency == "USD")
    #expect(transaction.refundedAt == nil)
    #expect(transaction.environment == .production)
    #expect(transaction.storefront == "USA")
    #expect(transaction.account == UUIDValue(text: "5d0f9c0e-8f43-4d4e-b0a3-0f6d2f6a7c55"))
  }

  @Test func `A revocation is a refund`() throws {
    let transaction = try verify(["revocationDate": "1700000000001.0", "revocationReason": "0"]).get()
    #expect(transaction.refundedAt == Instant(microseconds: 1_700_000_000_001_000))
  }

  @Test func `What older transactions don't have may be missing or null`() throws {
    for value in [nil, "null"] as [String?] {
      let names = ["price", "currency", "storefront", "appAccountToken", "revocationDate"]
      let transaction = try verify(Dictionary(uniqueKeysWithValues: names.map { ($0, value) })).get()
      #expect(transaction.price == nil && transaction.currency == nil && transaction.storefront == nil)
      #expect(transaction.account == nil && transaction.refundedAt == nil)
    }
  }

  @Test func `The nil account is none, and letters of either case name one`() throws {
    let withheld = try verify(["appAccountToken": #""00000000-0000-0000-0000-000000000000""#]).get()
    #expect(withheld.account == nil)
    let upper = try verify(["appAccountToken": #""5D0F9C0E-8F43-4D4E-B0A3-0F6D2F6A7C55""#]).get()
    #expect(upper.account == UUIDValue(text: "5d0f9c0e-8f43-4d4e-b0a3-0f6d2f6a7c55"))
  }

  @Test func `Every type of product is told apart, by a permanent code`() throws {
    let codes = [
      "Auto-Renewable Subscription": 1, "Non-Consumable": 2, "Consumable": 3, "Non-Renewing Subscription": 4,
    ]
    for (name, code) in codes {
      #expect(try verify(["type": "\"\(name)\""]).get().type.rawValue == UInt8(code))
    }
    #expect(StoreKitProductType.allCases.count == codes.count)
    #expect(StoreKitEnvironment.production.rawValue == 1 && StoreKitEnvironment.sandbox.rawValue == 2)
  }

  @Test func `Numbers at their bounds are read`() throws {
    #expect(try verify(["quantity": "2147483647"]).get().quantity == .max)
    #expect(try verify(["quantity": "2.0"]).get().quantity == 2)
    #expect(try verify(["price": "0"]).get().price == 0)
    #expect(try verify(["price": "9223372036854775807"]).get().price == .max)
    #expect(verify(["transactionId": "\"" + String(repeating: "9", count: 64) + "\""]).transaction != nil)
    #expect(verify(["productId": "\"" + String(repeating: "Aa0.-_", count: 21) + "zz\""]).transaction != nil)
  }

  @Test(arguments: [
    "transactionId", "originalTransactionId", "productId", "type", "quantity", "purchaseDate", "signedDate",
  ])
  func `A required member that is missing, null or of another type is refused`(_ name: String) {
    for value in [nil, "null", "true", "[]", "{}", "\"\"", "-1", "0", "1.5", "\"1\\u00e9\"", "\"1 2\""] {
      #expect(verify([name: value]).refusal == .payload, "\(name): \(value ?? "missing")")
    }
  }

  @Test(arguments: [
    ("transactionId", "1"), ("transactionId", "\"" + String(repeating: "1", count: 65) + "\""),
    ("originalTransactionId", #""a/b""#), ("productId", "\"" + String(repeating: "a", count: 129) + "\""),
    ("productId", #""a\nb""#), ("productId", #""a'b""#), ("productId", #""пример""#),
    ("type", #""consumable""#), ("type", "3"), ("type", #""""#),
    ("quantity", "2147483648"), ("quantity", "9223372036854775808"), ("quantity", "1e400"), ("quantity", #""1""#),
    ("purchaseDate", "1699999990"), ("purchaseDate", "4102444800001"), ("purchaseDate", #""1699999990123""#),
    ("purchaseDate", "1699999990123.5"), ("purchaseDate", "1e30"), ("purchaseDate", "-1699999990123"),
    ("signedDate", "1699999990"), ("signedDate", "9223372036854775807"), ("signedDate", "9e18"),
    ("revocationDate", "0"), ("revocationDate", "true"), ("revocationDate", #""1700000000001""#),
    ("price", "-1"), ("price", "9.99"), ("price", #""9990""#), ("price", "9223372036854775808"),
    ("currency", #""usd""#), ("currency", #""US""#), ("currency", #""USDT""#), ("currency", "840"),
    ("storefront", #""""#), ("storefront", #""US1""#), ("storefront", "[]"),
    ("appAccountToken", #""5d0f9c0e""#), ("appAccountToken", "1"), ("appAccountToken", #""""#),
  ])
  func `A member outside its bounds is refused`(_ name: String, _ value: String) {
    #expect(verify([name: value]).refusal == .payload)
  }

  @Test func `Another app's transaction is refused`() {
    for value in [#""com.example.other""#, #""COM.EXAMPLE.KEYBOARD""#, #""""#] {
      #expect(verify(["bundleId": value]).refusal == .bundle)
    }
    #expect(verify(["bundleId": nil]).refusal == .bundle)
    #expect(verify(["bundleId": "1"]).refusal == .payload)
    #expect(verify(Array(storeKit.sign(StoreKitPayload().json).utf8), bundleIDs: []).refusal == .bundle)
  }

  @Test func `The sandbox is accepted where it is allowed, and other environments nowhere`() throws {
    let sandbox = Array(storeKit.sign(StoreKitPayload(["environment": #""Sandbox""#]).json).utf8)
    #expect(verify(sandbox).refusal == .environment)
    #expect(try verify(sandbox, allowsSandbox: true).get().environment == .sandbox)
    for value in [nil, "null", "1", #""Xcode""#, #""LocalTesting""#, #""production""#, #""""#] {
      let jws = Array(storeKit.sign(StoreKitPayload(["environment": value]).json).utf8)
      #expect(verify(jws).refusal == .environment)
      #expect(verify(jws, allowsSandbox: true).refusal == .environment)
    }
  }

  @Test(arguments: ["", "null", "[]", "1", "{", "{}x", #"{"a":1,"a":2}"#, "{\"a\":\"\u{1}\"}", #"{"a":"\u0000"}"#])
  func `A payload that is no strict JSON object is refused`(_ payload: String) {
    #expect(verify(storeKit.sign(payload)).refusal == .payload)
  }

  @Test func `Deep nesting is refused`() {
    for count in [3000, 40_000] {
      #expect(verify(storeKit.sign(String(repeating: "[", count: count))).refusal == .payload)
      #expect(verify(["x": String(repeating: "[", count: count / 2)]).refusal == .payload)
    }
    let whole = String(repeating: "[", count: 15_000) + String(repeating: "]", count: 15_000)
    #expect(verify(["x": whole]).refusal == .payload)
    // Longer than what is looked at.
    #expect(verify(storeKit.sign(String(repeating: "[", count: 100_000))).refusal == .malformed)
  }

  @Test func `A transaction shows nothing of itself`() throws {
    let transaction = try verify(storeKit.sign(StoreKitPayload().json)).get()
    var text = "\(transaction) \(String(reflecting: transaction)) \([transaction])"
    dump(transaction, to: &text)
    #expect(text.contains("StoreKitTransaction(redacted)"))
    for secret in ["2000000", "pro_monthly", "9990", "USD", "1699999990", "5d0f9c0e"] {
      #expect(!text.contains(secret))
    }
  }
}
