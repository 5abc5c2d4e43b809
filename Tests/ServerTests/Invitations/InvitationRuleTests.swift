import AnalyticsContract
import HTTPServer
import Testing

@testable import Server

@Suite struct InvitationCodeTests {
  private let good = "AZaz09-_AZaz09-_AZaz09"

  @Test func aCodeIsTwentyTwoCharactersOfItsAlphabet() throws {
    let code = try #require(InvitationCode(path: "/i/" + good))
    #expect(code.text == good)
    #expect(code.digest == Digest(hashing: good))
    #expect("\(code)" == "InvitationCode(redacted)")
  }

  @Test func everyOtherByteIsRefusedInEveryPlace() {
    let alphabet = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
    for place in [0, 10, 21] {
      for byte in UInt8.min ... .max {
        var bytes = Array(good.utf8)
        bytes[place] = byte
        let path = "/i/" + String(decoding: bytes, as: UTF8.self)
        #expect((InvitationCode(path: path) != nil) == alphabet.contains(byte), "\(byte)")
      }
    }
  }

  @Test func everyOtherLengthAndAnythingBehindIsRefused() {
    for length in 0...100 where length != 22 {
      #expect(InvitationCode(path: "/i/" + String(repeating: "a", count: length)) == nil)
    }
    for tail in ["/", "//", "%20", ".", "/x", ";x"] { #expect(InvitationCode(path: "/i/" + good + tail) == nil) }
    // An escape is three characters, not the one it stands for.
    #expect(InvitationCode(path: "/i/%41" + good.dropFirst()) == nil)
    #expect(InvitationCode(path: "/i/%41" + good.dropFirst(3)) == nil)
    #expect(InvitationCode(path: "/i//" + good.dropFirst()) == nil)
  }
}

@Suite struct PageLanguageTests {
  @Test(arguments: [
    "zh", "zh-CN", "zh-Hans-CN", "zh-TW", "zh-Hant", "ZH-cn", "cmn-Hans", "yue-Hant-HK", "zh-CN,zh;q=0.9,en;q=0.8",
    "zh;q=0.5", "fr, zh;q=0.1", "en;q=0.8, zh;q=0.9", "en;q=0.899,zh;q=0.9", "zh,en", "en;q=0, *", "*, en;q=0.5",
    "en;q=0,zh;q=0.001", "zh;q=0.2, zh-CN;q=0.9, en;q=0.5", "zh ; q=0.9 , en ; Q=0.8", "\tzh\t", ",,zh,,", "zh;q=1.000",
    "zh;Q=1", "en;q=0.1,*;q=0.5", "zh;q=1,en;q=1", "de,fr;q=0.9,zh;q=0.2,en;q=0.1", "zh, *;q=0.5",
  ]) func chineseIsChosen(_ field: String) {
    #expect(PageLanguage(acceptLanguage: [field]) == .simplifiedChinese)
  }

  @Test(arguments: [
    "", "en", "en-GB", "EN-us", "*", "fr", "de-DE,de;q=0.9", "en,zh", "en;q=0.9,zh;q=0.8", "zh;q=0", "zh;q=0.000",
    "zh;q=0.0,*;q=0", "zh;q=0.5,*", "zh;q=0.5,en;q=0.6", "en-US,en;q=0.9,zh-CN;q=0.8", "*;q=0.5", "zh;q=0.3,*;q=0.4",
    // What is no range, or has no proper quality, is left out.
    "zh;q=2", "zh;q=1.001", "zh;q=-1", "zh;q=0.1234", "zh;q=", "zh;q", "zh;q=0,5", "zh;q=.5", "zh;q=00.5", "zh;q=+1",
    "zh;q=1;q=1", "zh;level=1", "zh_CN", "zhongwen", "zh-", "-zh", "zh--CN", "zh-toolongsubtag", "中文", "zh;;q=1", ";",
    ";q=1", "=", "zh CN", "xzh", "z", "*-zh", "zh\u{0}", "en;q=0",
  ]) func everythingElseIsEnglish(_ field: String) {
    #expect(PageLanguage(acceptLanguage: [field]) == .english)
  }

  @Test func fieldsAddUpAsOne() {
    #expect(PageLanguage(acceptLanguage: []) == .english)
    #expect(PageLanguage(acceptLanguage: ["en;q=0.5", "zh;q=0.7"]) == .simplifiedChinese)
    #expect(PageLanguage(acceptLanguage: ["zh;q=0.5", "en;q=0.7"]) == .english)
    #expect(PageLanguage(acceptLanguage: ["fr", "zh"]) == .simplifiedChinese)
  }

  @Test func everyPairOfQualitiesIsWeighed() {
    for english in 0...1000 {
      for chinese in [0, 1, 499, 500, 501, 999, 1000] {
        func text(_ quality: Int) -> String {
          quality == 1000 ? "1" : "0." + String(repeating: "0", count: 3 - "\(quality)".count) + "\(quality)"
        }
        let language = PageLanguage(acceptLanguage: ["en;q=\(text(english)),zh;q=\(text(chinese))"])
        #expect(language == (chinese > english ? .simplifiedChinese : .english), "\(english) \(chinese)")
      }
    }
  }
}

@Suite struct PrefetchTests {
  private func isAnnounced(_ name: HeaderName, _ values: String...) -> Bool {
    Prefetch.isAnnounced(by: Request(method: .get, path: "/i/", headers: values.map { (name, $0) }))
  }

  @Test(arguments: [HeaderName("sec-purpose"), "purpose"]) func bothFieldsAnnounceOne(_ name: HeaderName) {
    for value in [
      "prefetch", "Prefetch", "PREFETCH", "prefetch;prerender", "prefetch;anonymous-client-ip", "prefetch ; prerender",
      " prefetch", "prefetch;a;b=c", "preview, prefetch", "prefetch,other", "\tprefetch\t;x",
    ] { #expect(isAnnounced(name, value), "\(value)") }
    for value in [
      "", "prefetched", "prefetc", "no-prefetch", "navigate", "preview;prefetch", "pre fetch", ";prefetch",
      "\"prefetch\"",
    ] { #expect(!isAnnounced(name, value), "\(value)") }
    #expect(isAnnounced(name, "other", "prefetch"))
    #expect(!isAnnounced("x-purpose", "prefetch"))
  }

  @Test func withoutTheFieldsThereIsNone() {
    #expect(!Prefetch.isAnnounced(by: Request(method: .get, path: "/i/")))
  }
}
