import AnalyticsContract

/// A report's answer, in no form yet.
public struct ReportAnswer: Sendable, Equatable {
  /// The report.
  public let report: Report
  /// What it was asked about.
  public let query: ReportQuery
  /// When the database was read.
  public let generatedAt: Instant
  /// The figures of the whole range, in the order of the definition.
  public var totals: [MetricValue] = []
  /// The same of as many days before, where the report has them.
  public var previousTotals: [MetricValue]?
  /// The figures of each period.
  public var series: [Row] = []
  /// The tables that divide the range by something else, in the order of the definition.
  public var breakdowns: [[BreakdownRow]] = []
  /// The cohorts, where the report has them.
  public var cohorts: [Cohort] = []
  /// The metrics that have no value somewhere because the identity that they would need has gone.
  public var unavailable: Set<String> = []

  /// The figures of a period.
  public struct Row: Sendable, Equatable {
    /// The period.
    public let period: Period
    /// Its figures.
    public let values: [MetricValue]
  }

  /// The figures of a key.
  public struct BreakdownRow: Sendable, Equatable {
    /// The key; `nil` for an absent version.
    public let key: String?
    /// Its figures.
    public let values: [MetricValue]
  }

  /// The installations whose first open lay in a period.
  public struct Cohort: Sendable, Equatable {
    /// The period.
    public let period: Period
    /// How many they are.
    public let size: MetricValue
    /// How many were active on each of ``ReportDefinition/retentionDays``.
    public let retained: [MetricValue]
  }

  /// - Parameters:
  ///   - report: the report.
  ///   - query: what it was asked about.
  ///   - generatedAt: when the database was read.
  public init(report: Report, query: ReportQuery, generatedAt: Instant) {
    self.report = report
    self.query = query
    self.generatedAt = generatedAt
  }

  /// The metrics of the series' columns.
  public var seriesMetrics: [Metric] {
    report.definition.metrics + (query.granularity == .day ? report.definition.dayMetrics : [])
  }
}
