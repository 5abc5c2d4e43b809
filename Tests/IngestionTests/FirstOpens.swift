import AnalyticsContract
import Ingestion
import Testing

@Suite struct FirstOpens {
  private static let mine = UUIDValue(high: 1, low: 1)
  private static let other = UUIDValue(high: 1, low: 2)

  private func open(_ id: UUIDValue, at time: Instant = now) -> Event {
    Event(clientEventID: id, occurredAt: time, kind: .firstOpen(acquisitionChannel: .unknown))
  }

  private let view = Event(clientEventID: UUIDValue(high: 2, low: 2), occurredAt: now, kind: .purchaseViewed)

  @Test func `A batch without a first open never conflicts`() {
    for stored in [nil, Self.mine] {
      #expect(FirstOpenRule.judge(.events([view, view]), stored: stored) == .noneOrFirst(nil))
      #expect(FirstOpenRule.judge(.events([]), stored: stored) == .noneOrFirst(nil))
      #expect(FirstOpenRule.judge(.summaries([]), stored: stored) == .noneOrFirst(nil))
    }
  }

  @Test func `The installation's first open is found wherever it stands in the batch`() {
    let first = open(Self.mine)
    for items in [[first], [view, first], [first, view], [view, first, view]] {
      #expect(FirstOpenRule.judge(.events(items), stored: nil) == .noneOrFirst(first))
      #expect(FirstOpenRule.judge(.events(items), stored: Self.mine) == .noneOrFirst(first))
    }
  }

  @Test func `Another first open than the stored one conflicts`() {
    #expect(FirstOpenRule.judge(.events([open(Self.other)]), stored: Self.mine) == .conflict)
    #expect(FirstOpenRule.judge(.events([view, open(Self.other), view]), stored: Self.mine) == .conflict)
    #expect(FirstOpenRule.judge(.events([open(Self.mine), open(Self.other)]), stored: Self.mine) == .conflict)
  }

  @Test func `Two first opens in one batch conflict unless they are one event twice`() {
    #expect(FirstOpenRule.judge(.events([open(Self.mine), open(Self.other)]), stored: nil) == .conflict)
    #expect(FirstOpenRule.judge(.events([open(Self.mine), view, open(Self.other)]), stored: nil) == .conflict)
    #expect(
      FirstOpenRule.judge(.events([open(Self.mine), view, open(Self.mine)]), stored: nil)
        == .noneOrFirst(open(Self.mine)))
  }

  @Test func `Of one id twice the first in the batch is taken, and its values are not this rule's business`() {
    let early = open(Self.mine, at: now.advanced(bySeconds: -5))
    #expect(FirstOpenRule.judge(.events([early, open(Self.mine)]), stored: nil) == .noneOrFirst(early))
  }
}
