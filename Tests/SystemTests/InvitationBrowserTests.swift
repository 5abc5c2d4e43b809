import Foundation
import TestSupport
import Testing

/// The page as a real browser shows it.
@Suite("Invitation pages in a browser", .serialized, .ownThread)
struct InvitationBrowserTests {
  /// What a browser without a window makes of an address, and what it has to complain about.
  private func browse(_ url: String, language: String, width: Int = 390, _ more: [String]) throws -> CommandResult {
    let profile = try TemporaryFolder()
    defer { profile.remove() }
    // `timeout` signals its whole process group, so that no helper process of the browser outlives it.
    return try runCommand(
      [
        "timeout", "--kill-after=5", "60", "chromium", "--headless=new", "--no-sandbox", "--disable-gpu",
        "--disable-dev-shm-usage", "--no-first-run", "--disable-background-networking", "--hide-scrollbars",
        "--enable-logging=stderr", "--user-data-dir=\(profile.path)", "--accept-lang=\(language)",
        "--window-size=\(width),800",
      ] + more + [url], seconds: 70)
  }

  @Test(
    "it is shown in the visitor's language, with its links, and nothing of it is blocked", arguments: ["en", "zh-CN"])
  func shown(_ language: String) async throws {
    let arguments = [
      "--public-url", "https://osg.example", "--app-store-url", "https://apps.apple.com/app/id1?a=b&c=d",
    ]
    try await withServer(ServerOptions(arguments: arguments)) { server in
      try ReferralCodes.issue(on: server)
      let url = "http://127.0.0.1:\(server.port)/i/" + ReferralCodes.valid
      let result = try browse(url, language: language, ["--dump-dom"])
      #expect(result.status == .code(0))
      let tag = language == "en" ? "en" : "zh-Hans"
      #expect(result.output.contains("<html lang=\"\(tag)\">"))
      #expect(result.output.contains(language == "en" ? "<h1>A friend has invited you</h1>" : "<h1>朋友邀请你一起用</h1>"))
      #expect(result.output.contains("href=\"https://osg.example/i/\(ReferralCodes.valid)\""))
      #expect(result.output.contains("href=\"https://apps.apple.com/app/id1?a=b&amp;c=d\""))
      for word in ["CONSOLE", "Content Security Policy", "Refused to"] {
        #expect(!result.error.contains(word), "\(result.error.suffix(600))")
      }
      #expect(try ReferralCodes.views(server) == 1)
    }
  }

  @Test("the style is applied and nothing is wider than a narrow phone, on every page", arguments: ["en", "zh-CN"])
  func narrow(_ language: String) async throws {
    try await withServer(ServerOptions(arguments: ["--app-store-url", "https://apps.apple.com/app/id1"])) { server in
      try ReferralCodes.issue(on: server)
      let folder = try TemporaryFolder()
      defer { folder.remove() }
      for path in ["/i/" + ReferralCodes.valid, "/i/unknown"] {
        let page = try exchange("GET", path: path, port: server.port, headers: [("Accept-Language", language)]).text
        // The page lets no script run and no one frame it, so a copy of it is measured, in a frame of the width.
        let text = String(decoding: try JSONEncoder().encode(page), as: UTF8.self)
        let probe = """
          <!doctype html><body><iframe id="frame" width="320" height="800" style="border:0"></iframe><script>
          const frame = document.getElementById("frame");
          frame.onload = () => {
            const root = frame.contentDocument.documentElement, view = frame.contentWindow;
            const button = view.getComputedStyle(root.querySelector(".button"));
            document.body.dataset.measured = [view.innerWidth, root.scrollWidth, button.display].join(" ");
          };
          frame.srcdoc = \(text.replacingOccurrences(of: "</", with: "<\\/"));
          </script></body>
          """
        let file = folder.file("probe.html")
        try probe.write(toFile: file, atomically: true, encoding: .utf8)
        let result = try browse(
          "file://" + file, language: language, width: 800, ["--virtual-time-budget=3000", "--dump-dom"])
        #expect(result.output.contains("data-measured=\"320 320 block\""), "\(result.output.suffix(200))")
      }
    }
  }
}
