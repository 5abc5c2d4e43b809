import AnalyticsContract
import Testing

@testable import Ingestion

@Suite struct NameTables {
  @Test func `A value is found by exactly its name`() {
    expectLookUp(ContractNames.eventTypes)
    expectLookUp(ContractNames.surfaces)
    expectLookUp(ContractNames.acquisitionChannels)
    expectLookUp(ContractNames.features)
    expectLookUp(ContractNames.executionModes)
    expectLookUp(ContractNames.failureCategories)
    expectLookUp(ContractNames.durationBuckets)
    expectLookUp(NameTable<Lateness>())
  }

  @Test func `A member is found by exactly its name`() {
    expectLookUp(ContractNames.members, WireMember.allCases.map { ($0.wireName.description, $0) })
  }

  @Test func `In a table of nothing there is nothing`() {
    expectLookUp(NameTable<WireMember>([], name: \.wireName), [])
  }

  private func expectLookUp<Value: CatalogValue>(
    _ table: NameTable<Value>, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    expectLookUp(table, Value.allCases.map { ($0.name, $0) }, sourceLocation: sourceLocation)
  }

  private func expectLookUp<Value: Equatable>(
    _ table: NameTable<Value>, _ values: [(name: String, value: Value)],
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    func find(_ text: some StringProtocol) -> Value? { Array(text.utf8).withUnsafeBufferPointer { table[$0] } }
    let names = Set(values.map(\.name))
    let longest = names.map(\.utf8.count).max() ?? 0
    for length in 0...longest + 2 {
      #expect(find(String(repeating: "?", count: length)) == nil, sourceLocation: sourceLocation)
    }
    for (name, value) in values {
      #expect(find(name) == value, sourceLocation: sourceLocation)
      let near = [
        name.lowercased(), name.uppercased(), name + " ", " " + name, name + "\0", String(name.dropLast()),
        String(name.dropFirst()), name.dropLast() + "\0", name.replacing("_", with: "-"), "\u{FEFF}" + name,
      ]
      for text in near where !names.contains(text) {
        #expect(find(text) == nil, "\(text)", sourceLocation: sourceLocation)
      }
    }
  }
}
