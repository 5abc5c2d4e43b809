import AnalyticsContract
import AppStoreStandIn
import ServerFacts

/// An App Store of the demonstration's own: it signs purchases, and the verifier trusts its root and nothing else.
struct DemoAppStore {
  private let authority: StoreKitAuthority
  let verifier: StoreKitVerifier

  private static let bundleID = "com.example.keyboard"

  init(_ days: ClosedRange<CalendarDay>) {
    func certificate(_ certificate: StoreKitAuthority.Certificate) -> StoreKitAuthority.Certificate {
      certificate.with {
        $0.key = "P-256"
        $0.validFrom = days.lowerBound.advanced(by: -1).start
        $0.validUntil = days.upperBound.advanced(by: 30).start
      }
    }
    authority = StoreKitAuthority(
      root: certificate(.root), intermediate: certificate(.intermediate), leaf: certificate(.leaf))
    verifier = StoreKitVerifier(
      StoreKitVerifier.Configuration(rootFingerprints: [authority.rootFingerprint], bundleIDs: [Self.bundleID]))
  }

  /// A transaction as the App Store would sign it.
  func sign(
    _ purchase: DemoDay.Purchase, transaction: UInt64, account: UUIDValue, refundedAt: Instant?
  ) -> String {
    let signedAt = refundedAt ?? purchase.at
    let refund = refundedAt.map { ",\"revocationDate\":\($0.microseconds / 1000)" } ?? ""
    return authority.sign(
      """
      {"transactionId":"\(transaction)","originalTransactionId":"\(transaction)","bundleId":"\(Self.bundleID)",\
      "productId":"\(purchase.product.id)","type":"\(purchase.product.type)","quantity":1,\
      "purchaseDate":\(purchase.at.microseconds / 1000),"signedDate":\(signedAt.microseconds / 1000),\
      "environment":"Production","price":\(purchase.product.price),"currency":"\(purchase.currency.code)",\
      "storefront":"\(purchase.currency.storefront)","appAccountToken":"\(account.text())"\(refund)}
      """)
  }
}
