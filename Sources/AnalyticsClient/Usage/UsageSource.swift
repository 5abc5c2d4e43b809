import AnalyticsContract

/// The finalised keyboard usage summaries, for the uploader. Whatever process uploads first after a day is over makes
/// its summary, once, from what all processes have counted.
struct UsageSource: UploadSource {
  typealias Item = UsageFiles.StoredSummary

  /// The folder of keyboard usage of the present identity; `nil` while there is none.
  let folder: @Sendable () -> Folder?
  let clock: UTCClock
  let diagnostics: Diagnostics
  /// The versions that a summary names: those of the process that finalises it.
  let appVersion: ReleaseVersion?
  let osVersion: ReleaseVersion?

  /// How long after midnight a day is finalised: another process may still have counts to save.
  static let graceSeconds: Int64 = 600
  /// Older summaries are not sent any more, in days: the server takes 35, and its clock may be ahead.
  static let maximumAgeDays: Int32 = 34

  var endpoint: IngestionEndpoint { .keyboardUsage }

  private var files: UsageFiles? { folder().map { UsageFiles(folder: $0) } }

  /// Makes the summaries of days that are over, and clears away what is too old.
  func begin() {
    guard let files else { return }
    do throws(FileError) {
      try finalize(files)
      try clear(files)
    } catch { diagnostics.add(.failedWrites) }
  }

  func peek(limit: Int) -> [UsageFiles.StoredSummary] {
    guard let files, let summaries = try? files.summaries() else { return [] }
    let today = clock.now.day
    let days = today.advanced(by: -Self.maximumAgeDays)...today.advanced(by: -1)
    return Array(summaries.filter { days.contains($0.date) }.prefix(limit))
  }

  func contents(of items: [UsageFiles.StoredSummary]) -> BatchItems {
    .summaries(
      items.map {
        KeyboardUsageSummary(
          clientSummaryID: $0.id, date: $0.date, counts: $0.counts, appVersion: $0.appVersion, osVersion: $0.osVersion)
      })
  }

  func remove(_ items: [UsageFiles.StoredSummary]) {
    for item in items { try? files?.close(item.date) }
  }

  func quarantine(_ item: UsageFiles.StoredSummary) {
    remove([item])
  }

  private func finalize(_ files: UsageFiles) throws(FileError) {
    let last = clock.now.advanced(bySeconds: -Self.graceSeconds).day.advanced(by: -1)
    for (day, counters) in Dictionary(grouping: try files.counterFiles(), by: \.day) where day <= last {
      if !files.isOver(day) {
        var counts = UsageCounts()
        for counter in counters {
          if let part = try files.counts(in: counter) { counts.add(part) } else { diagnostics.add(.damagedRecords) }
        }
        counts = counts.withinBounds
        if counts[.inputSessions] == 0 || !counts.violations.isEmpty {
          try files.close(day)
        } else {
          try files.finalize(
            UsageFiles.StoredSummary(
              id: .random(), date: day, counts: counts, appVersion: appVersion, osVersion: osVersion))
        }
      }
      // Only now: until there is a summary the counters are all that there is.
      for counter in counters { files.folder.remove(counter.name) }
    }
  }

  private func clear(_ files: UsageFiles) throws(FileError) {
    let today = clock.now.day
    for summary in try files.summaries() where summary.date < today.advanced(by: -Self.maximumAgeDays) {
      diagnostics.add(.expired)
      try files.close(summary.date)
    }
    for day in try files.closedDays() where day < today.advanced(by: -2 * Self.maximumAgeDays) { files.forget(day) }
  }
}
