/// The totals and series of each report, recounted from what was sent.
extension ReportHistory {
  static let reports = [
    "overview", "acquisition", "engagement", "retention", "ai", "credits", "monetization", "referrals", "keyboard",
    "quality",
  ]

  /// The figures of a period.
  func row(_ report: String, _ days: ClosedRange<Int>) -> FigureRow {
    switch report {
    case "overview": overview(days)
    case "acquisition": acquisition(days)
    case "engagement": engagement(days)
    case "ai": ai(days)
    case "credits": credits(days)
    case "monetization": monetization(days)
    case "referrals": referrals(days)
    case "keyboard": keyboard(days)
    default: quality(days)
    }
  }

  func number(_ type: String, _ days: ClosedRange<Int>, _ isMeant: (TakenEvent) -> Bool = { _ in true }) -> Int {
    events(days).filter { $0.type == type && isMeant($0) }.count
  }

  func settled(_ days: ClosedRange<Int>) -> [TakenSettlement] { settlements.filter { days.contains($0.day) } }

  private func usage(_ name: String, _ days: ClosedRange<Int>) -> Int {
    summaries.filter { days.contains($0.day) }.map { $0.count(name) }.reduce(0, +)
  }

  private func steps(_ type: String, _ days: ClosedRange<Int>) -> [TakenReferralStep] {
    referrals.filter { $0.type == "REFERRAL_" + type && days.contains($0.day) }
  }

  func purchased(_ days: ClosedRange<Int>) -> [TakenTransaction] {
    transactions.filter { $0.isProduction && days.contains($0.purchaseDay) }
  }

  func refunded(_ days: ClosedRange<Int>) -> [TakenTransaction] {
    transactions.filter { $0.isProduction && $0.refundDay.map(days.contains) == true }
  }

  private func overview(_ days: ClosedRange<Int>) -> FigureRow {
    let characters = ["chineseCharacter", "englishCharacter", "otherCharacter"].map { usage($0, days) }
    return FigureRow([
      "activeInstallations": .count(orGone: distinct(.active, days)),
      "firstOpens": .count(number("FIRST_OPEN", days)),
      "registrations": .count(registrations.filter(days.contains).count),
      "aiSucceeded": .count(number("AI_FEATURE_SUCCEEDED", days)),
      "managedOperations": .count(settled(days).count),
      "creditsConsumed": .count(settled(days).map(\.credits).reduce(0, +)),
      "purchases": .count(purchased(days).count),
      "referralsRewarded": .count(steps("REWARDED", days).count),
      "committedCharacters": .count(characters.reduce(0, +)),
      "inputSessions": .count(usage("inputSession", days)),
    ])
  }

  private func acquisition(_ days: ClosedRange<Int>) -> FigureRow {
    let opens = number("FIRST_OPEN", days)
    let activated = days.flatMap { cohorts($0).values }.map(\.activated).reduce(0, +)
    return FigureRow([
      "firstOpens": .count(opens),
      "activatedInstallations": .count(activated),
      "activationRate": .ratio(activated, opens),
      "registrations": .count(registrations.filter(days.contains).count),
      "linkedInstallations": .count(links.filter(days.contains).count),
      "invitePageViews": .count(views.filter(days.contains).count),
      "inviteOpens": .count(number("INVITE_OPENED", days)),
    ])
  }

  private func engagement(_ days: ClosedRange<Int>) -> FigureRow {
    FigureRow([
      "activeInstallations": .count(orGone: distinct(.active, days)),
      "activeInApp": .count(orGone: distinct(.inApp, days)),
      "activeInKeyboard": .count(orGone: distinct(.inKeyboard, days)),
      "sessions": .count(number("SESSION_STARTED", days)),
      "keyboardActivations": .count(number("KEYBOARD_ACTIVATED", days)),
    ])
  }

  /// What the series of engagement has beside, by day.
  func trailing(_ day: Int) -> FigureRow {
    let monthly = distinct(.active, (day - 27)...day)
    var sum: Int? = 0
    for earlier in (day - 27)...day {
      if let before = sum, let active = distinct(.active, earlier...earlier) {
        sum = before + active
      } else {
        sum = nil
      }
    }
    return FigureRow([
      "weeklyActive": .count(orGone: distinct(.active, (day - 6)...day)),
      "monthlyActive": .count(orGone: monthly),
      "stickiness": .ratio(sum, monthly.map { $0 * 28 }),
    ])
  }

