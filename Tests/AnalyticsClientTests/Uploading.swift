import AnalyticsContract
import Foundation
import Testing

@testable import AnalyticsClient

@Suite struct Uploading {
  private func status(_ status: Int, retryAfter: Int? = nil) -> ScriptedNetwork.Answer {
    { _ in UploadAnswer(status: status, retryAfterSeconds: retryAfter) }
  }

  /// Records so many events, a second apart, without the session's own.
  private func record(_ count: Int, _ app: AppAnalytics, _ device: Device) async {
    for _ in 0..<count {
      app.purchaseViewed()
      device.advance(seconds: 1)
    }
    _ = await app.flush()
  }

  @Test func fiftyAtATimeOldestFirstAndOnlyConfirmedOnesGo() async throws {
    let device = Device()
    let app = device.app()
    await record(120, app, device)
    let result = await app.uploadAvailable()
    // With the event of the session that began.
    #expect(result == UploadResult(end: .everythingSent, batches: 3, items: 121))
    #expect(device.network.sent.map(\.items.count) == [50, 50, 21])
    let times = device.network.sent.flatMap(\.items).compactMap { $0["occurredAt"] as? String }
    #expect(times == times.sorted())
    #expect(Set(device.network.sent.flatMap(\.ids)).count == 121)
    #expect(device.network.sent.allSatisfy { $0.path == "/v1/analytics/events" && $0.isCompressed && $0.token == nil })
    #expect(Set(device.network.sent.map(\.installation)).count == 1)
    #expect(await app.uploadAvailable() == UploadResult(end: .everythingSent))
    #expect(device.network.sent.count == 3)
    #expect(await app.diagnostics().counts[.accepted] == 121)
  }

  @Test func enoughIsEnough() async {
    let device = Device()
    let app = device.app()
    await record(120, app, device)
    #expect(await app.uploadAvailable(maximumBatches: 2) == UploadResult(end: .enough, batches: 2, items: 100))
    #expect(await app.uploadAvailable(maximumBatches: 2) == UploadResult(end: .everythingSent, batches: 1, items: 21))
  }

  @Test(arguments: [408, 425 + 75, 500, 502, 503, 504, 429, 301, 302, 304, 204, 201])
  func whatSaysNothingAboutTheBatchKeepsItAndItComesAgainAsTheSameBytes(_ code: Int) async {
    let device = Device()
    let app = device.app()
    await record(3, app, device)
    device.network.next(status(code))
    guard case .waiting(let seconds) = await app.uploadAvailable().end else {
      Issue.record("no pause")
      return
    }
    #expect((0...15).contains(seconds))
    device.advance(seconds: 16)
    #expect(await app.uploadAvailable().end == .everythingSent)
    #expect(device.network.sent.count == 2 && device.network.sent[0].body == device.network.sent[1].body)
  }

  @Test(arguments: [
    "", "{}", #"{"accepted":4}"#, #"{"accepted":3,"replayed":0}"#, #"{"accepted":4,"replayed":1}"#,
    #"{"accepted":4,"replayed":0,"more":1}"#, #"{"accepted":4,"replayed":0}x"#, "<html>",
    #"{"accepted":04,"replayed":0}"#,
    #"{"accepted":4.0,"replayed":0}"#, #"{"accepted":4,"accepted":4}"#,
  ])
  func onlyTheExactReceiptConfirms(_ body: String) async {
    let device = Device()
    let app = device.app()
    await record(3, app, device)
    device.network.next({ _ in UploadAnswer(status: 200, body: Array(body.utf8)) })
    guard case .waiting = await app.uploadAvailable().end else {
      Issue.record("taken for a receipt")
      return
    }
    device.advance(seconds: 16)
    #expect(await app.uploadAvailable().items == 4)
  }

