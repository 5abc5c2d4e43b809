import AnalyticsContract

/// What the installations of a set have in common. The raw values are permanent: databases hold them.
public enum SetKind: UInt8, CaseIterable, Sendable {
  /// Erased: taken out of all sets of the day. Only ever on the way to the sets, never one of them.
  case erased = 0
  /// An event of surface APP on the day.
  case activeInApp = 1
  /// An event of surface KEYBOARD on the day.
  case activeInKeyboard = 2
  /// An AI event on the day.
  case ai = 3
  /// PURCHASE_VIEWED on the day.
  case purchaseViewed = 4
  /// PURCHASE_STARTED on the day.
  case purchaseStarted = 5
  /// PURCHASE_CANCELLED on the day.
  case purchaseCancelled = 6
  /// A keyboard usage summary of the day.
  case usageReported = 7
  /// An event of surface APP or KEYBOARD on the day with the app version that the label names; an empty label: without.
  case appVersion = 8
  /// The same with the version of the operating system.
  case osVersion = 9
  /// FIRST_OPEN on the day, with the acquisition channel whose code is the label.
  case firstOpen = 10
  /// The same, and an AI success from that instant to seven times 24 hours later.
  case activated = 11
}

/// Names one set: a kind on a day, with a label where the kind has one.
public struct SetKey: Hashable, Sendable {
  /// What its installations have in common.
  public var kind: SetKind
  /// The day.
  public var day: CalendarDay
  /// A version, or a channel's code; else empty. At most 32 bytes.
  public var label: String

  /// - Parameters:
  ///   - kind: what its installations have in common.
  ///   - day: the day.
  ///   - label: a version, or a channel's code.
  public init(_ kind: SetKind, _ day: CalendarDay, label: String = "") {
    self.kind = kind
    self.day = day
    self.label = label
  }
}

extension ActivityKinds {
  /// The kinds of sets that these kinds of activity mean. AI successes are in no set of their own: see
  /// ``SetKind/activated``.
  public var sets: [SetKind] {
    var kinds: [SetKind] = []
    if contains(.app) { kinds.append(.activeInApp) }
    if contains(.keyboard) { kinds.append(.activeInKeyboard) }
    if contains(.ai) { kinds.append(.ai) }
    if contains(.purchaseViewed) { kinds.append(.purchaseViewed) }
    if contains(.purchaseStarted) { kinds.append(.purchaseStarted) }
    if contains(.purchaseCancelled) { kinds.append(.purchaseCancelled) }
    if contains(.usageReported) { kinds.append(.usageReported) }
    return kinds
  }
}
