import HTTPServer
import Ingestion

/// What operators and their machines ask for.
struct OperationRoutes: Sendable {
  let metrics: ServerMetrics
  /// Makes sure that the database can be read and written.
  let probe: @Sendable () async throws(StoreFailure) -> Void

  /// `/healthz`: the process answers. `/readyz`: the database is usable and current, so that traffic may come.
  func addHealth(to router: inout Router) {
    router.add(
      "/healthz", Endpoint(route: .healthz, methods: [.get], bodyLimit: 0) { _ in .status(200, "ok") })
    router.add(
      "/readyz",
      Endpoint(route: .readyz, methods: [.get], bodyLimit: 0) { _ in
        do throws(StoreFailure) {
          try await probe()
          return .status(200, "ready")
        } catch {
          return .error(.unavailable)
        }
      })
  }

  /// `/metrics`, in the text form of Prometheus.
  func addMetrics(to router: inout Router) {
    router.add(
      "/metrics",
      Endpoint(route: .metrics, methods: [.get], bodyLimit: 0) { _ in
        Answer(status: 200, contentType: MetricsRegistry.contentType, body: metrics.registry.render())
      })
  }
}
