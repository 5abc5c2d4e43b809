import AnalyticsContract

/// The reports there are.
public enum Report: String, CaseIterable, Sendable {
  case overview, acquisition, engagement, retention, ai, credits, monetization, referrals, keyboard, quality

  /// What it shows.
  public var definition: ReportDefinition {
    switch self {
    case .overview: .overview
    case .acquisition: .acquisition
    case .engagement: .engagement
    case .retention: .retention
    case .ai: .ai
    case .credits: .credits
    case .monetization: .monetization
    case .referrals: .referrals
    case .keyboard: .keyboard
    case .quality: .quality
    }
  }
}

/// What a report shows.
public struct ReportDefinition: Sendable {
  /// What it answers, in a sentence.
  public let question: String
  /// The figures of its totals and of each period.
  public var metrics: [Metric] = []
  /// Further figures of a series by day.
  public var dayMetrics: [Metric] = []
  /// The tables that divide the range by something else than time.
  public var breakdowns: [Breakdown] = []
  /// Whether the totals of as many days before are shown too.
  public var hasPreviousTotals = false
  /// Whether it has cohorts in place of totals and a series.
  public var hasCohorts = false

  /// A table that divides the range by something else than time.
  public struct Breakdown: Sendable {
    /// What it divides by.
    public let dimension: BreakdownDimension
    /// The figures of each row.
    public let metrics: [Metric]
  }

  /// The days after the first open for which a cohort's retention is shown.
  public static let retentionDays: [Int32] = [1, 3, 7, 14, 28]
}

/// What a breakdown divides by.
public enum BreakdownDimension: String, CaseIterable, Sendable {
  case channel, feature, executionMode, surface, failureCategory, durationBucket, appVersion, osVersion
  case currency, product, reason, lateness

  /// The keys where they are a closed set, in its order.
  var closedKeys: [(key: BreakdownKey, name: String)]? {
    func keys<Value: CatalogValue>(_ type: Value.Type) -> [(key: BreakdownKey, name: String)] {
      type.allCases.map { (.code($0.code), $0.name) }
    }
    return switch self {
    case .channel: keys(AcquisitionChannel.self)
    case .feature: keys(Feature.self)
    case .executionMode: keys(ExecutionMode.self)
    case .surface: keys(Surface.self)
    case .failureCategory: keys(FailureCategory.self)
    case .durationBucket: keys(DurationBucket.self)
    case .lateness: keys(Lateness.self)
    case .reason: Self.reasons.map { (.status($0.status), $0.wireName.description) }
    case .appVersion, .osVersion, .currency, .product: nil
    }
  }

  /// The errors in the 4xx range that the ingestion endpoints can answer with.
  static let reasons = ErrorCode.allCases.filter {
    (400..<500).contains($0.status) && $0 != .forbidden && $0 != .notFound
  }

  /// Whether its keys are versions: ranked, the rare ones together.
  var isVersion: Bool { self == .appVersion || self == .osVersion }

  /// The dimension of events that it is.
  var eventDimension: Dimension? {
    switch self {
    case .channel: .acquisitionChannel
    case .feature: .feature
    case .executionMode: .executionMode
    case .failureCategory: .failureCategory
    case .durationBucket: .durationBucket
    case .surface, .appVersion, .osVersion, .currency, .product, .reason, .lateness: nil
    }
  }
}

/// The key of a row of a breakdown.
enum BreakdownKey: Hashable, Sendable {
  case code(UInt8)
  case status(Int)
  case text(String)
}
