import ServerFacts

/// What an erasure removed, as a table of counts.
enum ErasureText {
  static func render(_ counts: ErasureCounts) -> String {
    if counts == ErasureCounts() { return "There was nothing to erase.\n" }
    let rows = [
      ("installations", counts.installations), ("events", counts.events), ("keyboard summaries", counts.summaries),
      ("days of activity", counts.activityDays), ("sessions", counts.sessions),
      ("referral codes", counts.referralCodes),
      ("settlements, transactions and referrals that stay without the account", counts.unlinked),
    ]
    return CountTable.render("Erased", rows)
  }
}

/// Counts with their names, the numbers aligned.
enum CountTable {
  static func render(_ title: String, _ rows: [(name: String, count: Int64)]) -> String {
    let width = rows.map { String($0.count).count }.max() ?? 0
    let lines = rows.map { row in
      let count = String(row.count)
      return "  \(String(repeating: " ", count: width - count.count))\(count)  \(row.name)\n"
    }
    return "\(title):\n" + lines.joined()
  }
}
