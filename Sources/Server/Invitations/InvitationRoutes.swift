import AnalyticsContract
import HTTPServer
import Ingestion
import ServerFacts

/// The public page of an invitation, and what makes its link open the app.
struct InvitationRoutes: Sendable {
  /// What the code follows in the path.
  static let prefix: StaticString = "/i/"

  let store: any InvitationStore
  let committer: GroupCommitter
  let clock: UTCClock
  private let pages: InvitationPages
  private let association: [UInt8]?

  init(
    _ configuration: ServerConfiguration.Invitations, store: any InvitationStore, committer: GroupCommitter,
    clock: UTCClock
  ) {
    self.store = store
    self.committer = committer
    self.clock = clock
    pages = InvitationPages(configuration)
    association = AppSiteAssociation.document(configuration.appIDs)
  }

  func add(to router: inout Router) {
    router.add(
      below: Self.prefix, Endpoint(route: .invitation, methods: [.get], bodyLimit: 0) { await page(for: $0) })
    router.add(
      AppSiteAssociation.path,
      Endpoint(route: .appSiteAssociation, methods: [.get], bodyLimit: 0) { _ in
        association.map { Answer(status: 200, body: $0) } ?? .error(.notFound)
      })
  }

  /// The page. Of the request nothing outlives this function but one more view of the day.
  private func page(for request: Request) async -> Answer {
    let language = PageLanguage(acceptLanguage: request.headers(.acceptLanguage))
    guard let code = InvitationCode(path: request.path) else { return pages.answer(.unknown, in: language) }
    do {
      guard try await store.isValidReferralCode(code.digest) else { return pages.answer(.unknown, in: language) }
      if request.method == .get, !Prefetch.isAnnounced(by: request) {
        try await committer.countInvitationView(on: clock.now.day)
      }
      return pages.answer(.invitation(code), in: language)
    } catch {
      // Whatever keeps the view from being counted: a page that was shown was counted.
      return pages.answer(.unavailable, in: language)
    }
  }
}
