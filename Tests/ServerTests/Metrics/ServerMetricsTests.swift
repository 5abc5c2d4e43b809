import AnalyticsContract
import Glibc
import Ingestion
import ServerFacts
import TestSupport
import Testing

@testable import Server

@Suite struct ServerMetricsTests {
  private func page(_ metrics: ServerMetrics) throws -> PrometheusPage {
    try PrometheusPage(String(decoding: metrics.registry.render(), as: UTF8.self))
  }

  @Test func theFirstPageHasEverySeriesAtZero() throws {
    let page = try page(ServerMetrics(version: "1.2.3"))
    let own = [
      "http_requests_total", "http_request_duration_seconds", "http_requests_in_flight", "batches_total",
      "items_total", "rejected_batches_total", "facts_total", "storekit_refusals_total", "group_batches", "group_items",
      "queue_batches", "queue_bytes", "commit_duration_seconds", "commit_failures_total",
      "checkpoint_duration_seconds", "retention_removed_total", "retention_completed_timestamp_seconds",
      "sessions_checked_total", "build_info",
    ]
    #expect(page.order.filter { $0.hasPrefix("osg_analytics_") } == own.map { "osg_analytics_" + $0 })
    for name in own where name != "build_info" {
      #expect(page.families["osg_analytics_" + name]?.samples.allSatisfy { $0.value == 0 } == true)
    }
    #expect(page.value("osg_analytics_build_info", ["version": "1.2.3"]) == 1)
    #expect(page.families.values.allSatisfy { !$0.help.isEmpty })
    #expect(page.order.allSatisfy { $0.hasSuffix("_total") == (page.families[$0]?.type == "counter") })
  }

  @Test func anAnswerIsCountedByRouteAndStatus() throws {
    let metrics = ServerMetrics(version: "1")
    metrics.recordAnswer(route: .events, status: 200, duration: .milliseconds(3))
    metrics.recordAnswer(route: .events, status: 418, duration: .seconds(11))
    let page = try page(metrics)
    let route = "/v1/analytics/events"
    #expect(page.value("osg_analytics_http_requests_total", ["route": route, "status": "200"]) == 1)
    #expect(page.value("osg_analytics_http_requests_total", ["route": route, "status": "other"]) == 1)
    let buckets = "osg_analytics_http_request_duration_seconds_bucket"
    #expect(page.value(buckets, ["route": route, "le": "0.0025"]) == 0)
    #expect(page.value(buckets, ["route": route, "le": "0.005"]) == 1)
    #expect(page.value(buckets, ["route": route, "le": "10"]) == 1)
    #expect(page.value(buckets, ["route": route, "le": "+Inf"]) == 2)
    #expect(page.value("osg_analytics_http_request_duration_seconds_sum", ["route": route]) == 11.003)
  }

  @Test func batchesAndTheirItemsAreCountedTogether() throws {
    let metrics = ServerMetrics(version: "1")
    metrics.recordBatch(.events, accepted: 3, replayed: 2)
    metrics.recordBatch(.events, accepted: 0, replayed: 5)
    metrics.recordBatch(.keyboardUsage, accepted: 1, replayed: 0)
    metrics.recordRejection(.events, .validationFailed)
    metrics.recordCommit(batches: 3, items: 11, duration: .milliseconds(4))
    let page = try page(metrics)
    let batches = "osg_analytics_batches_total"
    #expect(page.value(batches, ["endpoint": "events", "outcome": "accepted"]) == 1)
    #expect(page.value(batches, ["endpoint": "events", "outcome": "replayed"]) == 1)
    #expect(page.value(batches, ["endpoint": "events", "outcome": "rejected"]) == 1)
    #expect(page.value(batches, ["endpoint": "keyboard_usage", "outcome": "accepted"]) == 1)
    #expect(page.value("osg_analytics_items_total", ["endpoint": "events", "outcome": "accepted"]) == 3)
    #expect(page.value("osg_analytics_items_total", ["endpoint": "events", "outcome": "replayed"]) == 7)
    let rejected = "osg_analytics_rejected_batches_total"
    #expect(page.value(rejected, ["endpoint": "events", "code": "validation_failed"]) == 1)
    #expect(page.value("osg_analytics_group_batches_sum") == 3)
    #expect(page.value("osg_analytics_group_items_sum") == 11)
    #expect(page.value("osg_analytics_commit_duration_seconds_sum") == 0.004)
  }

  @Test func lostLogLinesShow() throws {
    let metrics = ServerMetrics(version: "1")
    let capture = LogCapture(clientWarningsPerSecond: 1)
    metrics.observe(capture.logger)
    for _ in 0..<3 { capture.logger.clientWarning("noise") }
    let page = try page(metrics)
    #expect(page.value("osg_analytics_log_lines_suppressed_total") == 2)
    #expect(page.value("osg_analytics_log_lines_dropped_total") == 0)
  }

