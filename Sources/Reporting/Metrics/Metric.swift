import AnalyticsContract

/// One figure of a report: what it is called, what it means, and how it is calculated. The answers, the headers of CSV, the
/// command line's tables and docs/ANALYTICS_METRICS_DICTIONARY.md all come from here.
public struct Metric: Sendable {
  /// The name in answers and documents.
  public let name: String
  /// What it is counted in.
  public let unit: MetricUnit
  /// What it is calculated from.
  public let source: MetricSource
  /// How, in words.
  public let formula: String
  /// What to know before drawing conclusions from it.
  public let caveat: String?

  let calculation: MetricCalculation

  init(
    _ name: String, _ unit: MetricUnit, _ source: MetricSource, _ calculation: MetricCalculation, _ formula: String,
    caveat: String? = nil
  ) {
    self.name = name
    self.unit = unit
    self.source = source
    self.calculation = calculation
    self.formula = formula
    self.caveat = caveat
  }

  /// Whether the figures of a range's days add up to the figure of the range.
  public var isAdditive: Bool {
    switch calculation {
    case .sum, .activated: true
    case .difference(let left, let right): left.isAdditive && right.isAdditive
    case .distinct, .trailing, .stickiness, .ratio: false
    }
  }
}

/// What a metric is counted in.
public enum MetricUnit: String, CaseIterable, Sendable {
  case installations, accounts, events, items, batches, views, characters, sessions, operations, credits, transactions
  case referrals, registrations
  /// A number without a unit, from 0 to 1 unless its formula says otherwise.
  case ratio
  /// Characters in a session.
  case charactersPerSession = "characters per session"
  /// Credits of an account.
  case creditsPerAccount = "credits per account"
  /// An amount in the currency of its row, as a decimal text with three decimals.
  case money
}

/// What metrics are calculated from.
public enum MetricSource: String, CaseIterable, Sendable {
  /// Totals of the events that were accepted, by the day on which they happened.
  case events
  /// Sets of installations by day.
  case installations
  /// Totals of keyboard usage summaries, by their date.
  case summaries = "keyboard usage summaries"
  /// What the account server stated about accounts.
  case accounts
  /// Credits that the account server settled.
  case settlements
  /// Transactions of the App Store that were verified.
  case transactions = "verified StoreKit transactions"
  /// What the account server stated about referrals.
  case referrals
  /// Views of invitation pages, by the day of the view.
  case invitationPages = "invitation pages"
  /// What was received, by the day of receipt.
  case receipts
}

/// How a metric is calculated for some days.
indirect enum MetricCalculation: Sendable {
  /// The sum of daily counts.
  case sum([DaySeries])
  /// Installations that were activated, by the day of their first open.
  case activated
  /// Distinct installations or accounts.
  case distinct(DistinctCount)
  /// Distinct active installations in so many days that end with the day.
  case trailing(days: Int32)
  /// Mean of the daily active in 28 days, divided by the distinct ones in these days.
  case stickiness
  /// One sum divided by another.
  case ratio([Metric], [Metric])
  case difference(Metric, Metric)
}

/// A count by day that adds up.
enum DaySeries: Hashable, Sendable {
  case events(EventSelection)
  case usage(UsageCounter)
  case registrations, linkedInstallations, invitationViews
  case settlements, credits
  case purchases, refunds, gross, refunded
  case bound, qualified, rewarded, creditsAwarded
  case acceptedItems, acceptedEvents, replayedItems, rejectedBatches
}

/// Which events are counted.
struct EventSelection: Hashable, Sendable {
  var type: EventType
  /// Whether AI_FEATURE_FAILED must have the category CANCELLED, or must not; `nil` where it does not matter.
  var isCancelled: Bool?
  /// `nil` where it does not matter.
  var mode: ExecutionMode?

  init(_ type: EventType, isCancelled: Bool? = nil, mode: ExecutionMode? = nil) {
    self.type = type
    self.isCancelled = isCancelled
    self.mode = mode
  }

  func matches(_ total: EventTotal) -> Bool {
    guard total.type == type else { return false }
    if let isCancelled, (total.code(of: .failureCategory) == FailureCategory.cancelled.code) != isCancelled {
      return false
    }
    return mode.map { total.code(of: .executionMode) == $0.code } ?? true
  }
}

/// Whom a distinct count counts.
public enum DistinctCount: CaseIterable, Sendable {
  /// Installations with an event of surface APP or KEYBOARD.
  case active
  /// Installations with an event of surface APP.
  case activeInApp
  /// Installations with an event of surface KEYBOARD.
  case activeInKeyboard
  /// Installations with any AI event.
  case ai
  /// Installations with PURCHASE_VIEWED.
  case purchaseViewed
  /// Installations with PURCHASE_STARTED.
  case purchaseStarted
  /// Installations with PURCHASE_CANCELLED.
  case purchaseCancelled
  /// Installations with a keyboard usage summary.
  case reporting
  /// Accounts with a settlement.
  case spendingAccounts
  /// Accounts with a production purchase.
  case purchasingAccounts

  /// The kinds of sets whose union it counts; none for accounts.
  var sets: [SetKind] {
    switch self {
    case .active: [.activeInApp, .activeInKeyboard]
    case .activeInApp: [.activeInApp]
    case .activeInKeyboard: [.activeInKeyboard]
    case .ai: [.ai]
    case .purchaseViewed: [.purchaseViewed]
    case .purchaseStarted: [.purchaseStarted]
    case .purchaseCancelled: [.purchaseCancelled]
    case .reporting: [.usageReported]
    case .spendingAccounts, .purchasingAccounts: []
    }
  }
}

/// The value of a metric.
public enum MetricValue: Sendable, Equatable {
  case integer(Int64)
  case ratio(Double)
  /// Thousandths of a unit of the currency.
  case money(Int64)
  /// There is no value: the denominator is 0, or the identity that it would need has gone.
  case null
}
