/// The metrics dictionary as a document: made from the same declarations as the answers.
public enum MetricsDictionary {
  /// docs/ANALYTICS_METRICS_DICTIONARY.md.
  public static var markdown: String {
    var text = """
      # Metrics dictionary

      What every figure of the admin reports means. This page is made from the declarations that the answers are calculated
      from (`swift run metrics-dictionary > docs/ANALYTICS_METRICS_DICTIONARY.md`); a test fails when it is stale.

      - **Days** are UTC days. Events belong to the day on which they happened, facts to that of their own instant
        (purchases: purchaseDate, refunds: revocationDate), summaries to their date; views of invitation pages, links and
        what was received belong to the day of receipt. Events arrive for up to 35 days, so recent days still grow.
      - **Distinct** figures (installations, accounts) count each once in a period, and once in totals: they do not add up.
        A day that can take no more events is sealed: its distinct figures, its 7- and 28-day ones and its cohort are kept
        without identity, and nothing changes them any more. Over other ranges distinct figures need identity, which is
        retained for 90 days; beyond that they are null, and `unavailable` names them.
      - **Erasure** takes an installation or account out of all figures that need identity, unless their day is sealed.
        Counts stay: they carry no identity.
      - **Rates** are null where the denominator is 0.
      - **Sandbox** transactions are in no report.


      """
    for report in Report.allCases { text += section(report) }
    return text
  }

  private static func section(_ report: Report) -> String {
    let definition = report.definition
    var text = "## \(report.rawValue)\n\n\(definition.question)\n\n"
    if definition.hasCohorts {
      text += """
        | metric | unit | source | formula | caveat |
        | --- | --- | --- | --- | --- |
        | `cohort` | | | first date of the day, week or month; a cut period has the days inside the range | |
        | `size` | installations | installations | installations whose FIRST_OPEN lies in the period | Erased ones are \
        gone, unless the cohort is sealed: then the figures stay as they were. |
        | `retained[N]` | installations | installations | installations of the cohort that were active (an event of surface \
        APP or KEYBOARD) on the UTC day N days after the day of their own first open, for N = \
        \(ReportDefinition.retentionDays.map(String.init).joined(separator: ", ")) | null until that day is over for the \
        whole cohort. Events of it may arrive for 35 more days. |


        """
      return text
    }
    text += table(definition.metrics)
    if definition.hasPreviousTotals {
      text += "\n`previousTotals` has the same figures for the span of equal length that ends the day before `from`.\n"
    }
    if !definition.dayMetrics.isEmpty { text += "\nIn the series by day also:\n\n" + table(definition.dayMetrics) }
    for breakdown in definition.breakdowns {
      text += "\nBy `\(breakdown.dimension.rawValue)` (\(breakdown.dimension.keyText)):\n\n"
      let known = Set((definition.metrics + definition.dayMetrics).map { "\($0.name) \($0.formula)" })
      let names = breakdown.metrics.map { "`\($0.name)`" }.joined(separator: ", ")
      let new = breakdown.metrics.filter { !known.contains("\($0.name) \($0.formula)") }
      text += new.isEmpty ? names + ", as above.\n" : table(breakdown.metrics)
    }
    return text + "\n"
  }

  private static func table(_ metrics: [Metric]) -> String {
    "| metric | unit | source | formula | caveat |\n| --- | --- | --- | --- | --- |\n"
      + metrics.map { metric in
        "| `\(metric.name)` | \(metric.unit.rawValue) | \(metric.source.rawValue) | \(metric.formula) | "
          + "\(metric.caveat ?? "") |\n"
      }.joined()
  }
}

extension BreakdownDimension {
  fileprivate var keyText: String {
    if let closedKeys { return closedKeys.map(\.name).joined(separator: ", ") }
    return isVersion
      ? "the \(VersionRanking.maximumRows) most frequent, the others as `\(VersionRanking.others)`, null for absent"
      : "those present"
  }
}
