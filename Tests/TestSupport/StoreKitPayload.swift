import AnalyticsContract

/// The JSON of a transaction as the App Store has it, with every member that is read and some that are not.
public struct StoreKitPayload: Sendable {
  /// Each member's value as JSON.
  public var members: [String: String] = [
    "transactionId": #""2000000412345678""#,
    "originalTransactionId": #""2000000398765432""#,
    "webOrderLineItemId": #""2000000041234567""#,
    "bundleId": #""com.example.keyboard""#,
    "productId": #""com.example.keyboard.pro_monthly-1""#,
    "subscriptionGroupIdentifier": #""21234567""#,
    "purchaseDate": "1699999990123",
    "originalPurchaseDate": "1699000000000",
    "expiresDate": "1702591990000",
    "quantity": "1",
    "type": #""Auto-Renewable Subscription""#,
    "appAccountToken": #""5d0f9c0e-8f43-4d4e-b0a3-0f6d2f6a7c55""#,
    "inAppOwnershipType": #""PURCHASED""#,
    "signedDate": "\(StoreKitAuthority.signedAt.microseconds / 1000)",
    "environment": #""Production""#,
    "transactionReason": #""PURCHASE""#,
    "storefront": #""USA""#,
    "storefrontId": #""143441""#,
    "price": "9990",
    "currency": #""USD""#,
    "isUpgraded": "false",
    "advancedCommerceInfo": #"{"items":[{"SKU":"a"}]}"#,
  ]

  /// The app that the sample is of.
  public static let bundleID = "com.example.keyboard"

  /// A sample with some members changed.
  /// - Parameter changes: values as JSON; `nil` leaves a member out.
  public init(_ changes: [String: String?] = [:]) {
    for (name, value) in changes { members[name] = value }
  }

  /// The whole object.
  public var json: String {
    "{" + members.sorted { $0.key < $1.key }.map { "\"\($0.key)\":\($0.value)" }.joined(separator: ",") + "}"
  }
}
