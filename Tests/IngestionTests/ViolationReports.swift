import AnalyticsContract
import Ingestion
import Testing

/// What a rejection lists, whatever and however much is wrong.
@Suite struct ViolationReports {
  @Test func `Everything that is wrong in several members and items is reported`() {
    let first = JSON.event.setting("appVersion", .text("a b")).setting("surface", .text("DESKTOP"))
      .setting("occurredAt", .text("yesterday"))
    let third = JSON.event.setting("clientEventId", .text("x")).setting("feature", .text("SINGING"))
    #expect(
      verdict(JSON.body([first, .event, third], root: "nobody").canonical)
        == "422 /events/0/appVersion version; /events/0/occurredAt timestamp; /events/0/surface unknown_value; "
        + "/events/2/clientEventId uuid; /events/2/feature unknown_value; /installationId uuid")
  }

  @Test func `Every dimension that breaks the row of the event's type is reported`() {
    let event = JSON.object([
      ("clientEventId", .text("B0A1C2D3-E4F5-4A6B-9C8D-7E6F5A4B3C2D")), ("eventType", .text("PURCHASE_CANCELLED")),
      ("occurredAt", .text("2026-11-29T09:59:00Z")), ("surface", .text("KEYBOARD")),
      ("failureCategory", .text("TIMEOUT")), ("feature", .text("AGENT")), ("acquisitionChannel", .text("REFERRAL")),
      ("durationBucket", .text("LT_1S")), ("executionMode", .text("LOCAL")),
    ])
    #expect(
      verdict(JSON.body([event]).canonical)
        == "422 /events/0/acquisitionChannel not_allowed; /events/0/durationBucket not_allowed; "
        + "/events/0/executionMode not_allowed; /events/0/failureCategory not_allowed; "
        + "/events/0/feature not_allowed; /events/0/surface not_allowed")
    let bare = JSON.event.removing("feature").removing("executionMode").removing("failureCategory")
    #expect(
      verdict(JSON.body([bare]).canonical)
        == "422 /events/0/executionMode required; /events/0/failureCategory required; /events/0/feature required")
  }

  @Test func `A dimension's row is judged although the event's id or time is wrong`() {
    let verdict = verdictOfEvent {
      $0.setting("clientEventId", .text("x")).setting("acquisitionChannel", .text("REFERRAL"))
    }
    #expect(verdict == "422 /events/0/acquisitionChannel not_allowed; /events/0/clientEventId uuid")
  }

  @Test func `A missing identity is reported although a value is wrong too`() {
    let body = JSON.body([.event.setting("appVersion", .text("a b"))], root: nil)
    #expect(verdict(body.canonical) == "422 /events/0/appVersion version; /installationId identity_missing")
  }

  @Test func `An unreadable dimension of one item hides nothing of the next`() {
    let items: [JSON] = [
      .event.setting("feature", .text("SINGING")), .event.removing("feature"), .event.setting("feature", .raw("1")),
      .event.removing("feature"),
    ]
    #expect(
      verdict(JSON.body(items).canonical)
        == "400 /events/0/feature unknown_value; /events/1/feature required; /events/2/feature wrong_type; "
        + "/events/3/feature required")
  }

  @Test func `All missing members are reported`() {
    #expect(
      verdict("{\"events\":[{}],\"installationId\":\"\(identity)\"}")
        == "400 /events/0/clientEventId missing_member; /events/0/eventType missing_member; "
        + "/events/0/occurredAt missing_member; /events/0/surface missing_member")
    let names = JSON.summary.names.filter { !$0.hasSuffix("Version") }
    #expect(
      verdict("{\"summaries\":[{}],\"installationId\":\"\(identity)\"}", .keyboardUsage)
        == "400 " + names.sorted().map { "/summaries/0/\($0) missing_member" }.joined(separator: "; "))
  }

  @Test func `Twenty violations are listed of any number`() {
    for count in [19, 20, 21, 50] {
      let wrong = JSON.event.setting("appVersion", .text("a b"))
      guard
        case .failure(let rejection) = decode(Array(JSON.body(Array(repeating: wrong, count: count)).canonical.utf8))
      else {
        Issue.record("no rejection")
        continue
      }
      #expect(rejection.violations.map(\.path) == (0..<min(count, 20)).map { "/events/\($0)/appVersion" })
      #expect(rejection.code == .validationFailed)
    }
    let unknown = JSON.object((0..<1000).map { ("x\($0)", .raw("0")) })
    guard case .failure(let rejection) = decode(Array(JSON.body([unknown]).canonical.utf8)) else {
      Issue.record("no rejection")
      return
    }
    #expect(rejection.violations.count == 20)
  }

  @Test func `One structural violation after many wrong values makes it a 400 that lists the structural one first`() {
    var items = Array(repeating: JSON.event.setting("appVersion", .text("a b")), count: 49)
    items.append(JSON.event.setting("surface", .raw("1")))
    guard case .failure(let rejection) = decode(Array(JSON.body(items).canonical.utf8)) else {
      Issue.record("no rejection")
      return
    }
    #expect(rejection.code == .invalidRequest)
    #expect(rejection.violations.count == 20)
    #expect(rejection.violations[0] == Violation(.wrongType, collection: .events, index: 49, member: .surface))
    #expect(rejection.violations.dropFirst().allSatisfy { $0.rule == .version })
  }

  @Test func `Broken JSON after many wrong values is reported as no JSON`() {
    let items = Array(repeating: JSON.event.setting("appVersion", .text("a b")), count: 50)
    let body = Array(JSON.body(items).canonical.utf8.dropLast())
    #expect(isSyntaxError(body))
  }

  @Test func `No violation repeats a byte of what was sent`() {
    let secret = "s3cr3t-Zebra"
    let places: [(JSON) -> JSON] =
      [
        { $0.appending(secret, .text(secret)) }, { $0.appending("x", .object([(secret, .array([.text(secret)]))])) },
        { $0.appending("installationId", .text(secret)) },
      ]
      + JSON.event.names.flatMap { name -> [(JSON) -> JSON] in
        [
          { $0.setting(name, .text(secret + " ")) }, { $0.setting(name, .array([.text(secret)])) },
          { $0.appending(name, .object([(secret, .text(secret))])) },
        ]
      }
    for change in places {
      let bodies = [
        JSON.body([change(.event)]).canonical, JSON.body([change(.event)], root: secret).canonical,
        JSON.body([.text(secret), change(.event)]).appending(secret, .text(secret)).canonical,
        "{\"\(secret)\":\"\(secret)", "\"\(secret)\"", secret,
      ]
      for body in bodies {
        guard case .failure(let rejection) = decode(Array(body.utf8)) else {
          Issue.record("\(body)")
          continue
        }
        var dumped = ""
        dump(rejection, to: &dumped)
        let texts = rejection.violations.flatMap { [$0.path, $0.rule.rawValue, "\($0)"] }
        for text in texts + [dumped, "\(rejection)", String(reflecting: rejection)] {
          #expect(!text.lowercased().contains("s3cr3t") && !text.lowercased().contains("zebra"), "\(text)")
        }
      }
    }
  }

  @Test func `Every path is made of the contract's names and positions`() {
    var random = SeededRandom(seed: 6)
    let names = Set(WireMember.allCases.map(\.wireName.description))
    let values = ["null", "1", "-1", "\"\"", "\"APP\"", "[]", "{}", "true", "\"2026-11-28\"", "1.5"]
    for _ in 0..<2000 {
      var items: [JSON] = []
      for _ in 0..<Int.random(in: 0...4, using: &random) {
        var item = JSON.event
        for _ in 0..<Int.random(in: 0...4, using: &random) {
          let name = (WireMember.allCases.map(\.wireName.description) + ["other"]).randomElement(using: &random)!
          let value = JSON.raw(values.randomElement(using: &random)!)
          item = random.oneIn(2) ? item.setting(name, value) : item.appending(name, value)
        }
        items.append(item)
      }
      let body = JSON.body(items, root: random.oneIn(2) ? identity : nil)
      guard case .failure(let rejection) = decode(Array(body.canonical.utf8)) else { continue }
      #expect((1...20).contains(rejection.violations.count))
      for violation in rejection.violations {
        for part in violation.path.split(separator: "/") where Int(part) == nil {
          #expect(names.contains(String(part)))
        }
      }
      let structural = rejection.violations.map(\.rule.isStructural)
      #expect(structural == structural.sorted { $0 && !$1 }, "the structural ones come first")
      #expect(rejection.code == (structural[0] ? .invalidRequest : .validationFailed))
    }
  }
}
