import TestSupport

/// An event that a server took.
struct TakenEvent {
  /// Whose: another number after an erasure.
  var person: Int
  var item: WireItem
  var occurredAt: Int
  var receivedAt: Int
  var isErased = false

  let type: String
  let surface: String
  let appVersion: String?

  init(person: Int, item: WireItem, receivedAt: Int) {
    (self.person, self.item, self.receivedAt) = (person, item, receivedAt)
    occurredAt = ReportCalendar.instant(item["occurredAt"]!)
    (type, surface, appVersion) = (item["eventType"]!, item["surface"]!, item["appVersion"])
  }

  var day: Int { occurredAt / ReportCalendar.microseconds }
  var isActive: Bool { surface == "APP" || surface == "KEYBOARD" }
}

/// A summary that a server took.
struct TakenSummary {
  var person: Int
  var item: WireItem
  var day: Int
  var isErased = false

  func count(_ name: String) -> Int { Int(item.members[name + "Count"]!)! }
}

/// An installation, from its first batch until it is erased.
struct TakenPerson {
  var installation: String
  var account: String?
}

struct TakenSettlement {
  var account: String?
  var day: Int
  var feature: String
  var credits: Int
}

struct TakenTransaction {
  var id: String
  var account: String?
  var product: String
  var isProduction: Bool
  var price: Int?
  var currency: String?
  var purchaseDay: Int
  var refundDay: Int?
}

struct TakenReferralStep {
  var type: String
  var day: Int
  var credits = 0
}

/// Everything that a server took, item by item, and what it must have done with it since.
struct ReportHistory {
  /// What a day's distinct counts were when it was sealed.
  struct SealedDay {
    var counts: [Distinct: Int]
    var weekly: Int
    var monthly: Int
  }

  struct SealedCohort {
    var size = 0
    var activated = 0
    var retained: [Int: Int] = [:]
  }

  /// The server's clock.
  var now = 0
  var people: [TakenPerson] = []
  var events: [TakenEvent] = []
  var summaries: [TakenSummary] = []
  /// Days on which an installation was linked.
  var links: [Int] = []
  /// Days on which an invitation page was shown.
  var views: [Int] = []
  /// Days of receipt and numbers of items.
  var receipts: [(day: Int, accepted: Int, replayed: Int)] = []
  var rejections: [(day: Int, code: String)] = []
  /// The days of ACCOUNT_CREATED.
  var registrations: [Int] = []
  /// The accounts that were deleted, with the day on which they were.
  var deletedAccounts: [String: Int] = [:]
  var settlements: [TakenSettlement] = []
  var transactions: [TakenTransaction] = []
  var referrals: [TakenReferralStep] = []
  var sealed: [Int: SealedDay] = [:]
  /// By day of first open and channel; a day that is here without channels is sealed and empty.
  var sealedCohorts: [Int: [String: SealedCohort]] = [:]

  private var present: [String: Int] = [:]
  private var eventsByKey: [String: Int] = [:]
  private var summariesByKey: [String: Int] = [:]
  private var summariesByDate: [String: Int] = [:]
  private var firstOpened: Set<Int> = []
  /// The events of each day, erased ones too, by index.
  private(set) var eventsByDay: [Int: [Int]] = [:]

  var today: Int { now / ReportCalendar.microseconds }

  init(clock: String) { now = ReportCalendar.instant(clock) }

  func events(_ days: ClosedRange<Int>) -> [TakenEvent] {
    days.flatMap { (eventsByDay[$0] ?? []).map { events[$0] } }
  }

  func account(of installation: String) -> String? { present[installation].flatMap { people[$0].account } }

  /// Judges a batch that breaks no rule of form, and keeps it where it is taken.
  /// - Returns: the counts; nil where something contradicts what is stored.
  mutating func take(_ batch: WireBatch, account: String?) -> Outcome? {
    let before = self
    let isNew = present[batch.installation] == nil
    let person = present[batch.installation] ?? people.count
    if isNew {
      people.append(TakenPerson(installation: batch.installation))
      present[batch.installation] = person
    }
    if let account {
      if let own = people[person].account {
        if own != account { return giveUp(before) }
      } else {
        people[person].account = account
        links.append(today)
      }
    }
    var outcome = Outcome(accepted: 0, replayed: 0)
    for item in batch.items {
      guard let isAccepted = batch.kind == .events ? take(event: item, of: person) : take(summary: item, of: person)
      else { return giveUp(before) }
      if isAccepted { outcome.accepted += 1 } else { outcome.replayed += 1 }
    }
    receipts.append((today, outcome.accepted, outcome.replayed))
    return outcome
  }

  private mutating func giveUp(_ before: ReportHistory) -> Outcome? {
    self = before
    return nil
  }

  /// Whether it is new; nil where it contradicts what is stored.
  private mutating func take(event item: WireItem, of person: Int) -> Bool? {
    let key = "\(person) \(item["clientEventId"]!.lowercased())"
    if let known = eventsByKey[key] { return events[known].item.members == item.members ? false : nil }
    let event = TakenEvent(person: person, item: item, receivedAt: now)
    if event.type == "FIRST_OPEN", !firstOpened.insert(person).inserted { return nil }
    eventsByKey[key] = events.count
    eventsByDay[event.day, default: []].append(events.count)
    events.append(event)
    return true
  }

  private mutating func take(summary item: WireItem, of person: Int) -> Bool? {
    let key = "\(person) \(item["clientSummaryId"]!.lowercased())"
    if let known = summariesByKey[key] { return summaries[known].item.members == item.members ? false : nil }
    let date = "\(person) \(item["summaryDate"]!)"
    if summariesByDate[date] != nil { return nil }
    summariesByKey[key] = summaries.count
    summariesByDate[date] = summaries.count
    summaries.append(TakenSummary(person: person, item: item, day: ReportCalendar.day(item["summaryDate"]!)))
    return true
  }

  /// An answer 4xx of one of the two ingestion endpoints.
  mutating func refuse(_ status: Int) { rejections.append((today, errorCodes[status]!)) }

  mutating func erase(installation: String) {
    guard let person = present.removeValue(forKey: installation) else { return }
    for index in events.indices where events[index].person == person { events[index].isErased = true }
    for index in summaries.indices where summaries[index].person == person { summaries[index].isErased = true }
  }

  mutating func erase(account: String) {
    for (index, person) in people.enumerated() where person.account == account {
      if present[person.installation] == index { erase(installation: person.installation) }
    }
    for index in settlements.indices where settlements[index].account == account { settlements[index].account = nil }
    for index in transactions.indices where transactions[index].account == account { transactions[index].account = nil }
    deletedAccounts[account] = today
  }

  /// An account as facts refer to it.
  func reference(_ account: String?) -> String? {
    account.flatMap { deletedAccounts[$0] == nil ? $0 : nil }
  }
}
