import AnalyticsContract
import ServerFacts

/// The codes of a closed set with the names that views show for them.
struct CodeNames: Equatable, Sendable {
  let names: [Int: String]

  init(_ names: [Int: String]) { self.names = names }

  init<Value: CatalogValue>(_ values: Value.Type) {
    names = Dictionary(uniqueKeysWithValues: Value.allCases.map { (Int($0.code), $0.name) })
  }

  /// Those up to a code: codes are permanent and only ever added, so this stays what it was.
  func through(_ last: Int) -> CodeNames { CodeNames(names.filter { $0.key <= last }) }

  /// Those of some codes.
  func only(_ codes: Set<Int>) -> CodeNames { CodeNames(names.filter { codes.contains($0.key) }) }
}

/// All the names that the views of one version show.
///
/// The statements of a migration must stay what they were, while the catalog grows. So a migration makes its views with
/// the names that the catalog had then (``first``), and a test fails as long as the newest of them lacks a name.
/// Whoever adds a value to the catalog adds the names of that version here, and a migration that replaces the views
/// with them.
struct ViewNames: Equatable, Sendable {
  var eventTypes = CodeNames(EventType.self)
  var surfaces = CodeNames(Surface.self)
  var acquisitionChannels = CodeNames(AcquisitionChannel.self)
  var features = CodeNames(Feature.self)
  var executionModes = CodeNames(ExecutionMode.self)
  var failureCategories = CodeNames(FailureCategory.self)
  var durationBuckets = CodeNames(DurationBucket.self)
  var latenesses = CodeNames(Lateness.self)
  var endpoints = CodeNames(
    Dictionary(uniqueKeysWithValues: IngestionEndpoint.allCases.map { (Int($0.code), $0.viewName) }))
  var outcomes = CodeNames(
    Dictionary(uniqueKeysWithValues: ReceiptOutcome.allCases.map { (Int($0.rawValue), $0.viewName) }))
  var errorCodes = CodeNames(
    Dictionary(uniqueKeysWithValues: ErrorCode.allCases.map { ($0.status, $0.wireName.description) }))
  var productTypes = CodeNames(
    Dictionary(uniqueKeysWithValues: StoreKitProductType.allCases.map { (Int($0.rawValue), $0.name.description) }))
  var environments = CodeNames(
    Dictionary(uniqueKeysWithValues: StoreKitEnvironment.allCases.map { (Int($0.rawValue), $0.name.description) }))

  /// Everything that there is a name for.
  static var all: ViewNames { ViewNames() }

  /// What there was when the views were made.
  static var first: ViewNames {
    let all = ViewNames()
    return ViewNames(
      eventTypes: all.eventTypes.through(11), surfaces: all.surfaces.through(3),
      acquisitionChannels: all.acquisitionChannels.through(4), features: all.features.through(6),
      executionModes: all.executionModes.through(3), failureCategories: all.failureCategories.through(7),
      durationBuckets: all.durationBuckets.through(5), latenesses: all.latenesses.through(5),
      endpoints: all.endpoints.through(2), outcomes: all.outcomes.through(2),
      errorCodes: all.errorCodes.only([400, 401, 403, 404, 405, 408, 409, 413, 415, 422, 429, 500, 503]),
      productTypes: all.productTypes.through(4), environments: all.environments.through(2))
  }

  /// What the newest migration that makes views shows.
  static var newest: ViewNames { first }
}

extension IngestionEndpoint {
  fileprivate var viewName: String {
    switch self {
    case .events: "events"
    case .keyboardUsage: "keyboard_usage"
    }
  }
}

extension ReceiptOutcome {
  fileprivate var viewName: String {
    switch self {
    case .accepted: "accepted"
    case .replayed: "replayed"
    }
  }
}
