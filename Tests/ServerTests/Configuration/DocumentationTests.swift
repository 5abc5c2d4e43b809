import AnalyticsContract
import Foundation
import Testing

@testable import Server

/// README names what the program has, and nothing else.
@Suite struct DocumentationTests {
  private static let readme = try! String(
    contentsOf: URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../README.md"),
    encoding: .utf8)

  @Test func theConfigurationTableHasEveryOptionOfServeWithItsDefault() {
    let rows = Self.readme.split(separator: "\n").filter { $0.hasPrefix("| `--") }
    let documented = rows.flatMap { row in
      row.split(separator: "|")[0].split(separator: "`").filter { $0.hasPrefix("--") }.map(String.init)
    }
    let options = Command.serve.options.map(\.displayName).filter { $0.hasPrefix("--") }
    #expect(documented.sorted() == options.sorted())
    for row in rows where row.contains("OSG_ANALYTICS_") {
      let flag = row.split(separator: "`")[1]
      let variable = "OSG_ANALYTICS_" + flag.dropFirst(2).uppercased().replacing("-", with: "_")
      #expect(row.contains(variable), "\(flag)")
    }
  }

  @Test func everyCommandIsListed() {
    for command in Command.allCases {
      #expect(Self.readme.contains("`\(command.words.joined(separator: " "))"), "\(command.words)")
    }
  }
}

extension DocumentationTests {
  @Test func theContractsDocumentHasEveryNameValueAndRule() throws {
    let document = try String(
      contentsOf: URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../docs/API.md"),
      encoding: .utf8)
    var names = WireMember.allCases.map(\.wireName.description) + ViolationRule.allCases.map(\.rawValue)
    names += EventType.allCases.map(\.name) + Surface.allCases.map(\.name) + AcquisitionChannel.allCases.map(\.name)
    names += Feature.allCases.map(\.name) + ExecutionMode.allCases.map(\.name) + FailureCategory.allCases.map(\.name)
    names += DurationBucket.allCases.map(\.name)
    for name in names { #expect(document.contains(name), "\(name)") }
  }
}