  @Test(arguments: [400, 409, 422]) func oneBadItemIsFoundByHalvingAndAllOthersArrive(_ code: Int) async {
    let device = Device()
    let app = device.app()
    await record(59, app, device)
    let bad = Set([17])
    // The server refuses whatever contains one of the bad ones, by its place among all.
    let seen = Numbers()
    device.network.always { sent in
      let numbers = sent.ids.map { seen.number(of: $0) }
      return numbers.contains(where: bad.contains) ? UploadAnswer(status: code) : .confirming(sent.items.count)
    }
    let result = await app.uploadAvailable(maximumBatches: 100)
    #expect(result.end == .everythingSent && result.items == 59)
    let counts = await app.diagnostics().counts
    #expect(counts[.quarantined] == 1 && counts[.accepted] == 59)
    // Fifty are halved six times at most.
    #expect(counts[.splitBatches] <= 6)
    #expect(await app.uploadAvailable().items == 0)
  }

  @Test func halvingGoesOnAfterARestart() async {
    let device = Device()
    let first = device.app()
    await record(7, first, device)
    device.network.always { sent in
      sent.items.count > 1 ? UploadAnswer(status: 422) : .confirming(1)
    }
    _ = await first.uploadAvailable(maximumBatches: 1)
    let second = device.app()
    _ = await second.uploadAvailable(maximumBatches: 1)
    #expect(device.network.sent.map(\.items.count) == [8, 4])
    #expect(await second.uploadAvailable(maximumBatches: 50).items == 8)
    #expect(await second.diagnostics().counts[.quarantined] == 0)
  }

  @Test(arguments: [402, 403, 404, 405, 410, 413, 415, 451]) func anotherRefusalDropsTheBatchAndCountsIt(_ code: Int)
    async
  {
    let device = Device()
    let app = device.app()
    await record(3, app, device)
    device.network.next(status(code))
    #expect(await app.uploadAvailable().end == .everythingSent)
    #expect(await app.diagnostics().counts[.quarantined] == 4)
    #expect(device.network.sent.count == 1)
  }

  @Test func pausesGrowWithJitterToSixHoursAndOutliveTheProcess() async {
    let device = Device()
    await record(1, device.app(), device)
    device.network.always(status(503))
    var longest = 0
    for failure in 0..<30 {
      guard case .waiting(let seconds) = await device.app().uploadAvailable().end else {
        Issue.record("no pause")
        return
      }
      #expect(seconds <= min(6 * 3600, 15 << min(failure, 20)))
      longest = max(longest, seconds)
      if seconds > 0 {
        // Asked again meanwhile, nothing is sent.
        let sent = device.network.sent.count
        #expect(await device.app().uploadAvailable().end == .waiting(seconds: seconds))
        #expect(device.network.sent.count == sent)
      }
      device.advance(seconds: Int64(seconds))
    }
    #expect(longest > 1000)
    device.network.always { .confirming($0.items.count) }
    #expect(await device.app().uploadAvailable().items == 2)
  }

  @Test(arguments: [429, 503]) func theServersWishIsRespected(_ code: Int) async {
    let device = Device()
    let app = device.app()
    await record(1, app, device)
    device.network.next(status(code, retryAfter: 600))
    #expect(await app.uploadAvailable().end == .waiting(seconds: 600))
    device.advance(seconds: 599)
    #expect(await app.uploadAvailable().end == .waiting(seconds: 1))
    device.advance(seconds: 1)
    #expect(await app.uploadAvailable().end == .everythingSent)
  }

  @Test func aPauseFromAClockThatWasSetBackIsVoid() async {
    let device = Device()
    let app = device.app()
    await record(1, app, device)
    device.network.next(status(503, retryAfter: 20_000))
    _ = await app.uploadAvailable()
    device.setClock(back: 3600)
    #expect(await app.uploadAvailable().end == .everythingSent)
  }

