import AnalyticsContract

// What events tell: the app's and the keyboard's own account of what happened.

extension Metric {
  private static func events(
    _ name: String, _ selection: EventSelection, _ formula: String, caveat: String? = nil
  ) -> Metric {
    Metric(name, .events, .events, .sum([.events(selection)]), formula, caveat: caveat)
  }

  static let firstOpens = events(
    "firstOpens", EventSelection(.firstOpen), "FIRST_OPEN events",
    caveat: "A reinstallation with a fresh identity opens for the first time again. Erasure does not lower it.")
  static let sessions = events("sessions", EventSelection(.sessionStarted), "SESSION_STARTED events, both surfaces")
  static let keyboardActivations = events(
    "keyboardActivations", EventSelection(.keyboardActivated), "KEYBOARD_ACTIVATED events")
  static let inviteOpens = events(
    "inviteOpens", EventSelection(.inviteOpened), "INVITE_OPENED events",
    caveat: "The app sends one when it handles an invitation link; views of the page are invitePageViews.")
  static let shares = events("shares", EventSelection(.referralShared), "REFERRAL_SHARED events")

  static let started = events("started", EventSelection(.aiFeatureStarted), "AI_FEATURE_STARTED events")
  static let succeeded = events("succeeded", EventSelection(.aiFeatureSucceeded), "AI_FEATURE_SUCCEEDED events")
  static let failed = events(
    "failed", EventSelection(.aiFeatureFailed, isCancelled: false),
    "AI_FEATURE_FAILED events with another category than CANCELLED")
  static let cancelled = events(
    "cancelled", EventSelection(.aiFeatureFailed, isCancelled: true),
    "AI_FEATURE_FAILED events with the category CANCELLED")
  static let aiSucceeded = events(
    "aiSucceeded", EventSelection(.aiFeatureSucceeded), "AI_FEATURE_SUCCEEDED events, all execution modes")
  static let localSucceeded = events(
    "localSucceeded", EventSelection(.aiFeatureSucceeded, mode: .local),
    "AI_FEATURE_SUCCEEDED events with execution mode LOCAL")
  static let byokSucceeded = events(
    "byokSucceeded", EventSelection(.aiFeatureSucceeded, mode: .byok),
    "AI_FEATURE_SUCCEEDED events with execution mode BYOK")
  static let managedSucceededReported = events(
    "managedSucceededReported", EventSelection(.aiFeatureSucceeded, mode: .managed),
    "AI_FEATURE_SUCCEEDED events with execution mode MANAGED",
    caveat: "Detail that clients report, never to be added to managedOperations, which is authoritative.")
  static let failures = events(
    "count", EventSelection(.aiFeatureFailed), "AI_FEATURE_FAILED events of the category, CANCELLED among them")
  static let successes = events(
    "count", EventSelection(.aiFeatureSucceeded), "AI_FEATURE_SUCCEEDED events of the bucket")
  static let successRate = Metric(
    "successRate", .ratio, .events, .ratio([.succeeded], [.succeeded, .failed]),
    "succeeded ÷ (succeeded + failed); cancelled operations are left out")
}

// MARK: - Distinct installations

extension Metric {
  private static func distinct(_ name: String, _ count: DistinctCount, _ formula: String, caveat: String? = nil)
    -> Metric
  {
    Metric(name, .installations, .installations, .distinct(count), formula, caveat: caveat)
  }