  @Test func statusLabelsAreTheCodesOfTheContract() {
    let codes = [200, 400, 401, 403, 404, 405, 408, 409, 413, 415, 422, 429, 500, 503]
    #expect(StatusLabel.allCases.map { "\($0.label)" } == codes.map(String.init) + ["other"])
    #expect(codes.map { "\(StatusLabel(code: $0).label)" } == codes.map(String.init))
    for code in [Int.min, -1, 0, 199, 201, 302, 418, 502, Int.max] { #expect(StatusLabel(code: code) == .other) }
  }

  @Test func everyLabelSetIsDenseAndItsLabelsDiffer() {
    func check<Label: MetricLabel>(_ type: Label.Type) {
      #expect(Label.allCases.map(\.ordinal) == Array(0..<Label.allCases.count))
      #expect(Set(Label.allCases.map { "\($0.label)" }).count == Label.allCases.count)
    }
    check(Route.self)
    check(StatusLabel.self)
    check(IngestionEndpoint.self)
    check(BatchOutcome.self)
    check(ItemOutcome.self)
    check(ErrorCode.self)
    check(StoreFailure.self)
    check(SessionCheckResult.self)
    check(RetentionStep.self)
    check(StoreKitRefusal.self)
  }
}

@Suite struct ProcessMetricsTests {
  @Test func tellsTheTruthAboutThisProcess() throws {
    let registry = MetricsRegistry()
    registry.register(ProcessMetrics())
    let page = try PrometheusPage(String(decoding: registry.render(), as: UTF8.self))
    #expect(page.order == ProcessMetrics().names.map { "\($0)" })
    let resident = try #require(page.value("process_resident_memory_bytes"))
    let virtual = try #require(page.value("process_virtual_memory_bytes"))
    #expect(resident > 1_048_576 && virtual >= resident)
    #expect(try #require(page.value("process_cpu_seconds_total")) > 0)
    let open = try #require(page.value("process_open_fds"))
    let limit = try #require(page.value("process_max_fds"))
    #expect(open >= 3 && open <= limit)
    #expect(try #require(page.value("process_start_time_seconds")) > 1_600_000_000)
  }

  @Test func countsDescriptorsThatAreOpened() async {
    // In a process of its own: other tests open descriptors at the same time. What the process itself opens or closes
    // meanwhile is a handful beside these.
    await #expect(processExitsWith: .success) {
      let before = try #require(ProcessFacts.openDescriptors())
      let descriptors = (0..<500).map { _ in open("/dev/null", O_RDONLY) }
      #expect(descriptors.allSatisfy { $0 >= 0 })
      let after = try #require(ProcessFacts.openDescriptors())
      #expect((490...510).contains(after - before))
      descriptors.forEach { close($0) }
      #expect(abs(try #require(ProcessFacts.openDescriptors()) - before) <= 10)
    }
  }
}

@Suite struct PrometheusPageTests {
  @Test(arguments: [
    "a 1", "a 1\n", "# HELP a x\na 1\n", "# TYPE a counter\na 1\n", "# HELP a x\n# TYPE a counter\na 1\na 1\n",
    "# HELP a x\n# TYPE a counter\nb 1\n", "# HELP a x\n# TYPE a counter\na -1\n", "# HELP a x\n# TYPE a counter\na\n",
    "# HELP a x\n# TYPE a counter\na x\n", "# HELP a x\n# TYPE a counter\na inf\n",
    "# HELP a x\n# TYPE a counter\na{b=\"c} 1\n", "# HELP a x\n# TYPE a counter\na{b=\"\\t\"} 1\n",
    "# HELP a x\n# TYPE a counter\na{} 1\n", "# HELP a \\t\n# TYPE a counter\na 1\n", "# HELP a x\n# TYPE a thing\n",
    "# HELP 1a x\n# TYPE 1a gauge\n", "# HELP h x\n# TYPE h histogram\nh_bucket{le=\"1\"} 1\nh_sum 1\nh_count 1\n",
    "# HELP h x\n# TYPE h histogram\nh_bucket{le=\"1\"} 2\nh_bucket{le=\"+Inf\"} 1\nh_sum 1\nh_count 1\n",
    "# HELP h x\n# TYPE h histogram\nh_bucket{le=\"+Inf\"} 1\nh_sum 1\nh_count 2\n",
  ]) func refusesWhatIsNotTheFormat(_ text: String) {
    #expect(throws: PrometheusPage.Violation.self) { try PrometheusPage(text) }
  }
}