  @Test func withoutNetworkEverythingStays() async {
    let device = Device()
    let app = device.app()
    await record(1, app, device)
    device.network.next({ _ in nil })
    guard case .waiting = await app.uploadAvailable().end else {
      Issue.record("no pause")
      return
    }
    device.advance(seconds: 16)
    #expect(await app.uploadAvailable().items == 2)
    #expect(await app.diagnostics().counts[.networkFailures] == 1)
  }

  // MARK: - Tokens

  private final class Tokens: AccessTokenSource, @unchecked Sendable {
    private let lock = NSLock()
    private var tokens: [String?]
    private(set) var refreshes = 0

    init(_ tokens: String?...) { self.tokens = tokens }

    func accessToken() async -> String? { lock.withLock { tokens.first ?? nil } }

    func refreshedToken(afterRejectionOf rejected: String) async -> String? {
      lock.withLock {
        refreshes += 1
        tokens.removeFirst()
        return tokens.first ?? nil
      }
    }
  }

  @Test func aRefusedTokenIsRefreshedOnce() async {
    let device = Device()
    let tokens = Tokens("old", "new")
    let app = device.app(tokens: tokens)
    await record(1, app, device)
    device.network.next(status(401))
    #expect(await app.uploadAvailable().end == .everythingSent)
    #expect(device.network.sent.map(\.token) == ["old", "new"])
    #expect(device.network.sent[0].body == device.network.sent[1].body)
    #expect(tokens.refreshes == 1)
  }

  @Test func aTokenThatIsRefusedTwiceMakesAPause() async {
    let device = Device()
    let app = device.app(tokens: Tokens("old", "new", "newer"))
    await record(1, app, device)
    device.network.next(status(401), status(401))
    guard case .waiting = await app.uploadAvailable().end else {
      Issue.record("no pause")
      return
    }
    #expect(device.network.sent.count == 2)
    device.advance(seconds: 16)
    #expect(await app.uploadAvailable().items == 2)
  }

  @Test func theKeyboardIsAnonymous() async {
    let device = Device()
    let keyboard = device.keyboard()
    keyboard.activated()
    _ = await keyboard.uploadAvailable()
    #expect(device.network.sent.map(\.token) == [nil])
    #expect(device.network.sent[0].types.sorted() == ["KEYBOARD_ACTIVATED", "SESSION_STARTED"])
  }

  // MARK: - Both kinds, both processes

  @Test func theAppDeliversWhatTheKeyboardRecordedAndCounted() async {
    let device = Device()
    let keyboard = device.keyboard()
    keyboard.activated()
    keyboard.committed("你好 abc", source: .manual)
    keyboard.committed("不算", source: .paste)
    keyboard.deactivated()
    _ = await keyboard.flush()
    device.advance(seconds: 86_400)
    let result = await device.app().uploadAvailable()
    #expect(result == UploadResult(end: .everythingSent, batches: 2, items: 3))
    #expect(device.network.sent.map(\.path) == ["/v1/analytics/events", "/v1/analytics/keyboard-usage"])
    let summary = device.network.sent[1].items[0]
    #expect(summary["chineseCharacterCount"] as? Int == 2 && summary["englishCharacterCount"] as? Int == 3)
    #expect(summary["summaryDate"] as? String == "2026-11-20")
    #expect(Set(device.network.sent.map(\.installation)).count == 1)
    #expect(await keyboard.uploadAvailable().items == 0)
  }

  @Test func aCancelledUploadKeepsWhatWasNotConfirmed() async {
    let device = Device()
    let app = device.app()
    await record(120, app, device)
    device.network.cancels(true)
    #expect(await app.uploadAvailable().end == .cancelled)
    device.network.cancels(false)
    #expect(await app.uploadAvailable().items == 121)
  }
}

/// Numbers things in the order in which they come.
private final class Numbers: @unchecked Sendable {
  private let lock = NSLock()
  private var numbers: [String: Int] = [:]

  func number(of text: String) -> Int {
    lock.withLock {
      if let number = numbers[text] { return number }
      numbers[text] = numbers.count
      return numbers.count - 1
    }
  }
}
