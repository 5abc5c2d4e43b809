import AnalyticsContract

/// What was bought. The codes are permanent: databases hold them.
public enum StoreKitProductType: UInt8, CaseIterable, Sendable {
  /// A subscription that goes on until it is cancelled.
  case autoRenewableSubscription = 1
  /// Something that is bought once.
  case nonConsumable = 2
  /// Something that is used up.
  case consumable = 3
  /// A subscription that ends by itself.
  case nonRenewingSubscription = 4

  /// The value in a transaction.
  public var name: StaticString {
    switch self {
    case .autoRenewableSubscription: "Auto-Renewable Subscription"
    case .nonConsumable: "Non-Consumable"
    case .consumable: "Consumable"
    case .nonRenewingSubscription: "Non-Renewing Subscription"
    }
  }
}

/// Where a transaction took place. The codes are permanent: databases hold them.
public enum StoreKitEnvironment: UInt8, CaseIterable, Sendable {
  /// The App Store.
  case production = 1
  /// A test: no money was paid.
  case sandbox = 2

  /// The value in a transaction.
  public var name: StaticString {
    switch self {
    case .production: "Production"
    case .sandbox: "Sandbox"
    }
  }
}

/// What is kept of a verified App Store transaction.
///
/// The three identifiers are of `A-Z a-z 0-9 . - _` and bounded, so that nothing else can come into a database by them.
public struct StoreKitTransaction: Sendable, Hashable, Redacted {
  /// The transaction, in 1 to 64 characters.
  public let transactionID: String
  /// The first transaction of the same purchase, in 1 to 64 characters.
  public let originalTransactionID: String
  /// The product, in 1 to 128 characters.
  public let productID: String
  /// What kind of product it is.
  public let type: StoreKitProductType
  /// How many were bought, at least 1.
  public let quantity: Int32
  /// When it was bought, to the millisecond.
  public let purchasedAt: Instant
  /// The price in thousandths of the currency's unit, not negative; absent in older transactions.
  public let price: Int64?
  /// The currency of the price, in 3 letters `A-Z`; absent in older transactions.
  public let currency: String?
  /// When it was refunded or revoked, to the millisecond.
  public var refundedAt: Instant?
  /// Where it took place.
  public let environment: StoreKitEnvironment
  /// The country of the store, in 3 letters `A-Z`; absent in older transactions.
  public let storefront: String?
  /// The account that the app named when it was bought; never the nil UUID.
  public var account: UUIDValue?

  /// - Parameters:
  ///   - transactionID: the transaction.
  ///   - originalTransactionID: the first transaction of the same purchase.
  ///   - productID: the product.
  ///   - type: what kind of product it is.
  ///   - quantity: how many were bought.
  ///   - purchasedAt: when it was bought.
  ///   - price: the price in thousandths of the currency's unit.
  ///   - currency: the currency of the price.
  ///   - refundedAt: when it was refunded or revoked.
  ///   - environment: where it took place.
  ///   - storefront: the country of the store.
  ///   - account: the account that the app named.
  public init(
    transactionID: String, originalTransactionID: String, productID: String, type: StoreKitProductType,
    quantity: Int32, purchasedAt: Instant, price: Int64?, currency: String?, refundedAt: Instant?,
    environment: StoreKitEnvironment, storefront: String?, account: UUIDValue?
  ) {
    self.transactionID = transactionID
    self.originalTransactionID = originalTransactionID
    self.productID = productID
    self.type = type
    self.quantity = quantity
    self.purchasedAt = purchasedAt
    self.price = price
    self.currency = currency
    self.refundedAt = refundedAt
    self.environment = environment
    self.storefront = storefront
    self.account = account
  }
}
