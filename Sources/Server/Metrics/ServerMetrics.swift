import AnalyticsContract
import Ingestion
import ServerFacts

/// What the server measures, each name with `osg_analytics_` in front. A metric is one declaration here: the registry
/// finds every stored property that is one and shows it in this order.
public final class ServerMetrics: Sendable {
  /// Answers, by where the request went and the status.
  public let httpRequests = CounterFamily<LabelPair<Route, StatusLabel>>(
    "http_requests_total", "Requests answered, by route and status code.")

  /// From the whole request being there to the answer being handed over.
  public let httpRequestDuration = DurationFamily<Route>(
    "http_request_duration_seconds", "Time to answer a request, by route.", buckets: Buckets.latency)

  /// Requests without an answer yet.
  public let httpRequestsInFlight = Gauge("http_requests_in_flight", "Requests being answered now.")

  /// Batches answered, by what became of them.
  public let batches = CounterFamily<LabelPair<IngestionEndpoint, BatchOutcome>>(
    "batches_total", "Batches taken or refused; replayed means that every item was stored before.")

  /// Items of batches that were taken.
  public let items = CounterFamily<LabelPair<IngestionEndpoint, ItemOutcome>>(
    "items_total", "Events and summaries of batches that were taken.")

  /// Batches refused, by the error code in the answer.
  public let rejectedBatches = CounterFamily<LabelPair<IngestionEndpoint, ErrorCode>>(
    "rejected_batches_total", "Batches refused, by error code.")

  /// Facts of the account server that were taken.
  public let facts = CounterFamily<ItemOutcome>("facts_total", "Facts that the account server stated and were taken.")

  /// Signed transactions that could not be verified.
  public let storeKitRefusals = CounterFamily<StoreKitRefusal>(
    "storekit_refusals_total", "Signed StoreKit transactions that were not believed, by reason.")

  /// Batches that shared one transaction.
  public let groupBatches = Histogram(
    "group_batches", "Batches committed in one transaction.", buckets: Buckets.batches)

  /// Items that shared one transaction.
  public let groupItems = Histogram("group_items", "Items committed in one transaction.", buckets: Buckets.items)

  /// Batches that wait for the writer.
  public let queueBatches = Gauge("queue_batches", "Batches waiting to be committed.")

  /// The size of what waits for the writer.
  public let queueBytes = Gauge("queue_bytes", "Bytes of the batches waiting to be committed.")

  /// A whole transaction, its durable commit included.
  public let commitDuration = Histogram(
    "commit_duration_seconds", "Time to write and commit one group.", buckets: Buckets.disk)

  /// Groups that were rolled back for a reason that is no batch's own.
  public let commitFailures = CounterFamily<StoreFailure>(
    "commit_failures_total", "Groups that could not be committed, by reason.")

  /// One checkpoint of the write-ahead log.
  public let checkpointDuration = Histogram(
    "checkpoint_duration_seconds", "Time of one write-ahead log checkpoint.", buckets: Buckets.disk)

  /// Rows that retention removed.
  public let retentionRemoved = CounterFamily<RetentionStep>(
    "retention_removed_total", "Rows that retention removed, by what they were.")

  /// When this process last did retention to the end.
  public let retentionCompleted = Gauge(
    "retention_completed_timestamp_seconds", "When this server last completed retention; 0 where it has not yet.")

  /// Access tokens looked at.
  public let sessionsChecked = CounterFamily<SessionCheckResult>(
    "sessions_checked_total", "Access tokens checked, by result.")

  /// Which build this is.
  public let buildInfo: InfoMetric

  /// Everything above and the process metrics. Further sources may be registered.
  public let registry: MetricsRegistry

  /// What goes in front of the names of this product.
  public static let prefix: StaticString = "osg_analytics_"

  /// All metrics at 0.
  ///
  /// - Parameter version: the product's version, for `build_info`.
  public init(version: StaticString) {
    buildInfo = InfoMetric("build_info", "The running build.", [("version", version)])
    registry = MetricsRegistry()
    registry.register(membersOf: self, prefix: Self.prefix)
    registry.register(ProcessMetrics())
  }
}

/// The bounds that the histograms above share.
private enum Buckets {
  /// 0.5 ms to 10 s: what a client waits for.
  static let latency: [Duration] = [
    .microseconds(500), .milliseconds(1), .microseconds(2_500), .milliseconds(5), .milliseconds(10),
    .milliseconds(25), .milliseconds(50), .milliseconds(100), .milliseconds(250), .milliseconds(500), .seconds(1),
    .milliseconds(2_500), .seconds(5), .seconds(10),
  ]
  /// 0.1 ms to 10 s: what a disk does.
  static let disk: [Duration] = [.microseconds(100), .microseconds(250)] + latency
  static let batches = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1_024]
  static let items = [1, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 25_000]
}
