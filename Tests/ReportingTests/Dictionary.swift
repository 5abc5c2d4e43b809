import Foundation
import Testing

@testable import Reporting

@Suite struct Dictionary {
  @Test func theDocumentIsTheOneThatTheDeclarationsMake() throws {
    let file = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../docs/ANALYTICS_METRICS_DICTIONARY.md").standardized
    let text = try String(contentsOf: file, encoding: .utf8)
    #expect(
      text == MetricsDictionary.markdown,
      "stale: swift run metrics-dictionary > docs/ANALYTICS_METRICS_DICTIONARY.md")
  }

  @Test(arguments: Report.allCases) func namesAreUniqueWithinATable(_ report: Report) {
    let definition = report.definition
    let names = (definition.metrics + definition.dayMetrics).map(\.name)
    #expect(Set(names).count == names.count)
    for breakdown in definition.breakdowns {
      #expect(Set(breakdown.metrics.map(\.name)).count == breakdown.metrics.count)
    }
  }

  @Test(arguments: Report.allCases) func everyMetricSaysWhatItIs(_ report: Report) {
    let definition = report.definition
    #expect(definition.question.hasSuffix("?"))
    for metric in definition.metrics + definition.dayMetrics + definition.breakdowns.flatMap(\.metrics) {
      #expect(!metric.formula.isEmpty && !metric.formula.contains("|") && !(metric.caveat ?? ".").isEmpty)
    }
  }
}
