import AnalyticsContract
import Ingestion

/// What was found about one thing that must hold of a database.
public struct CheckFinding: Sendable, Equatable {
  /// What must hold, in a few words.
  public let rule: String
  /// How many rows, days or groups break it.
  public let violations: Int64

  /// - Parameters:
  ///   - rule: what must hold, in a few words.
  ///   - violations: how many rows, days or groups break it.
  public init(rule: String, violations: Int64) {
    self.rule = rule
    self.violations = violations
  }
}

/// A database that can prove that it holds what it must, and nothing else.
public protocol CheckStore: Sendable {
  /// Reads the whole database, as it is at one moment.
  /// - Parameter now: the server's clock.
  /// - Returns: what was found, rule by rule.
  /// - Throws: where the database can't be read.
  func check(at now: Instant) async throws(StoreFailure) -> [CheckFinding]
}
