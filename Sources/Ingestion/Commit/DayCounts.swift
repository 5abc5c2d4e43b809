import AnalyticsContract

/// What is counted by day without being any batch's: it is added to the totals together with a group of batches, or
/// alone.
public struct DayCounts: Sendable, Equatable {
  /// Refused requests to the ingestion endpoints.
  public var rejections: RejectionCounts
  /// Views of invitation pages, by the UTC day of the view.
  public var invitationViews: [CalendarDay: Int]

  /// - Parameters:
  ///   - rejections: refused requests to the ingestion endpoints.
  ///   - invitationViews: views of invitation pages, by the UTC day of the view.
  public init(rejections: RejectionCounts = .init(), invitationViews: [CalendarDay: Int] = [:]) {
    self.rejections = rejections
    self.invitationViews = invitationViews
  }

  /// Whether nothing was counted.
  public var isEmpty: Bool { rejections.isEmpty && invitationViews.isEmpty }
}

/// How many requests to the ingestion endpoints were refused on a day, by error code.
public struct RejectionCounts: Sendable, Equatable {
  /// A day and an error code.
  public struct Key: Hashable, Sendable {
    /// The UTC day of receipt.
    public let day: CalendarDay
    /// Why they were refused.
    public let code: ErrorCode
  }

  /// The counts.
  public private(set) var counts: [Key: Int] = [:]

  /// No count.
  public init() {}

  /// Whether nothing was counted.
  public var isEmpty: Bool { counts.isEmpty }

  /// Counts one more, or several.
  public mutating func add(_ code: ErrorCode, on day: CalendarDay, count: Int = 1) {
    counts[Key(day: day, code: code), default: 0] += count
  }

  /// Adds all of another's counts.
  public mutating func add(_ other: RejectionCounts) { counts.merge(other.counts, uniquingKeysWith: +) }
}
