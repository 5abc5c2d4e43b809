import AnalyticsContract
import Ingestion
import ServerFacts

// The closed sets of other modules, as labels.

extension IngestionEndpoint: MetricLabel {
  /// `endpoint`.
  public static var labelName: StaticString { "endpoint" }

  /// The endpoint's name.
  public var label: StaticString {
    switch self {
    case .events: "events"
    case .keyboardUsage: "keyboard_usage"
    }
  }
}

extension ErrorCode: MetricLabel {
  /// `code`.
  public static var labelName: StaticString { "code" }

  /// The code as the error body has it.
  public var label: StaticString { wireName }
}

extension StoreFailure: MetricLabel {
  /// Every reason, then the defect.
  public static var allCases: [StoreFailure] { StoreFailureReason.allCases.map { .unavailable($0) } + [.defect] }

  /// `reason`.
  public static var labelName: StaticString { "reason" }

  /// The reason's name.
  public var label: StaticString {
    switch self {
    case .unavailable(let reason): reason.label
    case .defect: "defect"
    }
  }
}

extension StoreKitRefusal: MetricLabel {
  /// `reason`.
  public static var labelName: StaticString { "reason" }
}

extension RetentionStep: MetricLabel {
  /// `step`.
  public static var labelName: StaticString { "step" }

  /// The step's name.
  public var label: StaticString {
    switch self {
    case .events: "events"
    case .summaries: "summaries"
    case .sets: "sets"
    case .activity: "activity"
    case .installations: "installations"
    case .sessions: "sessions"
    case .sessionRevocations: "session_revocations"
    case .codeRevocations: "code_revocations"
    case .tombstones: "tombstones"
    case .factIDs: "fact_ids"
    }
  }
}
