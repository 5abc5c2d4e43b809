import ServerFacts

/// What retention did, as a table of counts.
enum RetentionText {
  static func render(_ report: RetentionReport, dryRun: Bool) -> String {
    let rows =
      [("days sealed", report.sealedDays)]
      + RetentionStep.allCases.map { ("\($0.title)", report.removed[$0, default: 0]) }
    return CountTable.render(dryRun ? "To be removed (nothing was changed)" : "Removed", rows)
  }
}

/// What a check found, one line a rule.
enum CheckText {
  static func render(_ findings: [CheckFinding]) -> String {
    let broken = findings.filter { $0.violations > 0 }
    let lines = findings.map { finding in
      (finding.violations == 0 ? "ok      " : "BROKEN  ") + finding.rule
        + (finding.violations == 0 ? "" : ": \(finding.violations)") + "\n"
    }
    let verdict =
      broken.isEmpty
      ? "All \(findings.count) rules hold.\n" : "\(broken.count) of \(findings.count) rules are broken.\n"
    return lines.joined() + verdict
  }
}
