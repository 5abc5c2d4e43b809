import AnalyticsContract
import Foundation
import Testing

@testable import AnalyticsClient

@Suite struct Recording {
  private func types(_ device: Device) -> [String] { device.network.sent.flatMap(\.types) }

  @Test func everyEventOfTheCatalogCanBeRecordedAndIsAllowed() async {
    let device = Device()
    let (app, keyboard) = (device.app(), device.keyboard())
    app.opened(by: .referral)
    app.used()
    let operation = app.begin(.polish, mode: .managed)
    operation.succeeded()
    app.purchaseViewed()
    app.purchaseStarted()
    app.purchaseCancelled()
    app.referralShared()
    app.inviteOpened()
    keyboard.activated()
    keyboard.begin(.transcription, mode: .local).failed(.network)
    keyboard.begin(.agent, mode: .byok).cancelled()
    _ = await keyboard.flush()
    _ = await app.uploadAvailable()
    #expect(Set(types(device)) == Set(EventType.allCases.map(\.name)))
    // What the client writes, the contract's own table allows.
    for item in device.network.sent.flatMap(\.items) {
      let type = EventType.allCases.first { $0.name == item["eventType"] as? String }!
      let rule = Catalog.rule(for: type)
      for dimension in Dimension.allCases {
        let isThere = item[dimension.member.wireName.description] != nil
        #expect(isThere || !rule.required.contains(dimension))
        #expect(!isThere || rule.required.contains(dimension) || rule.optional.contains(dimension))
      }
      #expect(item["appVersion"] as? String == "2.1.0" && item["osVersion"] as? String == "26.1")
    }
  }

  @Test(arguments: [
    (0, "LT_1S"), (999, "LT_1S"), (1000, "S1_TO_3"), (2999, "S1_TO_3"), (3000, "S3_TO_10"),
    (9999, "S3_TO_10"), (10_000, "S10_TO_30"), (29_999, "S10_TO_30"), (30_000, "GTE_30S"), (9_000_000, "GTE_30S"),
  ])
  func durationsFallIntoBuckets(_ milliseconds: Int64, _ bucket: String) {
    #expect(DurationBucket(nanoseconds: milliseconds * 1_000_000).name == bucket)
  }

  @Test func anOperationTimesItselfAndHasOneOutcome() async {
    let device = Device()
    let app = device.app()
    let operation = app.begin(.polish, mode: .local)
    device.advance(seconds: 4)
    // Setting the clock is no passing of time.
    device.setClock(back: 7200)
    operation.failed(.timeout)
    operation.succeeded()
    operation.cancelled()
    _ = await app.uploadAvailable()
    let outcomes = device.network.sent.flatMap(\.items).filter {
      ($0["eventType"] as? String)?.hasSuffix("ED") ?? false
    }
    let failed = outcomes.filter { $0["eventType"] as? String == "AI_FEATURE_FAILED" }
    #expect(failed.count == 1 && failed[0]["durationBucket"] as? String == "S3_TO_10")
    #expect(!types(device).contains("AI_FEATURE_SUCCEEDED"))
  }

  @Test func theFirstOpenIsRecordedOnceHoweverOftenTheAppStarts() async {
    let device = Device()
    for channel in [AcquisitionChannel.socialContent, .unknown, .referral] {
      let app = device.app()
      app.opened(by: channel)
      _ = await app.flush()
      app.opened(by: channel)
      _ = await app.uploadAvailable()
      device.advance(seconds: 10)
    }
    let opens = device.network.sent.flatMap(\.items).filter { $0["eventType"] as? String == "FIRST_OPEN" }
    #expect(opens.count == 1 && opens[0]["acquisitionChannel"] as? String == "SOCIAL_CONTENT")
  }

  @Test func twoStartsAtOnceAgreeOnOneIdentityAndOneFirstOpen() async {
    for _ in 0..<10 {
      let device = Device()
      await withTaskGroup(of: Void.self) { group in
        for _ in 0..<6 {
          group.addTask {
            let app = device.app()
            app.opened(by: .unknown)
            _ = await app.uploadAvailable()
          }
        }
      }
      device.advance(seconds: 200)
      _ = await device.app().uploadAvailable()
      #expect(Set(device.network.sent.map(\.installation)).count == 1)
      let opens = device.network.sent.flatMap(\.items).filter { $0["eventType"] as? String == "FIRST_OPEN" }
      #expect(Set(opens.compactMap { $0["clientEventId"] as? String }).count == 1)
    }
  }

