import AnalyticsContract
import Testing

@Suite struct CounterNumbers {
  private static let characters = ["chineseCharacterCount", "englishCharacterCount", "otherCharacterCount"]
  private static let sessions = [
    "inputSessionCount", "chineseOnlySessionCount", "englishOnlySessionCount", "mixedLanguageSessionCount",
    "otherOnlySessionCount",
  ]

  @Test(
    arguments: characters + sessions,
    [
      "-1", "-2147483648", "2147483648", "4294967296", "4294967306", "-4294967296", "9223372036854775807",
      "9223372036854775808", "-9223372036854775808", "-9223372036854775809", "18446744073709551616",
      "18446744073709551626", "99999999999999999999", "-99999999999999999999",
      "340282366920938463463374607431768211456",
    ])
  func `An integer far outside the range is out of range and never wraps into it`(counter: String, number: String) {
    #expect(verdictOfSummary { $0.setting(counter, .raw(number)) } == "422 /summaries/0/\(counter) out_of_range")
  }

  @Test func `Ten thousand digits are an integer out of range, with a fraction or exponent a wrong type`() {
    let digits = String(repeating: "1", count: 10_000)
    for number in [digits, "-" + digits] {
      #expect(
        verdictOfSummary { $0.setting("otherCharacterCount", .raw(number)) }
          == "422 /summaries/0/otherCharacterCount out_of_range")
    }
    for number in ["1." + digits, "1e" + digits, digits + ".0"] {
      #expect(
        verdictOfSummary { $0.setting("otherCharacterCount", .raw(number)) }
          == "400 /summaries/0/otherCharacterCount wrong_type")
    }
  }

  @Test(
    arguments: characters + sessions,
    [
      "1.0", "0.0", "1e2", "1E0", "1e-2", "10.5", "-1.0", "true", "false", "null", "\"1\"", "\"\"", "[]", "[1]", "{}",
      "{\"a\":1}", "1000001.0", "99999999999999999999e0",
    ])
  func `Anything but a JSON integer is a wrong type`(counter: String, value: String) {
    #expect(verdictOfSummary { $0.setting(counter, .raw(value)) } == "400 /summaries/0/\(counter) wrong_type")
  }

  @Test(arguments: characters)
  func `Characters are counted to a million`(counter: String) {
    #expect(verdictOfSummary { $0.setting(counter, .raw("1000000")) } == "batch")
    #expect(verdictOfSummary { $0.setting(counter, .raw("0")) } == "batch")
    #expect(
      verdictOfSummary { $0.setting(counter, .raw("1000001")) } == "422 /summaries/0/\(counter) out_of_range")
  }

  @Test(arguments: sessions)
  func `Sessions are counted to a hundred thousand`(counter: String) {
    #expect(
      verdictOfSummary { $0.setting(counter, .raw("100001")) } == "422 /summaries/0/\(counter) out_of_range")
    let full = JSON.summary.setting("chineseCharacterCount", .raw("100000"))
      .setting("inputSessionCount", .raw("100000"))
    if counter == "inputSessionCount" { return }
    var summary = full
    for kind in Self.sessions.dropFirst() { summary = summary.setting(kind, .raw(kind == counter ? "100000" : "0")) }
    #expect(verdictOfSummary { _ in summary } == "batch")
  }

  @Test func `Minus zero is the integer zero`() {
    #expect(verdictOfSummary { $0.setting("otherCharacterCount", .raw("-0")) } == "batch")
  }

  @Test func `Sessions that do not add up, and fewer characters than sessions, are reported at the sessions`() {
    #expect(
      verdictOfSummary { $0.setting("inputSessionCount", .raw("11")) }
        == "422 /summaries/0/inputSessionCount session_kinds_do_not_add_up")
    let few = JSON.summary.setting("chineseCharacterCount", .raw("1")).setting("englishCharacterCount", .raw("1"))
    #expect(
      verdictOfSummary { _ in few.setting("otherCharacterCount", .raw("7")) }
        == "422 /summaries/0/inputSessionCount fewer_characters_than_sessions")
    #expect(verdictOfSummary { _ in few.setting("otherCharacterCount", .raw("8")) } == "batch")
  }
}
