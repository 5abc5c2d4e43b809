import AnalyticsContract

/// Finds the value that a name stands for: names are grouped by their length, so that a look-up compares one or two.
package struct NameTable<Value: Sendable>: Sendable {
  private var entries: [(name: StaticString, value: Value)] = []
  // The entries of length n are those from firstOfLength[n] to before firstOfLength[n + 1].
  private var firstOfLength: [Int] = []

  package init(_ values: some Sequence<Value>, name: (Value) -> StaticString) {
    entries = values.map { (name($0), $0) }.sorted { $0.0.utf8CodeUnitCount < $1.0.utf8CodeUnitCount }
    let longest = entries.last?.name.utf8CodeUnitCount ?? 0
    firstOfLength = (0...longest + 1).map { length in
      entries.firstIndex { $0.name.utf8CodeUnitCount >= length } ?? entries.count
    }
  }

  package subscript(name: UnsafeBufferPointer<UInt8>) -> Value? {
    guard name.count + 1 < firstOfLength.count else { return nil }
    for position in firstOfLength[name.count]..<firstOfLength[name.count + 1]
    where entries[position].name.hasBytes(name) {
      return entries[position].value
    }
    return nil
  }
}

extension NameTable where Value: CatalogValue {
  package init() { self.init(Value.allCases, name: \.wireName) }
}

/// The names of the contract, ready for look-up.
package enum ContractNames {
  package static let members = NameTable(WireMember.allCases, name: \.wireName)
  static let eventTypes = NameTable<EventType>()
  static let surfaces = NameTable<Surface>()
  static let acquisitionChannels = NameTable<AcquisitionChannel>()
  package static let features = NameTable<Feature>()
  static let executionModes = NameTable<ExecutionMode>()
  static let failureCategories = NameTable<FailureCategory>()
  static let durationBuckets = NameTable<DurationBucket>()
}
