import AnalyticsContract
import HTTPServer
import Ingestion
import ServerFacts
import Synchronization
import Testing

@testable import Server

/// The routes over a store that says what a test wants.
private final class PageFixture: InvitationStore, BatchStore {
  static let code = "AZaz09-_AZaz09-_AZaz09"
  static let path = "/i/" + code
  private let lookUp: Result<Bool, StoreFailure>
  private let count: StoreFailure?
  private let state = Mutex((views: [CalendarDay: Int](), lookedUp: 0))

  init(lookUp: Result<Bool, StoreFailure> = .success(true), count: StoreFailure? = nil) {
    self.lookUp = lookUp
    self.count = count
  }

  var views: [CalendarDay: Int] { state.withLock { $0.views } }
  var lookedUp: Int { state.withLock { $0.lookedUp } }

  func isValidReferralCode(_ code: Digest) async throws(StoreFailure) -> Bool {
    state.withLock { $0.lookedUp += 1 }
    return try lookUp.get() && code == Digest(hashing: Self.code)
  }

  func commit(_ group: [Submission], counts: DayCounts) async throws(StoreFailure) -> [CommitOutcome] {
    if let count { throw count }
    state.withLock { $0.views.merge(counts.invitationViews, uniquingKeysWith: +) }
    return []
  }

  func isValidSession(_ token: AccessToken, at instant: Instant) async throws(StoreFailure) -> Bool { false }

  func answer(
    _ method: Request.Method = .get, _ path: String = path, _ headers: [(name: HeaderName, value: String)] = [],
    publicURL: String? = nil, appStoreURL: String? = nil, appIDs: [String] = []
  ) async -> (Answer, Route) {
    let committer = GroupCommitter(store: self, observer: NoObserver())
    var router = Router()
    InvitationRoutes(
      .init(publicURL: publicURL, appStoreURL: appStoreURL, appIDs: appIDs), store: self, committer: committer,
      clock: .fixed(now)
    ).add(to: &router)
    return await router.answer(Request(method: method, path: path, headers: headers))
  }
}

private struct NoObserver: CommitObserver {
  func queueChanged(batches: Int, bytes: Int) {}
  func groupCommitted(batches: Int, items: Int, duration: Duration) {}
  func groupFailed(_ failure: StoreFailure) {}
}

private let now = Instant(iso8601: "2026-11-29T12:00:00Z")!

extension Answer {
  fileprivate var text: String { String(decoding: body, as: UTF8.self) }
  fileprivate func header(_ name: String) -> String? { headers.first { $0.name == name }?.value }
}

@Suite struct InvitationRoutesTests {
  @Test func aViewIsCountedOnItsDayAndThenShown() async {
    let fixture = PageFixture()
    let (answer, route) = await fixture.answer()
    #expect(answer.status == 200 && answer.error == nil)
    #expect(route == .invitation && "\(route.label)" == "/i/{code}")
    #expect(fixture.views == [now.day: 1])
  }

  @Test func whatNobodyLooksAtIsAnsweredTheSameAndNotCounted() async {
    let fixture = PageFixture()
    #expect(await fixture.answer(.head).0.status == 200)
    for (name, value) in [("sec-purpose", "prefetch;prerender"), ("purpose", "Prefetch")] {
      #expect(await fixture.answer(.get, PageFixture.path, [(HeaderName(name), value)]).0.status == 200)
    }
    #expect(fixture.views.isEmpty)
    #expect(fixture.lookedUp == 3)
  }

  @Test func whatIsNoCodeIsNotLookedUp() async {
    let fixture = PageFixture()
    let path = PageFixture.path
    for path in ["/i/", "/i/x", path + "/", path + "x", path.dropLast() + "%"] {
      let (answer, route) = await fixture.answer(.get, path)
      #expect(answer.status == 404 && answer.error == .notFound && route == .invitation)
      #expect(answer.text.contains("doesn’t work"))
    }
    #expect(fixture.lookedUp == 0 && fixture.views.isEmpty)
  }

  @Test func anUnknownCodeIsNotCounted() async {
    let fixture = PageFixture(lookUp: .success(false))
    let (answer, _) = await fixture.answer()
    #expect(answer.status == 404 && answer.error == .notFound)
    #expect(fixture.lookedUp == 1 && fixture.views.isEmpty)
  }

