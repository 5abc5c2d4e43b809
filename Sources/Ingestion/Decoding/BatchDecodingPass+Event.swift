import AnalyticsContract

extension BatchDecodingPass {
  private static let everyEventHas: [WireMember] = [.clientEventId, .eventType, .occurredAt, .surface]
  private static let everyEventHasSet = WireMemberSet(everyEventHas)
  private static let eventMembers = WireMemberSet(
    everyEventHas + Dimension.allCases.map(\.member) + [.appVersion, .osVersion, .installationId])

  /// Decodes the item at `index` as an event and keeps it if nothing has been reported so far.
  mutating func decodeEvent() throws(JSONSyntaxError) {
    guard try beginObject() else { return }
    var seen = WireMemberSet()
    unreadable = WireMemberSet()
    var id: UUIDValue?
    var type: EventType?
    var occurredAt: Instant?
    var surface: Surface?
    var channel: AcquisitionChannel?
    var feature: Feature?
    var mode: ExecutionMode?
    var failure: FailureCategory?
    var duration: DurationBucket?
    var appVersion: ReleaseVersion?
    var osVersion: ReleaseVersion?
    var more = !reader.take(UInt8(ascii: "}"))
    while more {
      let member = try memberName(of: Self.eventMembers, ifNew: &seen)
      switch member {
      case .clientEventId: id = try uuid(.clientEventId)
      case .eventType: type = try value(.eventType, ContractNames.eventTypes, isOptional: false)
      case .occurredAt: occurredAt = try instant()
      case .surface: surface = try value(.surface, ContractNames.surfaces, isOptional: false)
      case .acquisitionChannel: channel = try value(.acquisitionChannel, ContractNames.acquisitionChannels)
      case .feature: feature = try value(.feature, ContractNames.features)
      case .executionMode: mode = try value(.executionMode, ContractNames.executionModes)
      case .failureCategory: failure = try value(.failureCategory, ContractNames.failureCategories)
      case .durationBucket: duration = try value(.durationBucket, ContractNames.durationBuckets)
      case .appVersion: appVersion = try version(.appVersion)
      case .osVersion: osVersion = try version(.osVersion)
      case .installationId: if let uuid = try identity() { resolution.item(uuid, at: index ?? 0) }
      default: try skipUnknown()
      }
      more = try continues()
    }
    if !seen.isSuperset(of: Self.everyEventHasSet) {
      for member in Self.everyEventHas where !seen.contains(member) { report(.missingMember, member) }
    }
    // Where one of these is nil, the reason has been reported.
    guard let type, let surface else { return }
    let kind = EventKind(
      type: type, surface: surface, acquisitionChannel: channel, feature: feature, executionMode: mode,
      failureCategory: failure, durationBucket: duration)
    let rule = Catalog.rule(for: type)
    if !rule.allows(kind) {
      for (member, broken) in rule.violations(of: kind) where !unreadable.contains(member) { report(broken, member) }
    }
    guard violations.isEmpty, let id, let occurredAt else { return }
    events.append(
      Event(clientEventID: id, occurredAt: occurredAt, kind: kind, appVersion: appVersion, osVersion: osVersion))
  }

  private mutating func instant() throws(JSONSyntaxError) -> Instant? {
    guard let instant = try instant(.occurredAt) else { return nil }
    if window.instants.contains(instant) { return instant }
    report(instant < window.instants.lowerBound ? .tooOld : .inFuture, .occurredAt)
    return nil
  }
}
