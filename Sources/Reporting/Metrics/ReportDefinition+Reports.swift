extension ReportDefinition {
  static let overview = ReportDefinition(
    question: "How is the product doing, and how did it do before?",
    metrics: [
      .activeInstallations, .firstOpens, .registrations, .aiSucceeded, .managedOperations, .creditsConsumed, .purchases,
      .referralsRewarded, .committedCharacters, .inputSessions,
    ], hasPreviousTotals: true)

  static let acquisition = ReportDefinition(
    question: "Where do new installations come from, and do they get to the product's value?",
    metrics: [
      .firstOpens, .activatedInstallations, .activationRate, .registrations, .linkedInstallations, .invitePageViews,
      .inviteOpens,
    ],
    breakdowns: [
      Breakdown(dimension: .channel, metrics: [.firstOpens, .activatedInstallations, .activationRate])
    ])

  static let engagement = ReportDefinition(
    question: "How many use the app and the keyboard, and how often do they return?",
    metrics: [.activeInstallations, .activeInApp, .activeInKeyboard, .sessions, .keyboardActivations],
    dayMetrics: [.weeklyActive, .monthlyActive, .stickiness],
    breakdowns: [
      Breakdown(dimension: .appVersion, metrics: [.activeInstallations]),
      Breakdown(dimension: .osVersion, metrics: [.activeInstallations]),
    ])

  static let retention = ReportDefinition(
    question: "Of those who came on a day, how many are active 1, 3, 7, 14 and 28 days later?", hasCohorts: true)

  private static let aiOutcomes: [Metric] = [.started, .succeeded, .failed, .cancelled, .successRate]

  static let ai = ReportDefinition(
    question: "Which AI features are used where, and how well do they work?",
    metrics: aiOutcomes + [
      .aiActiveInstallations, .managedOperations, .localSucceeded, .byokSucceeded, .managedSucceededReported,
    ],
    breakdowns: [
      Breakdown(dimension: .feature, metrics: aiOutcomes), Breakdown(dimension: .executionMode, metrics: aiOutcomes),
      Breakdown(dimension: .surface, metrics: aiOutcomes), Breakdown(dimension: .failureCategory, metrics: [.failures]),
      Breakdown(dimension: .durationBucket, metrics: [.successes]),
      Breakdown(dimension: .appVersion, metrics: [.succeeded, .failed]),
    ])

  static let credits = ReportDefinition(
    question: "What are credits spent on, and by how many?",
    metrics: [.creditsConsumed, .settlements, .spendingAccounts, .creditsPerSpendingAccount],
    breakdowns: [Breakdown(dimension: .feature, metrics: [.creditsConsumed, .settlements])])

  static let monetization = ReportDefinition(
    question: "How does the way to a purchase go, and what does it bring?",
    metrics: [
      .viewedInstallations, .startedInstallations, .cancelledInstallations, .startRate, .cancelRate, .purchases,
      .purchasingAccounts, .refunds,
    ],
    breakdowns: [
      Breakdown(dimension: .currency, metrics: [.purchases, .gross, .refunded, .net]),
      Breakdown(dimension: .product, metrics: [.purchases, .refunds]),
    ])

  static let referrals = ReportDefinition(
    question: "Do users invite others, and what becomes of the invitations?",
    metrics: [
      .shares, .invitePageViews, .inviteOpens, .bound, .qualified, .rewarded, .creditsAwarded, .qualificationRate,
      .rewardRate,
    ])

  static let keyboard = ReportDefinition(
    question: "How much is typed, and in which language?",
    metrics: [
      .chineseCharacters, .englishCharacters, .otherCharacters, .inputSessions, .chineseOnlySessions,
      .englishOnlySessions, .mixedLanguageSessions, .otherOnlySessions, .reportingInstallations, .chineseShare,
      .charactersPerSession,
    ])

  static let quality = ReportDefinition(
    question: "Does what clients send arrive, in time and in order?",
    metrics: [.accepted, .replayed, .rejectedBatches],
    breakdowns: [
      Breakdown(dimension: .reason, metrics: [.rejectedBatches]),
      Breakdown(dimension: .lateness, metrics: [.acceptedEvents]),
      Breakdown(dimension: .appVersion, metrics: [.acceptedEvents]),
    ])
}
