import AnalyticsContract

/// FIRST_OPEN happens once an installation, whatever its event id (WIRE: "Events").
public enum FirstOpenRule {
  /// How a batch stands to that rule.
  public enum Judgement: Sendable, Equatable {
    /// The batch's first open, where it has one.
    case noneOrFirst(Event?)
    /// The batch has one that is not the installation's.
    case conflict
  }

  /// Judges a batch against the event id of the installation's first open, where that is known.
  public static func judge(_ items: BatchItems, stored: UUIDValue?) -> Judgement {
    guard case .events(let events) = items else { return .noneOrFirst(nil) }
    var known = stored
    var first: Event?
    for event in events where event.kind.type == .firstOpen {
      if let known, known != event.clientEventID { return .conflict }
      known = event.clientEventID
      if first == nil { first = event }
    }
    return .noneOrFirst(first)
  }
}
