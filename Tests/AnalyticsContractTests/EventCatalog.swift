import Testing

@testable import AnalyticsContract

/// The catalog of events, judged by the table of the contract's document, which is written out again here.
@Suite struct EventCatalog {
  @Test func `Every combination of values is allowed exactly where the document's table allows it`() {
    var combinations = 0
    var allowed = 0
    var wrong: [EventKind] = []
    forEveryCombination { kind in
      combinations += 1
      let expected = isInTable(kind)
      if expected { allowed += 1 }
      if Catalog.rule(for: kind.type).allows(kind) != expected { wrong.append(kind) }
    }
    #expect(combinations == 11 * 3 * 5 * 7 * 4 * 8 * 6)
    #expect(allowed == 2604)
    #expect(wrong.isEmpty, "first: \(String(describing: wrong.first))")
  }

  @Test func `Every combination's violations are exactly those of the document's table`() {
    var wrong: [EventKind] = []
    forEveryCombination { kind in
      let found = Catalog.rule(for: kind.type).violations(of: kind)
      var bits: UInt16 = 0
      for (member, rule) in found { bits |= bit(member, rule) }
      let expected = expectedViolations(kind)
      if bits != expected || found.count != expected.nonzeroBitCount || found.isEmpty != isInTable(kind) {
        wrong.append(kind)
      }
    }
    #expect(wrong.isEmpty, "first: \(String(describing: wrong.first))")
  }

  @Test func `The constructors build each allowed kind once and no other`() {
    var constructed: [EventKind] = AcquisitionChannel.allCases.map { .firstOpen(acquisitionChannel: $0) }
    constructed += EventKind.AppSurface.allCases.map { .sessionStarted(on: $0) }
    constructed += [
      .keyboardActivated, .purchaseViewed, .purchaseStarted, .purchaseCancelled, .referralShared, .inviteOpened,
    ]
    for feature in Feature.allCases {
      for mode in ExecutionMode.allCases {
        for surface in Surface.allCases {
          constructed.append(.aiFeatureStarted(feature, mode: mode, on: surface))
          for duration in DurationBucket.allCases {
            constructed.append(.aiFeatureSucceeded(feature, mode: mode, on: surface, duration: duration))
          }
          for failure in FailureCategory.allCases {
            constructed.append(.aiFeatureFailed(feature, mode: mode, on: surface, failure: failure))
            for duration in DurationBucket.allCases {
              constructed.append(
                .aiFeatureFailed(feature, mode: mode, on: surface, failure: failure, duration: duration))
            }
          }
        }
      }
    }
    var allowed: Set<EventKind> = []
    forEveryCombination { if isInTable($0) { allowed.insert($0) } }
    #expect(constructed.count == 2604)
    #expect(Set(constructed) == allowed)
  }

  @Test func `Each constructor gives the type and values that its name says`() {
    #expect(
      EventKind.firstOpen(acquisitionChannel: .socialContent)
        == EventKind(type: .firstOpen, surface: .app, acquisitionChannel: .socialContent))
    #expect(EventKind.sessionStarted(on: .app) == EventKind(type: .sessionStarted, surface: .app))
    #expect(EventKind.sessionStarted(on: .keyboard) == EventKind(type: .sessionStarted, surface: .keyboard))
    #expect(EventKind.keyboardActivated == EventKind(type: .keyboardActivated, surface: .keyboard))
    #expect(
      EventKind.aiFeatureStarted(.polish, mode: .local, on: .inviteWeb)
        == EventKind(type: .aiFeatureStarted, surface: .inviteWeb, feature: .polish, executionMode: .local))
    #expect(
      EventKind.aiFeatureSucceeded(.agent, mode: .managed, on: .app, duration: .atLeast30s)
        == EventKind(
          type: .aiFeatureSucceeded, surface: .app, feature: .agent, executionMode: .managed,
          durationBucket: .atLeast30s))
    #expect(
      EventKind.aiFeatureFailed(.other, mode: .byok, on: .keyboard, failure: .timeout)
        == EventKind(
          type: .aiFeatureFailed, surface: .keyboard, feature: .other, executionMode: .byok, failureCategory: .timeout))
    #expect(EventKind.purchaseViewed == EventKind(type: .purchaseViewed, surface: .app))
    #expect(EventKind.purchaseStarted == EventKind(type: .purchaseStarted, surface: .app))
    #expect(
      EventKind.purchaseCancelled == EventKind(type: .purchaseCancelled, surface: .app, failureCategory: .cancelled))
    #expect(EventKind.referralShared == EventKind(type: .referralShared, surface: .app))
    #expect(
      EventKind.inviteOpened == EventKind(type: .inviteOpened, surface: .inviteWeb, acquisitionChannel: .referral))
  }

  @Test func `No two kinds share their packed key`() {
    var keys: Set<UInt64> = []
    forEveryCombination { keys.insert($0.packed) }
    #expect(keys.count == 221_760)
  }

  @Test func `The catalog has one row for each type`() {
    #expect(Catalog.events.map(\.type) == EventType.allCases)
    for type in EventType.allCases { #expect(Catalog.rule(for: type).type == type) }
  }
}

