import AnalyticsContract

/// What reports need of a database: all of it as it is at one moment. Days of ranges are both included; what is zero need
/// not be there.
public protocol ReportSource {
  /// Why it could not be read.
  associatedtype Failure: Error

  /// What the database can answer about at all.
  func bounds() throws(Failure) -> DataBounds

  /// Totals of events.
  func eventTotals(_ query: EventTotalsQuery, _ body: (EventTotal) -> Void) throws(Failure)

  /// Totals of keyboard usage summaries, counter by counter.
  func usageTotals(_ days: ClosedRange<CalendarDay>, _ body: (CalendarDay, [Int64]) -> Void) throws(Failure)

  /// Items by the day of their receipt.
  func receiptTotals(_ days: ClosedRange<CalendarDay>, _ body: (ReceiptTotal) -> Void) throws(Failure)

  /// Rejected batches by day and HTTP status.
  func rejectionTotals(_ days: ClosedRange<CalendarDay>, _ body: (CalendarDay, Int, Int64) -> Void) throws(Failure)

  /// Numbers by day, and the credits that go with them where there are any.
  func dayCounts(
    _ source: DayCountSource, _ days: ClosedRange<CalendarDay>, _ body: (CalendarDay, Int64, Int64) -> Void
  ) throws(Failure)

  /// Settlements by day and feature: number and credits.
  func settlements(_ days: ClosedRange<CalendarDay>, _ body: (CalendarDay, UInt8, Int64, Int64) -> Void) throws(Failure)

  /// Production transactions.
  func transactions(_ days: ClosedRange<CalendarDay>, _ body: (TransactionTotal) -> Void) throws(Failure)

  /// The accounts with a settlement or a purchase, by day, as numbers that mean one account each within this call.
  func accounts(
    _ source: AccountSource, _ days: ClosedRange<CalendarDay>, _ body: (CalendarDay, UInt32) -> Void
  ) throws(Failure)

  /// Sets of installations, those that erasures took out left out. Each set may come in several parts,
  /// which may overlap; each part is the caller's to keep and change.
  func sets(
    _ kinds: Set<SetKind>, _ days: ClosedRange<CalendarDay>, _ body: (SetKey, InstallationSet) -> Void
  ) throws(Failure)

  /// What was sealed of days.
  func sealedDays(_ days: ClosedRange<CalendarDay>, _ body: (SealedDay) -> Void) throws(Failure)

  /// What was sealed of cohorts: those of the days up to ``DataBounds/cohortsSealedThrough``.
  func sealedCohorts(_ days: ClosedRange<CalendarDay>, _ body: (SealedCohort) -> Void) throws(Failure)
}

/// What a database can answer about.
public struct DataBounds: Sendable, Equatable {
  /// The first day with any event or summary; `nil` where there is none.
  public var firstDay: CalendarDay?
  /// The first day with a settlement; `nil` where there is none.
  public var firstSettlement: CalendarDay?
  /// The first day with a purchase; `nil` where there is none.
  public var firstPurchase: CalendarDay?
  /// The last day whose cohort is sealed; `nil` where none is.
  public var cohortsSealedThrough: CalendarDay?

  /// Of an empty database.
  public init() {}
}

/// Which totals of events are wanted, and by what.
public struct EventTotalsQuery: Sendable {
  /// The days on which they happened.
  public var days: ClosedRange<CalendarDay>
  /// The types, in order.
  public var types: [EventType]
  /// Whether they are wanted by surface.
  public var bySurface = false
  /// The dimensions by which they are wanted.
  public var dimensions: Set<Dimension> = []
  /// Whether they are wanted by app version.
  public var byAppVersion = false
}

/// A number of events of one day that have in common what was asked for; the rest is 0 or empty.
public struct EventTotal {
  /// The day on which they happened.
  public var day: CalendarDay
  /// Their type.
  public var type: EventType
  /// The code of their surface.
  public var surface: UInt8
  /// Codes by the raw value of the dimension; 0 for absent.
  public var codes: SIMD8<UInt8>
  /// Their app version; empty for absent.
  public var appVersion: String
  /// How many.
  public var count: Int64

  /// - Parameters:
  ///   - day: the day on which they happened.
  ///   - type: their type.
  ///   - count: how many.
  public init(day: CalendarDay, type: EventType, count: Int64) {
    self.day = day
    self.type = type
    self.count = count
    surface = 0
    codes = .zero
    appVersion = ""
  }

