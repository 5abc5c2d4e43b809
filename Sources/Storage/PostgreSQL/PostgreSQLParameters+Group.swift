import AnalyticsContract
import PostgreSQL

extension PostgreSQLParameters {
  /// The parameters of ``IngestionStatements/insertInstallations``.
  static func newInstallations(_ batches: [PostgreSQLBatch]) -> PostgreSQLParameters {
    var digests = BinaryArray(of: .bytes, capacity: batches.count * 4)
    var accounts = BinaryArray(of: .uuid, capacity: batches.count)
    var linkedAt = BinaryArray(of: .int64, capacity: batches.count)
    var firstSeenAt = BinaryArray(of: .int64, capacity: batches.count)
    var lastSeenDays = BinaryArray(of: .int32, capacity: batches.count)
    var firstOpens = FirstOpenArrays()
    for batch in batches {
      let now = batch.submission.receivedAt
      digests.append(batch.submission.installation)
      accounts.append(batch.account)
      linkedAt.append(batch.isNewLink ? now.microseconds : nil)
      firstSeenAt.append(now.microseconds)
      lastSeenDays.append(now.day)
      firstOpens.append(batch.firstOpen)
    }
    return PostgreSQLParameters(
      digests, accounts, linkedAt, firstSeenAt, lastSeenDays, firstOpens.ids, firstOpens.instants, firstOpens.channels)
  }

  /// The parameters of ``IngestionStatements/updateInstallations``.
  static func changedInstallations(_ batches: [PostgreSQLBatch]) -> PostgreSQLParameters {
    var keys = BinaryArray(of: .int64)
    var accounts = BinaryArray(of: .uuid)
    var linkedAt = BinaryArray(of: .int64)
    var lastSeenDays = BinaryArray(of: .int32)
    var firstOpens = FirstOpenArrays()
    for batch in batches {
      let now = batch.submission.receivedAt
      keys.append(batch.key)
      accounts.append(batch.account)
      linkedAt.append(batch.isNewLink ? now.microseconds : nil)
      lastSeenDays.append(now.day)
      firstOpens.append(batch.firstOpen)
    }
    return PostgreSQLParameters(
      keys, accounts, linkedAt, lastSeenDays, firstOpens.ids, firstOpens.instants, firstOpens.channels)
  }

  /// The parameters of ``IngestionStatements/insertSummaries``.
  static func summaries(of batches: [PostgreSQLBatch]) -> PostgreSQLParameters {
    var keys = BinaryArray(of: .int64)
    var days = BinaryArray(of: .int32)
    var ids = BinaryArray(of: .uuid)
    var receivedAt = BinaryArray(of: .int64)
    var counts = UsageCounter.allCases.map { _ in BinaryArray(of: .int32) }
    var appVersions = BinaryArray(of: .text)
    var osVersions = BinaryArray(of: .text)
    for batch in batches {
      for summary in batch.summaries {
        keys.append(batch.key)
        days.append(summary.date)
        ids.append(summary.clientSummaryID)
        receivedAt.append(batch.submission.receivedAt.microseconds)
        for counter in UsageCounter.allCases { counts[counter.rawValue].append(summary.counts[counter]) }
        appVersions.append(summary.appVersion)
        osVersions.append(summary.osVersion)
      }
    }
    var parameters = PostgreSQLParameters(keys, days, ids, receivedAt)
    for array in counts { parameters.add(array) }
    parameters.add(appVersions)
    parameters.add(osVersions)
    return parameters
  }
}

extension PostgreSQLParameters {
  /// One parameter of bytes.
  static func bytes(_ bytes: [UInt8]) -> PostgreSQLParameters {
    var parameters = PostgreSQLParameters()
    bytes.withUnsafeBytes { parameters.add(bytes: $0) }
    return parameters
  }

  /// The parameters of ``IngestionStatements/findActivations``.
  static func activationWindows(of batches: [PostgreSQLBatch]) -> PostgreSQLParameters {
    var keys = BinaryArray(of: .int64)
    var first = BinaryArray(of: .int64)
    var last = BinaryArray(of: .int64)
    for batch in batches {
      guard let firstOpen = batch.knownFirstOpen else { continue }
      keys.append(batch.key)
      first.append(firstOpen.at.microseconds)
      last.append(firstOpen.activationEnd.microseconds)
    }
    return PostgreSQLParameters(keys, first, last)
  }
}

extension CopyRows {
  /// The events that a group inserts, column by column as the table has them.
  static func events(of batches: [PostgreSQLBatch]) -> CopyRows {
    let count = batches.reduce(0) { $0 + $1.events.count }
    var rows = CopyRows(fieldCount: 13, capacity: count * 140)
    for batch in batches {
      for event in batch.events {
        rows.beginRow()
        rows.append(batch.key)
        rows.append(event.clientEventID)
        rows.append(event.occurredAt.microseconds)
        rows.append(batch.submission.receivedAt.microseconds)
        rows.append(Int16(event.kind.type.code))
        rows.append(Int16(event.kind.surface.code))
        for dimension in Dimension.allCases { rows.append(optionalCode: event.kind.code(of: dimension)) }
        rows.append(event.appVersion)
        rows.append(event.osVersion)
      }
    }
    return rows
  }
}

/// What the first opens of a group write into the rows of their installations.
private struct FirstOpenArrays {
  var ids = BinaryArray(of: .uuid)
  var instants = BinaryArray(of: .int64)
  var channels = BinaryArray(of: .int16)

  mutating func append(_ event: Event?) {
    ids.append(event?.clientEventID)
    instants.append(event?.occurredAt.microseconds)
    channels.append(optionalCode: event?.kind.acquisitionChannel?.code ?? 0)
  }
}

extension Digest {
  /// The order of the bytes, which is the database's.
  func precedes(_ other: Digest) -> Bool {
    withUnsafeBytes { own in other.withUnsafeBytes { own.lexicographicallyPrecedes($0) } }
  }
}
