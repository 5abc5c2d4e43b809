import AnalyticsContract

/// Why a body is no batch: what it breaks, at most ``ContractLimits/maximumViolations``, the structural first.
public struct BatchRejection: Error, Sendable, Equatable {
  /// The violations found; at least one.
  public let violations: [Violation]

  /// `invalidRequest` where the structure is wrong, `validationFailed` where only values are.
  public var code: ErrorCode { violations[0].rule.isStructural ? .invalidRequest : .validationFailed }
}

/// Collects what a body breaks, within bounds whatever the body holds.
package struct ViolationList {
  private var structural: [Violation] = []
  private var values: [Violation] = []

  package init() {}

  /// Whether nothing was found.
  package var isEmpty: Bool { structural.isEmpty && values.isEmpty }

  package mutating func append(_ violation: Violation) {
    if violation.rule.isStructural {
      if structural.count < ContractLimits.maximumViolations { structural.append(violation) }
    } else if values.count < ContractLimits.maximumViolations {
      values.append(violation)
    }
  }

  package var rejection: BatchRejection {
    BatchRejection(violations: Array((structural + values).prefix(ContractLimits.maximumViolations)))
  }
}
