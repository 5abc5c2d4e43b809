import AnalyticsContract
import ServerFacts
import TestSupport

/// The authority of the tests that need none of their own: making keys takes a while.
let storeKit = StoreKitAuthority()

/// What verifying gives.
typealias StoreKitResult = Result<StoreKitTransaction, StoreKitRefusal>

/// Verifies a JWS as a server would that trusts an authority.
func verify(
  _ jws: [UInt8], trusting authority: StoreKitAuthority = storeKit, bundleIDs: Set<String> = [StoreKitPayload.bundleID],
  allowsSandbox: Bool = false
) -> StoreKitResult {
  let verifier = StoreKitVerifier(
    .init(rootFingerprints: [authority.rootFingerprint], bundleIDs: bundleIDs, allowsSandbox: allowsSandbox))
  return jws.withUnsafeBufferPointer { buffer in
    do throws(StoreKitRefusal) { return .success(try verifier.verify(buffer)) } catch { return .failure(error) }
  }
}

func verify(_ jws: String, trusting authority: StoreKitAuthority = storeKit) -> StoreKitResult {
  verify(Array(jws.utf8), trusting: authority)
}

/// Verifies the sample with some members changed, signed as it should be.
func verify(_ changes: [String: String?]) -> StoreKitResult {
  verify(storeKit.sign(StoreKitPayload(changes).json))
}

extension StoreKitResult {
  var transaction: StoreKitTransaction? { try? get() }

  var refusal: StoreKitRefusal? {
    if case .failure(let refusal) = self { refusal } else { nil }
  }
}
