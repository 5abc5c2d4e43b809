import AnalyticsContract
import HTTPServer
import Ingestion
import ServerFacts

/// The endpoint at which the account server states facts.
struct FactRoutes: Sendable {
  let store: any FactStore
  let clock: UTCClock
  let metrics: ServerMetrics
  let verify: FactDecoder.Verifier

  /// - Parameters:
  ///   - store: where facts are kept.
  ///   - clock: the server's clock.
  ///   - metrics: where outcomes are counted.
  ///   - verifier: verifies signed transactions.
  init(store: any FactStore, clock: UTCClock, metrics: ServerMetrics, verifier: StoreKitVerifier) {
    self.store = store
    self.clock = clock
    self.metrics = metrics
    self.verify = { (text) throws(StoreKitRefusal) in
      do throws(StoreKitRefusal) { return try verifier.verify(text) } catch {
        metrics.storeKitRefusals[error].increment()
        throw error
      }
    }
  }

  func add(to router: inout Router, behind scope: ScopedRoutes) {
    router.add(
      "/v1/server/facts",
      scope.guarded(
        .server,
        Endpoint(route: .facts, methods: [.post], bodyLimit: FactLimits.maximumBodyBytes) { await answer($0) }))
  }

  private func answer(_ request: Request) async -> Answer {
    let now = clock.now
    let facts: [Fact]
    do throws(BatchRejection) {
      switch request.jsonBody {
      case .failure(let failure): return .error(failure.code, violations: failure.violations)
      case .success(let bytes):
        let decoder = FactDecoder(at: now, verify: verify)
        // Verifying five hundred transactions takes longer than any other request may wait.
        facts = try await onOwnThread { () throws(BatchRejection) in try decoder.decode(bytes) }
      }
    } catch {
      return .error(error.code, violations: error.violations)
    }
    do throws(StoreFailure) {
      switch try await store.state(facts, at: now) {
      case .stored(let accepted, let replayed, _):
        metrics.facts[.accepted].increment(by: UInt64(clamping: accepted))
        metrics.facts[.replayed].increment(by: UInt64(clamping: replayed))
        return .counts(accepted: accepted, replayed: replayed)
      case .conflict: return .error(.conflict)
      }
    } catch {
      return .error(error == .defect ? .internal : .unavailable)
    }
  }
}
