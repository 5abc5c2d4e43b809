/// The two forms in which clients name their installation.
public enum TransportForm: CaseIterable, Sendable {
  /// `installationId` once, at the root, in lower case: clients from 2.1 on.
  case root
  /// `installationId` in every item, in upper case: the released client 2.0.0.
  case everyItem
}

extension Batch {
  /// The request body: canonical JSON (sorted members, no white space, absent members left out), so that one batch
  /// always has the same bytes.
  public func body(form: TransportForm = .root) -> [UInt8] {
    var writer = CanonicalJSONWriter(capacity: 512 * items.count + 64)
    var root: [CanonicalJSONWriter.Member] = []
    switch items {
    case .events(let events):
      root.append((.events, .array(events.map { .object($0.members + identity(form)) })))
    case .summaries(let summaries):
      root.append((.summaries, .array(summaries.map { .object($0.members + identity(form)) })))
    }
    if form == .root { root.append((.installationId, .text(installation.uuid.text()))) }
    writer.write(.object(root))
    return writer.bytes
  }

  private func identity(_ form: TransportForm) -> [CanonicalJSONWriter.Member] {
    form == .everyItem ? [(.installationId, .text(installation.uuid.text(uppercase: true)))] : []
  }
}

extension Event {
  fileprivate var members: [CanonicalJSONWriter.Member] {
    var members: [CanonicalJSONWriter.Member] = [
      (.clientEventId, .text(clientEventID.text(uppercase: true))),
      (.eventType, .text(kind.type.name)),
      (.occurredAt, .text(occurredAt.iso8601(fractionDigits: occurredAt.microseconds % 1000 == 0 ? 3 : 6))),
      (.surface, .text(kind.surface.name)),
    ]
    if let value = kind.acquisitionChannel { members.append((.acquisitionChannel, .text(value.name))) }
    if let value = kind.feature { members.append((.feature, .text(value.name))) }
    if let value = kind.executionMode { members.append((.executionMode, .text(value.name))) }
    if let value = kind.failureCategory { members.append((.failureCategory, .text(value.name))) }
    if let value = kind.durationBucket { members.append((.durationBucket, .text(value.name))) }
    return members + versionMembers(app: appVersion, os: osVersion)
  }
}

extension KeyboardUsageSummary {
  fileprivate var members: [CanonicalJSONWriter.Member] {
    [
      (.clientSummaryId, .text(clientSummaryID.text(uppercase: true))),
      (.summaryDate, .text(date.description)),
    ] + UsageCounter.allCases.map { ($0.member, .integer(Int64(counts[$0]))) }
      + versionMembers(app: appVersion, os: osVersion)
  }
}

private func versionMembers(app: ReleaseVersion?, os: ReleaseVersion?) -> [CanonicalJSONWriter.Member] {
  var members: [CanonicalJSONWriter.Member] = []
  if let app { members.append((.appVersion, .text(app.text))) }
  if let os { members.append((.osVersion, .text(os.text))) }
  return members
}