/// Calls a function with every type on every surface with every dimension absent or any value.
private func forEveryCombination(_ body: (EventKind) -> Void) {
  let channels = [nil] + AcquisitionChannel.allCases.map(Optional.some)
  let features = [nil] + Feature.allCases.map(Optional.some)
  let modes = [nil] + ExecutionMode.allCases.map(Optional.some)
  let failures = [nil] + FailureCategory.allCases.map(Optional.some)
  let durations = [nil] + DurationBucket.allCases.map(Optional.some)
  for type in EventType.allCases {
    for surface in Surface.allCases {
      for channel in channels {
        for feature in features {
          for mode in modes {
            for failure in failures {
              for duration in durations {
                body(
                  EventKind(
                    type: type, surface: surface, acquisitionChannel: channel, feature: feature, executionMode: mode,
                    failureCategory: failure, durationBucket: duration))
              }
            }
          }
        }
      }
    }
  }
}

/// Whether the document's table has the combination.
private func isInTable(_ kind: EventKind) -> Bool {
  let hasChannel = kind.acquisitionChannel != nil
  let hasFeature = kind.feature != nil
  let hasMode = kind.executionMode != nil
  let hasFailure = kind.failureCategory != nil
  let hasDuration = kind.durationBucket != nil
  let hasNone = !hasChannel && !hasFeature && !hasMode && !hasFailure && !hasDuration
  switch kind.type {
  case .firstOpen:
    return kind.surface == .app && hasChannel && !hasFeature && !hasMode && !hasFailure && !hasDuration
  case .sessionStarted: return (kind.surface == .app || kind.surface == .keyboard) && hasNone
  case .keyboardActivated: return kind.surface == .keyboard && hasNone
  case .aiFeatureStarted: return !hasChannel && hasFeature && hasMode && !hasFailure && !hasDuration
  case .aiFeatureSucceeded: return !hasChannel && hasFeature && hasMode && !hasFailure && hasDuration
  case .aiFeatureFailed: return !hasChannel && hasFeature && hasMode && hasFailure
  case .purchaseViewed, .purchaseStarted, .referralShared: return kind.surface == .app && hasNone
  case .purchaseCancelled:
    return kind.surface == .app && !hasChannel && !hasFeature && !hasMode && kind.failureCategory == .cancelled
      && !hasDuration
  case .inviteOpened:
    return kind.surface == .inviteWeb && kind.acquisitionChannel == .referral && !hasFeature && !hasMode && !hasFailure
      && !hasDuration
  }
}

private let dimensionMembers: [WireMember] = [
  .acquisitionChannel, .feature, .executionMode, .failureCategory, .durationBucket,
]

/// A bit for each violation that an event's kind can have; the highest for one that it can't.
private func bit(_ member: WireMember, _ rule: ViolationRule) -> UInt16 {
  if member == .surface, rule == .notAllowed { return 1 }
  guard let position = dimensionMembers.firstIndex(of: member) else { return 1 << 15 }
  switch rule {
  case .required: return 2 << UInt16(position)
  case .notAllowed: return 64 << UInt16(position)
  default: return 1 << 15
  }
}

/// The violations of the document's table, as bits.
private func expectedViolations(_ kind: EventKind) -> UInt16 {
  // R: required, O: optional, -: refused; in the order channel, feature, mode, failure, duration.
  let row: StaticString
  let isOnSurface: Bool
  var isFixedValueWrong = [false, false]
  switch kind.type {
  case .firstOpen: (row, isOnSurface) = ("R----", kind.surface == .app)
  case .sessionStarted: (row, isOnSurface) = ("-----", kind.surface != .inviteWeb)
  case .keyboardActivated: (row, isOnSurface) = ("-----", kind.surface == .keyboard)
  case .aiFeatureStarted: (row, isOnSurface) = ("-RR--", true)
  case .aiFeatureSucceeded: (row, isOnSurface) = ("-RR-R", true)
  case .aiFeatureFailed: (row, isOnSurface) = ("-RRRO", true)
  case .purchaseViewed, .purchaseStarted, .referralShared: (row, isOnSurface) = ("-----", kind.surface == .app)
  case .purchaseCancelled:
    (row, isOnSurface) = ("---R-", kind.surface == .app)
    isFixedValueWrong[1] = kind.failureCategory != nil && kind.failureCategory != .cancelled
  case .inviteOpened:
    (row, isOnSurface) = ("R----", kind.surface == .inviteWeb)
    isFixedValueWrong[0] = kind.acquisitionChannel != nil && kind.acquisitionChannel != .referral
  }
  let isPresent = [
    kind.acquisitionChannel != nil, kind.feature != nil, kind.executionMode != nil, kind.failureCategory != nil,
    kind.durationBucket != nil,
  ]
  var bits: UInt16 = isOnSurface ? 0 : 1
  for position in 0..<5 {
    switch (row.utf8Start[position], isPresent[position]) {
    case (UInt8(ascii: "R"), false): bits |= 2 << UInt16(position)
    case (UInt8(ascii: "-"), true): bits |= 64 << UInt16(position)
    default: break
    }
  }
  if isFixedValueWrong[0] { bits |= 64 }
  if isFixedValueWrong[1] { bits |= 64 << 3 }
  return bits
}