  @Test(arguments: [StoreFailure.unavailable(.busy), .unavailable(.disconnected), .defect])
  func whereTheStoreFailsThePageAsksToComeBack(_ failure: StoreFailure) async {
    for fixture in [PageFixture(lookUp: .failure(failure)), PageFixture(count: failure)] {
      let (answer, _) = await fixture.answer()
      #expect(answer.status == 503 && answer.error == .unavailable)
      #expect(answer.header("Retry-After") == "5")
      #expect(answer.text.contains("href=\"\"") && answer.text.contains("Try again"))
      #expect(fixture.views.isEmpty)
    }
  }

  @Test func otherMethodsAreRefused() async {
    let fixture = PageFixture()
    for method in [Request.Method.post, .put, .patch, .delete, .options, .other] {
      let (answer, route) = await fixture.answer(method)
      #expect(answer.status == 405 && route == .invitation)
      #expect(answer.header("Allow") == "GET, HEAD")
    }
    #expect(fixture.views.isEmpty && fixture.lookedUp == 0)
  }

  @Test func everyPageIsWholeInBothLanguages() async throws {
    let fixtures = [
      (200, PageFixture()), (404, PageFixture(lookUp: .success(false))), (503, PageFixture(count: .defect)),
    ]
    for (status, fixture) in fixtures {
      for (field, tag) in [("en", "en"), ("zh-CN", "zh-Hans"), ("zh-TW", "zh-Hans"), ("fr", "en")] {
        let (answer, _) = await fixture.answer(.get, PageFixture.path, [(.acceptLanguage, field)])
        #expect(answer.status == status)
        #expect(answer.contentType == "text/html; charset=utf-8")
        #expect(answer.header("Content-Language") == tag)
        #expect(answer.header("Vary") == "Accept-Language")
        #expect(answer.header("Referrer-Policy") == "no-referrer")
        #expect(answer.header("X-Robots-Tag") == "noindex")
        #expect(answer.header("Set-Cookie") == nil)
        let policy = try #require(answer.header("Content-Security-Policy"))
        #expect(policy.hasPrefix("default-src 'none'; style-src 'sha256-"))
        #expect(policy.hasSuffix("='; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"))
        let text = answer.text
        #expect(text.hasPrefix("<!doctype html>\n<html lang=\"\(tag)\">"))
        #expect(text.hasSuffix("</html>\n"))
        #expect(answer.body.count < 6 * 1024)
        #expect(text.contains(tag == "en" ? "This page keeps nothing about you" : "本页不留存你的任何信息"))
        for word in ["<script", "<img", "<link", "<iframe", "<form", " onclick", " style=", "src=", "@import", "url(h"]
        {
          #expect(!text.lowercased().contains(word), "\(word)")
        }
      }
    }
  }

  @Test func theLinksAreTheConfiguredOnes() async {
    let fixture = PageFixture()
    let plain = await fixture.answer().0.text
    #expect(plain.contains("<a class=\"link\" href=\"\(PageFixture.path)\">"))
    #expect(!plain.contains("class=\"button\"") && plain.contains("Look for OSGKeyboard in the App Store."))
    let text = await fixture.answer(publicURL: "https://p.example", appStoreURL: "https://s.example/a?b=1&c=2").0.text
    #expect(text.contains("<a class=\"link\" href=\"https://p.example\(PageFixture.path)\">"))
    #expect(text.contains("<a class=\"button\" href=\"https://s.example/a?b=1&amp;c=2\">"))
    #expect(!text.contains("Look for OSGKeyboard"))
    let unknown = await fixture.answer(.get, "/i/x", appStoreURL: "https://s.example/a").0.text
    #expect(unknown.contains("href=\"https://s.example/a\"") && !unknown.contains("class=\"link\""))
    #expect(await !fixture.answer(.get, "/i/x").0.text.contains("<a "))
  }

  @Test func theAssociationNamesTheApps() async {
    let path = "/.well-known/apple-app-site-association"
    let (answer, route) = await PageFixture().answer(.get, path, appIDs: ["ABCDE12345.a", "ABCDE12345.b"])
    #expect(answer.status == 200 && answer.contentType == "application/json" && answer.headers.isEmpty)
    #expect(route == .appSiteAssociation && "\(route.label)" == path)
    #expect(
      answer.text
        == #"{"applinks":{"details":[{"appIDs":["ABCDE12345.a","ABCDE12345.b"],"components":[{"/":"/i/*"}]}]}}"#)
    #expect(await PageFixture().answer(.get, path).0.status == 404)
    #expect(await PageFixture().answer(.post, path, appIDs: ["ABCDE12345.a"]).0.status == 405)
  }
}
