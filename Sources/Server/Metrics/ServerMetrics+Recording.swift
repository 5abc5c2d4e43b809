import AnalyticsContract

/// What goes together is counted together, so that the totals always agree.
extension ServerMetrics {
  /// Counts an answer.
  public func recordAnswer(route: Route, status: Int, duration: Duration) {
    httpRequests[route, StatusLabel(code: status)].increment()
    httpRequestDuration[route].observe(duration)
  }

  /// Counts a batch that was taken, and its items.
  public func recordBatch(_ endpoint: IngestionEndpoint, accepted: Int, replayed: Int) {
    batches[endpoint, accepted > 0 ? .accepted : .replayed].increment()
    items[endpoint, .accepted].increment(by: UInt64(clamping: accepted))
    items[endpoint, .replayed].increment(by: UInt64(clamping: replayed))
  }

  /// Counts a batch that was refused.
  public func recordRejection(_ endpoint: IngestionEndpoint, _ code: ErrorCode) {
    batches[endpoint, .rejected].increment()
    rejectedBatches[endpoint, code].increment()
  }

  /// Counts one committed group.
  public func recordCommit(batches: Int, items: Int, duration: Duration) {
    groupBatches.observe(batches)
    groupItems.observe(items)
    commitDuration.observe(duration)
  }

  /// Shows how many log lines were lost or held back.
  public func observe(_ logger: Logger) {
    registry.register(
      ObservedCounter("log_lines_dropped_total", "Log lines lost because the log was not read.") {
        logger.droppedLines
      }, prefix: Self.prefix)
    registry.register(
      ObservedCounter("log_lines_suppressed_total", "Log lines held back by the limit on what clients cause.") {
        logger.suppressedLines
      }, prefix: Self.prefix)
  }
}