  func code(of dimension: Dimension) -> UInt8 { codes[Int(dimension.rawValue)] }
}

/// A number of items that were received on a day.
public struct ReceiptTotal: Sendable {
  /// The day of receipt.
  public var day: CalendarDay
  /// Whether they are events; summaries otherwise.
  public var isEvent: Bool
  /// Whether they were new; repeated otherwise.
  public var isAccepted: Bool
  /// The code of their lateness; 0 for none.
  public var lateness: UInt8
  /// Their app version; empty for absent.
  public var appVersion: String
  /// How many.
  public var count: Int64

  /// - Parameters:
  ///   - day: the day of receipt.
  ///   - isEvent: whether they are events.
  ///   - isAccepted: whether they were new.
  ///   - lateness: the code of their lateness.
  ///   - appVersion: their app version.
  ///   - count: how many.
  public init(
    day: CalendarDay, isEvent: Bool, isAccepted: Bool, lateness: UInt8, appVersion: String, count: Int64
  ) {
    self.day = day
    self.isEvent = isEvent
    self.isAccepted = isAccepted
    self.lateness = lateness
    self.appVersion = appVersion
    self.count = count
  }
}

/// Production transactions of one day, currency and product.
public struct TransactionTotal: Sendable {
  /// The day of the purchase, or of the refund.
  public var day: CalendarDay
  /// Whether they are refunds.
  public var isRefund: Bool
  /// Their currency; `nil` where the transaction names none.
  public var currency: String?
  /// Their product.
  public var product: String
  /// How many.
  public var count: Int64
  /// The sum of their prices in thousandths.
  public var price: Int64

  /// - Parameters:
  ///   - day: the day of the purchase, or of the refund.
  ///   - isRefund: whether they are refunds.
  ///   - currency: their currency.
  ///   - product: their product.
  ///   - count: how many.
  ///   - price: the sum of their prices in thousandths.
  public init(day: CalendarDay, isRefund: Bool, currency: String?, product: String, count: Int64, price: Int64) {
    self.day = day
    self.isRefund = isRefund
    self.currency = currency
    self.product = product
    self.count = count
    self.price = price
  }
}

/// Where numbers by day come from.
public enum DayCountSource: CaseIterable, Sendable {
  case registrations, linkedInstallations, invitationViews, bound, qualified, rewarded
}

/// Where accounts are looked for.
public enum AccountSource: Sendable {
  case settlements, purchases
}

/// What was sealed of a day.
public struct SealedDay: Sendable {
  /// The day.
  public var day: CalendarDay
  /// Its distinct counts.
  public var counts: [DistinctCount: Int64]
  /// Distinct active installations in the 7 days that end with it.
  public var weeklyActive: Int64
  /// The same for 28 days.
  public var monthlyActive: Int64

  /// - Parameters:
  ///   - day: the day.
  ///   - counts: its distinct counts.
  ///   - weeklyActive: distinct active installations in the 7 days that end with it.
  ///   - monthlyActive: the same for 28 days.
  public init(day: CalendarDay, counts: [DistinctCount: Int64], weeklyActive: Int64, monthlyActive: Int64) {
    self.day = day
    self.counts = counts
    self.weeklyActive = weeklyActive
    self.monthlyActive = monthlyActive
  }
}

/// What was sealed of the installations whose first open lay on a day, by channel.
public struct SealedCohort: Sendable {
  /// The day.
  public var day: CalendarDay
  /// The code of their channel.
  public var channel: UInt8
  /// How many.
  public var size: Int64
  /// How many of them were activated.
  public var activated: Int64
  /// How many were active on each of ``ReportDefinition/retentionDays``.
  public var retained: [Int64]

  /// - Parameters:
  ///   - day: the day.
  ///   - channel: the code of their channel.
  ///   - size: how many.
  ///   - activated: how many of them were activated.
  ///   - retained: how many were active on each of ``ReportDefinition/retentionDays``.
  public init(day: CalendarDay, channel: UInt8, size: Int64, activated: Int64, retained: [Int64]) {
    self.day = day
    self.channel = channel
    self.size = size
    self.activated = activated
    self.retained = retained
  }
}
