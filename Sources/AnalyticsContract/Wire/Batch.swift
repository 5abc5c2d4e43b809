/// The items of one upload.
public enum BatchItems: Sendable, Hashable, Redacted {
  /// Of `/v1/analytics/events`.
  case events([Event])
  /// Of `/v1/analytics/keyboard-usage`.
  case summaries([KeyboardUsageSummary])

  /// How many there are.
  public var count: Int {
    switch self {
    case .events(let events): events.count
    case .summaries(let summaries): summaries.count
    }
  }
}

/// One upload of one installation.
public struct Batch: Sendable, Hashable, Redacted {
  /// Whose items they are.
  public let installation: InstallationID
  /// The items, 1 to 50.
  public let items: BatchItems

  /// - Parameters:
  ///   - installation: whose items they are.
  ///   - items: 1 to 50.
  public init(installation: InstallationID, items: BatchItems) {
    self.installation = installation
    self.items = items
  }
}

/// The two ingestion endpoints.
public enum IngestionEndpoint: CaseIterable, Sendable {
  /// `POST /v1/analytics/events`.
  case events
  /// `POST /v1/analytics/keyboard-usage`.
  case keyboardUsage

  /// The URL path.
  public var path: StaticString {
    switch self {
    case .events: "/v1/analytics/events"
    case .keyboardUsage: "/v1/analytics/keyboard-usage"
    }
  }

  /// The root member that holds the items.
  public var collection: WireMember {
    switch self {
    case .events: .events
    case .keyboardUsage: .summaries
    }
  }

  /// The permanent code in storage.
  public var code: UInt8 {
    switch self {
    case .events: 1
    case .keyboardUsage: 2
    }
  }
}
