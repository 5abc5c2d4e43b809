import AnalyticsContract

/// The files of keyboard usage in the folder that app and keyboard share. There are no locks: a counter file belongs to
/// one process, and a summary is made by one `link`, which only one process can do for a day.
///
/// | file | |
/// | --- | --- |
/// | `counts-DAY-PROCESS` | what one process has counted on a day, replaced as a whole |
/// | `summary-DAY` | the day's summary with its id, made once and never changed |
/// | `done-DAY` | the day's summary was delivered, or there was nothing to deliver |
///
/// DAY counts from 1970. Each file ends with the checksum of what is before it; one that is damaged counts as none.
struct UsageFiles {
  let folder: Folder

  /// What a process counted on a day.
  struct CounterFile {
    let name: String
    let day: CalendarDay
  }

  /// A finalised summary.
  struct StoredSummary: Sendable, Equatable {
    let id: UUIDValue
    let date: CalendarDay
    let counts: UsageCounts
    let appVersion: ReleaseVersion?
    let osVersion: ReleaseVersion?
  }

  // MARK: - Counters

  /// Writes what this process has counted on a day.
  func save(_ counts: UsageCounts, on day: CalendarDay, process: UInt64) throws(FileError) {
    try folder.replace("counts-\(day.daysSince1970)-\(hexadecimal(process))", Checksum.sealing(counts.bytes))
  }

  /// The counter files of all processes and days.
  func counterFiles() throws(FileError) -> [CounterFile] {
    try folder.names().compactMap { name in
      let parts = name.split(separator: "-", maxSplits: 1)
      // Days before 1970 have a sign of their own.
      guard parts.count == 2, parts[0] == "counts", let end = parts[1].lastIndex(of: "-"),
        let day = Int32(parts[1][..<end])
      else { return nil }
      return CounterFile(name: name, day: CalendarDay(daysSince1970: day))
    }
  }

  /// What a counter file says; `nil` where it is gone or damaged.
  func counts(in file: CounterFile) throws(FileError) -> UsageCounts? {
    guard let sealed = try folder.contents(of: file.name), let bytes = Checksum.opening(sealed[...]) else { return nil }
    return UsageCounts(bytes: bytes)
  }

  // MARK: - Days

  /// Whether a day can't be counted any more: it has a summary, or had one.
  func isOver(_ day: CalendarDay) -> Bool {
    folder.contains("summary-\(day.daysSince1970)") || folder.contains("done-\(day.daysSince1970)")
  }

  /// Makes a day's summary; where another process was faster, its summary stays.
  func finalize(_ summary: StoredSummary) throws(FileError) {
    _ = try folder.create("summary-\(summary.date.daysSince1970)", Checksum.sealing(summary.bytes))
  }

  /// The finalised summaries, by date.
  func summaries() throws(FileError) -> [StoredSummary] {
    var summaries: [StoredSummary] = []
    for day in try days("summary") {
      guard let sealed = try folder.contents(of: "summary-\(day.daysSince1970)"),
        let bytes = Checksum.opening(sealed[...]), let summary = StoredSummary(date: day, bytes: bytes)
      else { continue }
      summaries.append(summary)
    }
    return summaries.sorted { $0.date < $1.date }
  }

  /// Notes that a day has nothing to deliver any more, then forgets its summary.
  func close(_ day: CalendarDay) throws(FileError) {
    _ = try folder.create("done-\(day.daysSince1970)", [])
    folder.remove("summary-\(day.daysSince1970)")
  }

  /// The days that have nothing to deliver any more.
  func closedDays() throws(FileError) -> [CalendarDay] { try days("done") }

  /// Forgets that a day is over: for days so old that nothing about them is taken any more.
  func forget(_ day: CalendarDay) { folder.remove("done-\(day.daysSince1970)") }

  private func days(_ kind: String) throws(FileError) -> [CalendarDay] {
    try folder.names().compactMap { name in
      guard name.hasPrefix(kind + "-") else { return nil }
      return Int32(name.dropFirst(kind.count + 1)).map { CalendarDay(daysSince1970: $0) }
    }
  }
}

// MARK: - Bytes

extension UsageCounts {
  /// Four bytes a counter, least significant first, after the version of this layout.
  fileprivate var bytes: [UInt8] {
    [1]
      + UsageCounter.allCases.flatMap { counter in
        (0..<4).map { UInt8(truncatingIfNeeded: self[counter] >> ($0 * 8)) }
      }
  }

  fileprivate init?(bytes: [UInt8]) {
    guard bytes.first == 1, bytes.count == 1 + 4 * UsageCounter.allCases.count else { return nil }
    self.init()
    for (position, counter) in UsageCounter.allCases.enumerated() {
      let value = bytes[(1 + position * 4)..<(5 + position * 4)].reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
      guard let count = Int32(exactly: value) else { return nil }
      self[counter] = count
    }
  }
}

extension UsageFiles.StoredSummary {
  /// The id, the counts, then both versions with their lengths.
  fileprivate var bytes: [UInt8] {
    id.bytes + counts.bytes
      + [appVersion, osVersion].flatMap { [UInt8($0?.count ?? 0)] + Array(($0?.text ?? "").utf8) }
  }

  fileprivate init?(date: CalendarDay, bytes: [UInt8]) {
    let countsEnd = 16 + 1 + 4 * UsageCounter.allCases.count
    guard bytes.count > countsEnd, let id = bytes[..<16].withUnsafeBytes({ UUIDValue(bytes: $0) }),
      let counts = UsageCounts(bytes: Array(bytes[16..<countsEnd]))
    else { return nil }
    var versions: [ReleaseVersion?] = []
    var position = countsEnd
    while position < bytes.count {
      let end = position + 1 + Int(bytes[position])
      guard end <= bytes.count else { return nil }
      versions.append(ReleaseVersion(String(decoding: bytes[(position + 1)..<end], as: UTF8.self)))
      position = end
    }
    guard versions.count == 2 else { return nil }
    self.init(id: id, date: date, counts: counts, appVersion: versions[0], osVersion: versions[1])
  }
}