  static let activeInstallations = distinct(
    "activeInstallations", .active, "distinct installations with at least one event of surface APP or KEYBOARD",
    caveat: "Counted once a period, and once in totals: periods do not add up.")
  static let activeInApp = distinct("activeInApp", .activeInApp, "distinct installations with an event of surface APP")
  static let activeInKeyboard = distinct(
    "activeInKeyboard", .activeInKeyboard, "distinct installations with an event of surface KEYBOARD",
    caveat: "Without full access the keyboard sends nothing, and its installation counts only where the app does.")
  static let weeklyActive = Metric(
    "weeklyActive", .installations, .installations, .trailing(days: 7),
    "activeInstallations of the 7 days that end with the day")
  static let monthlyActive = Metric(
    "monthlyActive", .installations, .installations, .trailing(days: 28),
    "activeInstallations of the 28 days that end with the day")
  static let stickiness = Metric(
    "stickiness", .ratio, .installations, .stickiness,
    "mean of activeInstallations of each of the 28 days that end with the day ÷ monthlyActive",
    caveat: "While there are fewer than 28 days of data, days without data count as 0.")
  static let aiActiveInstallations = distinct(
    "activeInstallations", .ai, "distinct installations with any AI_FEATURE_ event, on any surface")
  static let activatedInstallations = Metric(
    "activatedInstallations", .installations, .installations, .activated,
    """
    installations whose FIRST_OPEN lies in the period and that have an AI_FEATURE_SUCCEEDED from that instant to 7 × 24 \
    hours later, both included
    """,
    caveat: "The last 7 days still grow, and so do days whose events are still to arrive (35 days).")
  static let activationRate = Metric(
    "activationRate", .ratio, .installations, .ratio([.activatedInstallations], [.firstOpens]),
    "activatedInstallations ÷ firstOpens",
    caveat: "Erasing an installation takes it from the numerator alone, until its day is sealed.")
  static let viewedInstallations = distinct(
    "viewedInstallations", .purchaseViewed, "distinct installations with PURCHASE_VIEWED")
  static let startedInstallations = distinct(
    "startedInstallations", .purchaseStarted, "distinct installations with PURCHASE_STARTED")
  static let cancelledInstallations = distinct(
    "cancelledInstallations", .purchaseCancelled, "distinct installations with PURCHASE_CANCELLED")
  static let startRate = Metric(
    "startRate", .ratio, .installations, .ratio([.startedInstallations], [.viewedInstallations]),
    "startedInstallations ÷ viewedInstallations",
    caveat: "Above 1 where purchases are started without the page, or on another day than it was viewed.")
  static let cancelRate = Metric(
    "cancelRate", .ratio, .installations, .ratio([.cancelledInstallations], [.startedInstallations]),
    "cancelledInstallations ÷ startedInstallations")
  static let reportingInstallations = distinct(
    "reportingInstallations", .reporting, "distinct installations with a keyboard usage summary of the period")
}

// MARK: - Keyboard usage

extension Metric {
  private static func usage(_ name: String, _ unit: MetricUnit, _ counter: UsageCounter, _ formula: String) -> Metric {
    Metric(name, unit, .summaries, .sum([.usage(counter)]), formula)
  }

  static let chineseCharacters = usage(
    "chineseCharacters", .characters, .chineseCharacters, "committed characters of the Han script")
  static let englishCharacters = usage("englishCharacters", .characters, .englishCharacters, "committed Latin letters")
  static let otherCharacters = usage(
    "otherCharacters", .characters, .otherCharacters, "committed digits, punctuation, emoji and everything else")
  static let committedCharacters = Metric(
    "committedCharacters", .characters, .summaries,
    .sum([.usage(.chineseCharacters), .usage(.englishCharacters), .usage(.otherCharacters)]),
    "chineseCharacters + englishCharacters + otherCharacters",
    caveat: "Manually committed text alone: no transcripts, pasted text or AI output. A day arrives after it is over.")
  static let inputSessions = usage(
    "inputSessions", .sessions, .inputSessions, "keyboard activations with at least one committed character")
  static let chineseOnlySessions = usage(
    "chineseOnlySessions", .sessions, .chineseOnlySessions, "input sessions with Chinese and without English")
  static let englishOnlySessions = usage(
    "englishOnlySessions", .sessions, .englishOnlySessions, "input sessions with English and without Chinese")
  static let mixedLanguageSessions = usage(
    "mixedLanguageSessions", .sessions, .mixedLanguageSessions, "input sessions with both")
  static let otherOnlySessions = usage(
    "otherOnlySessions", .sessions, .otherOnlySessions, "input sessions with neither")
  static let chineseShare = Metric(
    "chineseShare", .ratio, .summaries, .ratio([.chineseCharacters], [.chineseCharacters, .englishCharacters]),
    "chineseCharacters ÷ (chineseCharacters + englishCharacters)",
    caveat: "A Chinese character says more than a Latin letter: a share of characters, not of what was written.")
  static let charactersPerSession = Metric(
    "charactersPerSession", .charactersPerSession, .summaries, .ratio([.committedCharacters], [.inputSessions]),
    "committedCharacters ÷ inputSessions")
}
