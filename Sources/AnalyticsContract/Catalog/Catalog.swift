/// The event catalog: which type may happen on which surface with which dimensions.
///
/// This table is the only place that knows. Decoder, storage, client and documents derive from it, so adding an event
/// type means adding its case to ``EventType``, its row here, and, for the client, its constructor to ``EventKind``.
public enum Catalog {
  /// One row for each event type, in the order of the types' codes.
  public static let events: [EventRule] = [
    EventRule(.firstOpen, on: [.app], required: [.acquisitionChannel]),
    EventRule(.sessionStarted, on: [.app, .keyboard]),
    EventRule(.keyboardActivated, on: [.keyboard]),
    EventRule(.aiFeatureStarted, on: Surface.allCases, required: [.feature, .executionMode]),
    EventRule(.aiFeatureSucceeded, on: Surface.allCases, required: [.feature, .executionMode, .durationBucket]),
    EventRule(
      .aiFeatureFailed, on: Surface.allCases, required: [.feature, .executionMode, .failureCategory],
      optional: [.durationBucket]),
    EventRule(.purchaseViewed, on: [.app]),
    EventRule(.purchaseStarted, on: [.app]),
    EventRule(
      .purchaseCancelled, on: [.app], required: [.failureCategory],
      fixed: .init(.failureCategory, FailureCategory.cancelled)),
    EventRule(.referralShared, on: [.app]),
    EventRule(
      .inviteOpened, on: [.inviteWeb], required: [.acquisitionChannel],
      fixed: .init(.acquisitionChannel, AcquisitionChannel.referral)),
  ]

  /// The row of a type.
  public static func rule(for type: EventType) -> EventRule { events[Int(type.code) - 1] }
}

/// One row of the catalog.
public struct EventRule: Sendable {
  /// A required dimension that has one allowed value only.
  public struct FixedValue: Sendable {
    /// The dimension.
    public let dimension: Dimension
    /// The code of its only value.
    public let code: UInt8

    init(_ dimension: Dimension, _ value: some CatalogValue) {
      self.dimension = dimension
      code = value.code
    }
  }

  /// The type that the row describes.
  public let type: EventType
  /// The surfaces on which it may happen.
  public let surfaces: [Surface]
  /// The dimensions that it must carry.
  public let required: [Dimension]
  /// The dimensions that it may carry. Every other one is refused.
  public let optional: [Dimension]
  /// The dimension that it must carry with one value, if any.
  public let fixed: FixedValue?

  // The same as bits, so that a valid event is recognised by three comparisons.
  private let surfaceBits: UInt8
  private let requiredBits: UInt8
  private let allowedBits: UInt8

  init(
    _ type: EventType, on surfaces: [Surface], required: [Dimension] = [], optional: [Dimension] = [],
    fixed: FixedValue? = nil
  ) {
    self.type = type
    self.surfaces = surfaces
    self.required = required
    self.optional = optional
    self.fixed = fixed
    surfaceBits = surfaces.reduce(0) { $0 | 1 << $1.code }
    requiredBits = required.reduce(0) { $0 | 1 << $1.rawValue }
    allowedBits = optional.reduce(requiredBits) { $0 | 1 << $1.rawValue }
  }

  /// Whether a kind of this row's type has an allowed surface, all required dimensions and no other.
  public func allows(_ kind: EventKind) -> Bool {
    let present = kind.presentDimensions
    return surfaceBits & 1 << kind.surface.code != 0 && present & requiredBits == requiredBits
      && present & ~allowedBits == 0 && (fixed.map { kind.code(of: $0.dimension) == $0.code } ?? true)
  }

  /// What is wrong with a kind of this row's type, as the member and the rule it breaks; empty where it is allowed.
  public func violations(of kind: EventKind) -> [(member: WireMember, rule: ViolationRule)] {
    var found: [(WireMember, ViolationRule)] = []
    if !surfaces.contains(kind.surface) { found.append((.surface, .notAllowed)) }
    for dimension in Dimension.allCases {
      let code = kind.code(of: dimension)
      if code == 0, required.contains(dimension) {
        found.append((dimension.member, .required))
      } else if code != 0, !required.contains(dimension), !optional.contains(dimension) {
        found.append((dimension.member, .notAllowed))
      } else if code != 0, let fixed, fixed.dimension == dimension, fixed.code != code {
        found.append((dimension.member, .notAllowed))
      }
    }
    return found
  }
}
