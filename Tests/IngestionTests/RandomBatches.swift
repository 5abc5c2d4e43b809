import AnalyticsContract

/// Every kind of event that the contract has.
let everyKind: [EventKind] = {
  var kinds: [EventKind] = AcquisitionChannel.allCases.map { .firstOpen(acquisitionChannel: $0) }
  kinds += EventKind.AppSurface.allCases.map { .sessionStarted(on: $0) }
  kinds += [.keyboardActivated, .purchaseViewed, .purchaseStarted, .purchaseCancelled, .referralShared, .inviteOpened]
  for feature in Feature.allCases {
    for mode in ExecutionMode.allCases {
      for surface in Surface.allCases {
        kinds.append(.aiFeatureStarted(feature, mode: mode, on: surface))
        for duration in DurationBucket.allCases {
          kinds.append(.aiFeatureSucceeded(feature, mode: mode, on: surface, duration: duration))
        }
        for failure in FailureCategory.allCases {
          for duration in [nil] + DurationBucket.allCases.map(Optional.some) {
            kinds.append(.aiFeatureFailed(feature, mode: mode, on: surface, failure: failure, duration: duration))
          }
        }
      }
    }
  }
  return kinds
}()

extension SeededRandom {
  mutating func uuid() -> UUIDValue { UUIDValue(high: next() | 1, low: next()) }

  mutating func version() -> ReleaseVersion? {
    if oneIn(3) { return nil }
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789.-_+")
    let length = Int.random(in: 1...32, using: &self)
    return ReleaseVersion(String((0..<length).map { _ in alphabet.randomElement(using: &self)! }))
  }

  mutating func event(_ kind: EventKind? = nil) -> Event {
    let window = AcceptanceWindow(at: now).instants
    var microseconds = Int64.random(in: window.lowerBound.microseconds...window.upperBound.microseconds, using: &self)
    if oneIn(3) { microseconds -= microseconds % 1000 }
    if oneIn(20) { microseconds = window.lowerBound.microseconds }
    if oneIn(20) { microseconds = window.upperBound.microseconds }
    return Event(
      clientEventID: uuid(), occurredAt: Instant(microseconds: microseconds),
      kind: kind ?? everyKind.randomElement(using: &self)!, appVersion: version(), osVersion: version())
  }

  mutating func summary() -> KeyboardUsageSummary {
    var counts = UsageCounts()
    let kinds: [UsageCounter] = [
      .chineseOnlySessions, .englishOnlySessions, .mixedLanguageSessions, .otherOnlySessions,
    ]
    var rest = Int32.random(in: 0...(oneIn(2) ? 100_000 : 20), using: &self)
    counts[.inputSessions] = rest
    for kind in kinds.dropLast() {
      counts[kind] = Int32.random(in: 0...rest, using: &self)
      rest -= counts[kind]
    }
    counts[.otherOnlySessions] = rest
    for script in [UsageCounter.chineseCharacters, .englishCharacters, .otherCharacters] {
      counts[script] = Int32.random(in: 0...1_000_000, using: &self)
    }
    let script = [UsageCounter.chineseCharacters, .englishCharacters, .otherCharacters].randomElement(using: &self)!
    counts[script] = max(counts[script], counts[.inputSessions])
    let day = now.day.advanced(by: -Int32.random(in: 1...35, using: &self))
    return KeyboardUsageSummary(
      clientSummaryID: uuid(), date: day, counts: counts, appVersion: version(), osVersion: version())
  }

  /// A valid batch; few have many items.
  mutating func batch(_ endpoint: IngestionEndpoint) -> Batch {
    let count = oneIn(20) ? Int.random(in: 1...50, using: &self) : Int.random(in: 1...4, using: &self)
    let items: BatchItems
    switch endpoint {
    case .events: items = .events((0..<count).map { _ in event() })
    case .keyboardUsage: items = .summaries((0..<count).map { _ in summary() })
    }
    return Batch(installation: InstallationID(uuid())!, items: items)
  }
}
