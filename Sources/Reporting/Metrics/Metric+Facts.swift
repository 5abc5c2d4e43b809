// What the account server states, what the App Store signed, and what the server itself saw.

extension Metric {
  static let registrations = Metric(
    "registrations", .registrations, .accounts, .sum([.registrations]), "ACCOUNT_CREATED facts",
    caveat: "Accounts that have been deleted since are among them.")
  static let linkedInstallations = Metric(
    "linkedInstallations", .installations, .receipts, .sum([.linkedInstallations]),
    "installations linked to an account, by the day of the link")
  static let invitePageViews = Metric(
    "invitePageViews", .views, .invitationPages, .sum([.invitationViews]),
    "views of invitation pages whose code is known and not revoked",
    caveat: "Views, not people: nothing about a visitor is kept. Prefetches and HEAD are not counted.")

  static let managedOperations = Metric(
    "managedOperations", .operations, .settlements, .sum([.settlements]), "settled facts",
    caveat: "Authoritative for managed AI; managedSucceededReported is detail from clients.")
  static let settlements = Metric("settlements", .operations, .settlements, .sum([.settlements]), "settled facts")
  static let creditsConsumed = Metric(
    "creditsConsumed", .credits, .settlements, .sum([.credits]), "sum of the credits of settled facts")
  static let spendingAccounts = Metric(
    "spendingAccounts", .accounts, .settlements, .distinct(.spendingAccounts), "distinct accounts with a settled fact",
    caveat: "A deleted account is no account: its settlements count, it does not, until the day is sealed.")
  static let creditsPerSpendingAccount = Metric(
    "creditsPerSpendingAccount", .creditsPerAccount, .settlements, .ratio([.creditsConsumed], [.spendingAccounts]),
    "creditsConsumed ÷ spendingAccounts")

  static let purchases = Metric(
    "purchases", .transactions, .transactions, .sum([.purchases]),
    "verified production transactions, by purchaseDate",
    caveat: "Transactions, not quantities; renewals of a subscription are transactions of their own.")
  static let purchasingAccounts = Metric(
    "purchasingAccounts", .accounts, .transactions, .distinct(.purchasingAccounts),
    "distinct accounts (appAccountToken) with a purchase",
    caveat: "Transactions without an account, and those of deleted accounts, count for none.")
  static let refunds = Metric(
    "refunds", .transactions, .transactions, .sum([.refunds]), "verified production transactions, by revocationDate")
  static let gross = Metric(
    "gross", .money, .transactions, .sum([.gross]), "sum of the prices of the purchases in the range, per currency",
    caveat: """
      The price covers the quantity, is what the customer paid, and is never converted. Apple names App Store Connect the \
      source of record for revenue: it alone knows taxes, commissions and exchange rates.
      """)
  static let refunded = Metric(
    "refunded", .money, .transactions, .sum([.refunded]),
    "sum of the prices of the refunds in the range, per currency",
    caveat: "A refund counts on the day of its revocation, whenever the purchase was.")
  static let net = Metric(
    "net", .money, .transactions, .difference(.gross, .refunded), "gross − refunded",
    caveat: "Before Apple's commission and taxes; may be negative where refunds are of earlier purchases.")

  static let bound = Metric("bound", .referrals, .referrals, .sum([.bound]), "REFERRAL_BOUND facts")
  static let qualified = Metric("qualified", .referrals, .referrals, .sum([.qualified]), "REFERRAL_QUALIFIED facts")
  static let rewarded = Metric("rewarded", .referrals, .referrals, .sum([.rewarded]), "REFERRAL_REWARDED facts")
  static let referralsRewarded = Metric(
    "referralsRewarded", .referrals, .referrals, .sum([.rewarded]), "REFERRAL_REWARDED facts")
  static let creditsAwarded = Metric(
    "creditsAwarded", .credits, .referrals, .sum([.creditsAwarded]), "sum of the credits of REFERRAL_REWARDED facts")
  static let qualificationRate = Metric(
    "qualificationRate", .ratio, .referrals, .ratio([.qualified], [.bound]), "qualified ÷ bound",
    caveat: "Each is dated by its own fact: not the share of a cohort, and above 1 where older referrals qualify.")
  static let rewardRate = Metric(
    "rewardRate", .ratio, .referrals, .ratio([.rewarded], [.qualified]), "rewarded ÷ qualified",
    caveat: "Each is dated by its own fact, as with qualificationRate.")

  static let accepted = Metric(
    "accepted", .items, .receipts, .sum([.acceptedItems]), "events and summaries that were stored")
  static let acceptedEvents = Metric(
    "accepted", .events, .receipts, .sum([.acceptedEvents]), "events that were stored")
  static let replayed = Metric(
    "replayed", .items, .receipts, .sum([.replayedItems]), "events and summaries that were stored already",
    caveat: "Clients repeat what they got no answer to: a rise points at networks or a slow server, not at a defect.")
  static let rejectedBatches = Metric(
    "rejectedBatches", .batches, .receipts, .sum([.rejectedBatches]),
    "requests to the two ingestion endpoints answered with 4xx",
    caveat: "A kill of the server may lose those of the last second. Nothing of the batch or client is kept.")
}