  @Test func aSessionBeginsAfterThirtyMinutesOfRest() async {
    let device = Device()
    let app = device.app()
    func sessions() async -> Int {
      _ = await app.uploadAvailable()
      return types(device).count { $0 == "SESSION_STARTED" }
    }
    app.used()
    #expect(await sessions() == 1)
    device.advance(seconds: 1799)
    app.used()
    #expect(await sessions() == 1)
    device.advance(seconds: 1799)
    app.purchaseViewed()
    #expect(await sessions() == 1)
    device.advance(seconds: 1800)
    app.used()
    #expect(await sessions() == 2)
    // The keyboard has sessions of its own.
    let keyboard = device.keyboard()
    keyboard.activated()
    _ = await keyboard.flush()
    #expect(await sessions() == 3)
    // A restart knows of the last use; a clock that is set makes no session while the process lives.
    let again = device.app()
    again.used()
    _ = await again.flush()
    #expect(await sessions() == 3)
    device.setClock(back: 86_400)
    again.used()
    _ = await again.flush()
    #expect(await sessions() == 3)
  }

  // MARK: - Consent and identity

  @Test func optingOutDropsEverythingAtOnceAndOptingInBeginsAfresh() async throws {
    let device = Device()
    let (app, keyboard) = (device.app(), device.keyboard())
    app.opened(by: .unknown)
    keyboard.activated()
    keyboard.committed("秘密", source: .manual)
    _ = await keyboard.flush()
    _ = await app.uploadAvailable()
    let before = device.network.sent[0].installation
    app.purchaseViewed()
    keyboard.begin(.agent, mode: .local).succeeded()
    _ = await keyboard.flush()
    #expect(await app.setCollectionAllowed(false))
    app.purchaseViewed()
    keyboard.activated()
    _ = await keyboard.flush()
    _ = await app.flush()
    #expect(await app.uploadAvailable().end == .collectionOff)
    #expect(await keyboard.uploadAvailable().end == .collectionOff)
    let names = try FileManager.default.subpathsOfDirectory(atPath: device.folder)
    #expect(!names.contains { $0.contains("events-") || $0.contains("counts-") || $0.contains("summary-") })
    #expect(await app.diagnostics().isCollectionAllowed == false)
    #expect(device.network.sent.count == 1)

    #expect(await app.setCollectionAllowed(true))
    app.opened(by: .unknown)
    app.purchaseStarted()
    _ = await app.uploadAvailable()
    let after = device.network.sent.last!
    #expect(after.installation != before && !after.installation.isEmpty)
    #expect(after.types.contains("PURCHASE_STARTED") && !after.types.contains("FIRST_OPEN"))
    #expect(!after.types.contains("PURCHASE_VIEWED") && !after.types.contains("AI_FEATURE_SUCCEEDED"))
  }

  @Test func anotherAccountBeginsAnotherIdentityAndTheSameOneDoesNot() async {
    let device = Device()
    let app = device.app()
    let (one, two) = (UUIDValue.random(), UUIDValue.random())
    func installation() async -> String {
      app.purchaseViewed()
      _ = await app.uploadAvailable()
      return device.network.sent.last!.installation
    }
    let first = await installation()
    #expect(await app.signedIn(as: one))
    #expect(await installation() == first)
    #expect(await app.signedIn(as: one))
    #expect(await installation() == first)
    app.purchaseStarted()
    #expect(await app.signedIn(as: two))
    let second = await installation()
    #expect(second != first)
    #expect(!device.network.sent.last!.types.contains("PURCHASE_STARTED"))
    #expect(await app.accountDeleted())
    #expect(await installation() != second)
    // Nothing tells which accounts these were.
    for name in FileManager.default.enumerator(atPath: device.folder)!.compactMap({ $0 as? String }) {
      let text = String(
        decoding: FileManager.default.contents(atPath: device.folder + "/" + name) ?? Data(), as: UTF8.self)
      #expect(!text.lowercased().contains(one.text()) && !name.contains(one.text()))
    }
  }

