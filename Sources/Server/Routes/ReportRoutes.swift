import AnalyticsContract
import HTTPServer
import Ingestion
import Reporting

/// The admin reports.
struct ReportRoutes: Sendable {
  let store: any ReportStore
  let clock: UTCClock

  private static let prefix: StaticString = "/v1/admin/analytics/"

  func add(to router: inout Router, behind scope: ScopedRoutes) {
    router.add(
      below: Self.prefix,
      scope.guarded(
        .admin, Endpoint(route: .reports, methods: [.get], bodyLimit: 0) { await answer($0) }))
  }

  private func answer(_ request: Request) async -> Answer {
    guard let report = Report(rawValue: String(request.path.dropFirst(Self.prefix.utf8CodeUnitCount))) else {
      return .error(.notFound)
    }
    let now = clock.now
    let query: ReportQuery
    do throws(QueryError) { query = try ReportQuery(request.query, today: now.day) } catch {
      return .error(
        .validationFailed, parameters: error.problems.map { ($0.parameter?.rawValue ?? "", $0.rule) })
    }
    do {
      let answer = try await store.answer(report, query, at: now)
      return switch query.format {
      case .json: Answer(status: 200, body: answer.json())
      case .csv:
        Answer(
          status: 200, contentType: ReportAnswer.csvType,
          headers: [("Content-Disposition", "inline; filename=\"\(report.rawValue).csv\"")], body: answer.csv())
      }
    } catch {
      return .error(error as? StoreFailure == .defect ? .internal : .unavailable)
    }
  }
}