  private func ai(_ days: ClosedRange<Int>) -> FigureRow {
    func succeeded(_ mode: String) -> Figure {
      .count(number("AI_FEATURE_SUCCEEDED", days) { $0.item["executionMode"] == mode })
    }
    var row = outcomes(days) { _ in true }
    let more = FigureRow([
      "activeInstallations": .count(orGone: distinct(.ai, days)),
      "managedOperations": .count(settled(days).count),
      "localSucceeded": succeeded("LOCAL"),
      "byokSucceeded": succeeded("BYOK"),
      "managedSucceededReported": succeeded("MANAGED"),
    ])
    row.figures += more.figures
    return row
  }

  /// How operations went.
  func outcomes(_ days: ClosedRange<Int>, _ isMeant: (TakenEvent) -> Bool) -> FigureRow {
    let succeeded = number("AI_FEATURE_SUCCEEDED", days, isMeant)
    let failures = events(days).filter { $0.type == "AI_FEATURE_FAILED" && isMeant($0) }
    let cancelled = failures.filter { $0.item["failureCategory"] == "CANCELLED" }.count
    let failed = failures.count - cancelled
    return FigureRow([
      "started": .count(number("AI_FEATURE_STARTED", days, isMeant)),
      "succeeded": .count(succeeded),
      "failed": .count(failed),
      "cancelled": .count(cancelled),
      "successRate": .ratio(succeeded, succeeded + failed),
    ])
  }

  private func credits(_ days: ClosedRange<Int>) -> FigureRow {
    let sum = settled(days).map(\.credits).reduce(0, +)
    let spending = distinct(.spending, days)
    return FigureRow([
      "creditsConsumed": .count(sum),
      "settlements": .count(settled(days).count),
      "spendingAccounts": .count(orGone: spending),
      "creditsPerSpendingAccount": .ratio(sum, spending),
    ])
  }

  private func monetization(_ days: ClosedRange<Int>) -> FigureRow {
    let (viewed, started) = (distinct(.viewed, days), distinct(.started, days))
    let cancelled = distinct(.cancelled, days)
    return FigureRow([
      "viewedInstallations": .count(orGone: viewed),
      "startedInstallations": .count(orGone: started),
      "cancelledInstallations": .count(orGone: cancelled),
      "startRate": .ratio(started, viewed),
      "cancelRate": .ratio(cancelled, started),
      "purchases": .count(purchased(days).count),
      "purchasingAccounts": .count(orGone: distinct(.purchasing, days)),
      "refunds": .count(refunded(days).count),
    ])
  }

  private func referrals(_ days: ClosedRange<Int>) -> FigureRow {
    let (bound, qualified) = (steps("BOUND", days).count, steps("QUALIFIED", days).count)
    let rewarded = steps("REWARDED", days)
    return FigureRow([
      "shares": .count(number("REFERRAL_SHARED", days)),
      "invitePageViews": .count(views.filter(days.contains).count),
      "inviteOpens": .count(number("INVITE_OPENED", days)),
      "bound": .count(bound),
      "qualified": .count(qualified),
      "rewarded": .count(rewarded.count),
      "creditsAwarded": .count(rewarded.map(\.credits).reduce(0, +)),
      "qualificationRate": .ratio(qualified, bound),
      "rewardRate": .ratio(rewarded.count, qualified),
    ])
  }

  private func keyboard(_ days: ClosedRange<Int>) -> FigureRow {
    let (chinese, english) = (usage("chineseCharacter", days), usage("englishCharacter", days))
    let (other, sessions) = (usage("otherCharacter", days), usage("inputSession", days))
    return FigureRow([
      "chineseCharacters": .count(chinese),
      "englishCharacters": .count(english),
      "otherCharacters": .count(other),
      "inputSessions": .count(sessions),
      "chineseOnlySessions": .count(usage("chineseOnlySession", days)),
      "englishOnlySessions": .count(usage("englishOnlySession", days)),
      "mixedLanguageSessions": .count(usage("mixedLanguageSession", days)),
      "otherOnlySessions": .count(usage("otherOnlySession", days)),
      "reportingInstallations": .count(orGone: distinct(.reporting, days)),
      "chineseShare": .ratio(chinese, chinese + english),
      "charactersPerSession": .ratio(chinese + english + other, sessions),
    ])
  }

  private func quality(_ days: ClosedRange<Int>) -> FigureRow {
    let received = receipts.filter { days.contains($0.day) }
    return FigureRow([
      "accepted": .count(received.map(\.accepted).reduce(0, +)),
      "replayed": .count(received.map(\.replayed).reduce(0, +)),
      "rejectedBatches": .count(rejections.filter { days.contains($0.day) }.count),
    ])
  }
}
