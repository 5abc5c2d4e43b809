import AnalyticsContract

/// The pages below `/i/`, in every language, made once. A page is one file: nothing is loaded from anywhere, no script
/// runs, and the policy that goes with it lets nothing else in.
struct InvitationPages: Sendable {
  /// What a page says.
  enum Content: Sendable {
    /// An invitation, whose link the page has.
    case invitation(InvitationCode)
    /// No such invitation.
    case unknown
    /// It can't be told now.
    case unavailable
  }

  /// An invitation's page before and after each place that its code belongs to.
  private struct Texts: Sendable {
    let invitation: (beforeCode: [UInt8], afterCode: [UInt8])
    let unknown: [UInt8]
    let unavailable: [UInt8]
  }

  private let english: Texts
  private let chinese: Texts

  init(_ configuration: ServerConfiguration.Invitations) {
    english = Self.texts(configuration, .english)
    chinese = Self.texts(configuration, .simplifiedChinese)
  }

  /// The answer with a page.
  func answer(_ content: Content, in language: PageLanguage) -> Answer {
    let texts = language == .english ? english : chinese
    var answer =
      switch content {
      case .invitation(let code):
        Answer(
          status: 200, body: texts.invitation.beforeCode + Array(code.text.utf8) + texts.invitation.afterCode)
      case .unknown: Answer(status: 404, error: .notFound, body: texts.unknown)
      case .unavailable: Answer(status: 503, error: .unavailable, body: texts.unavailable)
      }
    answer.contentType = "text/html; charset=utf-8"
    answer.headers = Self.headers + [("Content-Language", "\(language.tag)")]
    if case .unavailable = content { answer.headers.append(("Retry-After", Answer.retryAfterSeconds)) }
    return answer
  }

  /// What every page has beside its language.
  private static let headers: [(name: String, value: String)] = [
    ("Content-Security-Policy", contentSecurityPolicy), ("Referrer-Policy", "no-referrer"),
    ("Vary", "Accept-Language"), ("X-Robots-Tag", "noindex"),
  ]

  /// Nothing may be loaded, run, sent or framed; the one style sheet is named by its digest.
  private static let contentSecurityPolicy =
    "default-src 'none'; style-src 'sha256-\(Digest(hashing: style).base64)'; base-uri 'none'; form-action 'none'; "
    + "frame-ancestors 'none'"

  private static func texts(_ configuration: ServerConfiguration.Invitations, _ language: PageLanguage) -> Texts {
    let words = PageWords(language)
    let store = configuration.appStoreURL.map(escaped)
    let link = (configuration.publicURL.map(escaped) ?? "") + "\(InvitationRoutes.prefix)"
    let mark = "\u{0}"
    let invitation = page(
      words.invitation, language,
      actions: (store.map { button(words.getApp, to: $0) } ?? paragraph("note", words.findApp))
        + "<a class=\"link\" href=\"\(link)\(mark)\">\(words.openInApp)</a>\n" + paragraph("hint", words.hint))
    let parts = invitation.utf8.split(separator: 0)
    return Texts(
      invitation: (Array(parts[0]), Array(parts[1])),
      unknown: Array(
        page(words.unknown, language, actions: store.map { button(words.seeApp, to: $0) } ?? "").utf8),
      // An empty reference is the page itself.
      unavailable: Array(page(words.unavailable, language, actions: button(words.tryAgain, to: "")).utf8))
  }

  // MARK: - HTML

  private static func page(_ words: PageWords.Page, _ language: PageLanguage, actions: String) -> String {
    """
    <!doctype html>
    <html lang="\(language.tag)">
    <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
    <meta name="color-scheme" content="light dark">
    <title>\(words.title)</title>
    <meta name="description" content="\(words.lead)">
    <meta property="og:title" content="\(words.title)">
    <meta property="og:description" content="\(words.lead)">
    <style>\(style)</style>
    </head>
    <body>
    <main>
    \(symbol)
    <p class="name">OSGKeyboard</p>
    <h1>\(words.heading)</h1>
    <p class="lead">\(words.lead)</p>
    \(actions)</main>
    <footer>\(words.privacy)</footer>
    </body>
    </html>

    """
  }

  private static func button(_ text: String, to reference: String) -> String {
    "<a class=\"button\" href=\"\(reference)\">\(text)</a>\n"
  }

  private static func paragraph(_ name: String, _ text: String) -> String { "<p class=\"\(name)\">\(text)</p>\n" }

  /// An address as an attribute's value: its alphabet has one character that HTML gives a meaning to.
  private static func escaped(_ address: String) -> String {
    address.split(separator: "&", omittingEmptySubsequences: false).joined(separator: "&amp;")
  }
}

extension Digest {
  /// The 32 bytes in base64, with padding.
  fileprivate var base64: String {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
    let bytes = withUnsafeBytes { Array($0) } + [0]
    var text = ""
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let bits = Int(bytes[start]) << 16 | Int(bytes[start + 1]) << 8 | Int(bytes[start + 2])
      for shift in [18, 12, 6, 0] { text.append(alphabet[bits >> shift & 63]) }
    }
    // 33 bytes were written for 32.
    return text.dropLast() + "="
  }
}