  // MARK: - Trouble

  @Test func withoutAContainerEverythingWaitsInMemory() async {
    let device = Device()
    device.isContainerAvailable = false
    let app = device.app()
    app.opened(by: .unknown)
    app.purchaseViewed()
    #expect(await app.flush() == false)
    #expect(await app.uploadAvailable().end == .unavailable)
    device.isContainerAvailable = true
    #expect(await app.flush())
    _ = await app.uploadAvailable()
    #expect(types(device).sorted() == ["FIRST_OPEN", "PURCHASE_VIEWED", "SESSION_STARTED"])
  }

  @Test func theQueueKeepsWithinItsBoundsAndWhatMattersLeastGoesFirst() async {
    let device = Device()
    device.limits.events = 200
    let app = device.app()
    app.opened(by: .unknown)
    for _ in 0..<20 { app.purchaseStarted() }
    _ = await app.flush()
    for _ in 0..<10 {
      for _ in 0..<50 {
        device.advance(seconds: 1801)
        app.used()
      }
      _ = await app.flush()
    }
    let snapshot = await app.diagnostics()
    #expect(snapshot.queuedEvents <= 200)
    #expect(snapshot.counts[.evicted] > 200)
    _ = await app.uploadAvailable(maximumBatches: 100)
    #expect(types(device).count { $0 == "PURCHASE_STARTED" } == 20)
    #expect(types(device).count { $0 == "FIRST_OPEN" } == 1)
  }

  @Test func whatIsTooOldIsDroppedAndCounted() async {
    let device = Device()
    let app = device.app()
    app.purchaseViewed()
    _ = await app.flush()
    device.advance(seconds: 34 * 86_400 + 1)
    app.purchaseStarted()
    _ = await app.uploadAvailable()
    #expect(types(device).sorted() == ["PURCHASE_STARTED", "SESSION_STARTED"])
    #expect(await app.diagnostics().counts[.expired] == 2)
  }

  @Test func aHundredThousandQuickRecordsStayWithinBounds() async {
    let device = Device()
    let app = device.app()
    for number in 0..<100_000 {
      app.purchaseViewed()
      if number % 4000 == 0 { _ = await app.flush() }
    }
    #expect(await app.flush())
    let snapshot = await app.diagnostics()
    #expect(snapshot.queuedEvents <= 10_000 && snapshot.queuedBytes <= 5_000_000)
    #expect(snapshot.counts[.recorded] == 100_000)
    #expect(snapshot.counts[.evicted] + UInt64(snapshot.queuedEvents) == 100_001)
  }

  @Test func everyCutAndEveryChangedByteOfASegmentLeavesTheOtherRecords() async throws {
    let device = Device()
    let app = device.app()
    app.purchaseViewed()
    app.purchaseStarted()
    app.referralShared()
    _ = await app.flush()
    let segments = try device.segments()
    let name = try #require(try segments.segments().first)
    let path = segments.folder.path(of: name.text)
    let whole = Array(try #require(FileManager.default.contents(atPath: path)))
    #expect(whole.count == 4 * EventRecord.size)
    func live(_ bytes: [UInt8]) throws -> Int {
      try Data(bytes).write(to: URL(filePath: path))
      var live = 0
      _ = try segments.scan(name, as: 0) { _, _ in live += 1 }
      return live
    }
    for length in 0...whole.count { #expect(try live(Array(whole[..<length])) == length / EventRecord.size) }
    for position in whole.indices {
      for bit in [0, 3, 7] {
        var damaged = whole
        damaged[position] ^= 1 << bit
        // A changed byte costs its own record at most, and none where it is in the mark.
        let isMark = position % EventRecord.size >= EventRecord.markOffset
        #expect(try live(damaged) == (isMark ? 4 : 3), "byte \(position)")
      }
    }
  }

  @Test func nothingIdentifyingIsInADescription() async {
    let device = Device()
    let app = device.app()
    app.purchaseViewed()
    _ = await app.uploadAvailable()
    let text = "\(await app.diagnostics())"
    #expect(text.contains("accepted: 2"))
    #expect(!text.contains(device.network.sent[0].installation) && !text.contains(device.network.sent[0].ids[0]))
  }
}
