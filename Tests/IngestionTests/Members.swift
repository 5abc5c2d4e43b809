import AnalyticsContract
import Testing

/// Every member missing, null, of another type, of another value, twice, and every one too many.
@Suite struct Members {
  private static let otherTypes = ["1", "-1.5", "true", "false", "[]", "[\"APP\"]", "{}", "{\"APP\":\"APP\"}"]

  @Test(arguments: ["clientEventId", "eventType", "occurredAt", "surface"])
  func `What every event has may not be missing or null`(name: String) {
    #expect(verdictOfEvent { $0.removing(name) } == "400 /events/0/\(name) missing_member")
    #expect(verdictOfEvent { $0.setting(name, .raw("null")) } == "400 /events/0/\(name) wrong_type")
  }

  @Test(arguments: ["feature", "executionMode", "failureCategory"], ["missing", "null"])
  func `A dimension that the event's type requires may not be missing or null`(name: String, how: String) {
    #expect(
      verdictOfEvent { how == "null" ? $0.setting(name, .raw("null")) : $0.removing(name) }
        == "422 /events/0/\(name) required")
  }

  @Test(arguments: ["durationBucket", "appVersion", "osVersion"])
  func `What is optional may be missing or null`(name: String) {
    #expect(verdictOfEvent { $0.removing(name) } == "batch")
    #expect(verdictOfEvent { $0.setting(name, .raw("null")) } == "batch")
  }

  @Test(arguments: ["acquisitionChannel", "installationId"])
  func `What this event does not have may be null`(name: String) {
    #expect(verdictOfEvent { $0.appending(name, .raw("null")) } == "batch")
  }

  @Test(
    arguments: JSON.event.names + ["acquisitionChannel", "installationId"], otherTypes)
  func `Another type for a text of an event is a wrong type and nothing else`(name: String, value: String) {
    #expect(verdictOfEvent { $0.setting(name, .raw(value)) } == "400 /events/0/\(name) wrong_type")
  }

  @Test(arguments: [
    ("clientEventId", "uuid"), ("eventType", "unknown_value"), ("occurredAt", "timestamp"),
    ("surface", "unknown_value"),
    ("acquisitionChannel", "unknown_value"), ("feature", "unknown_value"), ("executionMode", "unknown_value"),
    ("failureCategory", "unknown_value"), ("durationBucket", "unknown_value"), ("appVersion", "version"),
    ("osVersion", "version"), ("installationId", "uuid"),
  ])
  func `Another text of an event breaks the rule of its member and nothing else`(name: String, rule: String) {
    for text in ["", " ", "no such value", "app", "00000000-0000-0000-0000-00000000000g", "你好"] {
      if rule == "version", text == "app" || text.hasSuffix("g") { continue }
      let expected = rule == "version" && text.count == 36 ? "version" : rule
      #expect(verdictOfEvent { $0.setting(name, .text(text)) } == "422 /events/0/\(name) \(expected)")
    }
  }

  @Test(arguments: JSON.summary.names.filter { !$0.hasSuffix("Version") })
  func `What every summary has may not be missing or null`(name: String) {
    #expect(verdictOfSummary { $0.removing(name) } == "400 /summaries/0/\(name) missing_member")
    #expect(verdictOfSummary { $0.setting(name, .raw("null")) } == "400 /summaries/0/\(name) wrong_type")
  }

  @Test(arguments: ["appVersion", "osVersion", "installationId"])
  func `What is optional in a summary may be missing or null`(name: String) {
    #expect(verdictOfSummary { $0.removing(name) } == "batch")
    #expect(verdictOfSummary { $0.setting(name, .raw("null")) } == "batch")
  }

  @Test(arguments: ["clientSummaryId", "summaryDate", "appVersion", "osVersion", "installationId"], otherTypes)
  func `Another type for a text of a summary is a wrong type and nothing else`(name: String, value: String) {
    #expect(verdictOfSummary { $0.setting(name, .raw(value)) } == "400 /summaries/0/\(name) wrong_type")
  }

  @Test(arguments: [
    ("clientSummaryId", "uuid"), ("summaryDate", "date"), ("appVersion", "version"), ("osVersion", "version"),
    ("installationId", "uuid"),
  ])
  func `Another text of a summary breaks the rule of its member and nothing else`(name: String, rule: String) {
    for text in ["", " ", "no such value", "2026-11-28T10:00:00Z", "你好"] {
      #expect(verdictOfSummary { $0.setting(name, .text(text)) } == "422 /summaries/0/\(name) \(rule)")
    }
  }

  @Test(arguments: JSON.event.names)
  func `A member twice in an event is refused, equal or not, plain or escaped`(name: String) {
    let value = JSON.raw("null")
    let escaped = "\\u00" + String(name.utf8.first!, radix: 16) + name.dropFirst()
    for second in [name, escaped] {
      let verdict = verdictOfEvent { $0.appending(second, value) }
      #expect(verdict.hasPrefix("400 "))
      #expect(verdict.contains("/events/0/\(name) duplicate_member"))
    }
    guard case .object(let members) = JSON.event else { return }
    let same = members.first { $0.name == name }!.value
    #expect(verdictOfEvent { $0.appending(escaped, same) } == "400 /events/0/\(name) duplicate_member")
  }

  @Test(arguments: JSON.summary.names)
  func `A member twice in a summary is refused, equal or not, plain or escaped`(name: String) {
    guard case .object(let members) = JSON.summary else { return }
    let same = members.first { $0.name == name }!.value
    for second in [name, "\\u00" + String(name.utf8.first!, radix: 16) + name.dropFirst()] {
      #expect(verdictOfSummary { $0.appending(second, same) } == "400 /summaries/0/\(name) duplicate_member")
    }
  }

  @Test func `A member twice at the root is refused`() {
    let body = JSON.body([.event])
    #expect(
      verdict(body.appending("installationId", .text(identity)).canonical) == "400 /installationId duplicate_member")
    #expect(
      verdict(body.appending("\\u0069nstallationId", .raw("null")).canonical) == "400 /installationId duplicate_member")
    #expect(verdict(body.appending("events", .array([.event])).canonical) == "400 /events duplicate_member")
  }

  @Test(arguments: [
    "x", "", "Surface", "SURFACE", "surface ", "event_type", "properties", "context", "clientSummaryId", "summaryDate",
    "inputSessionCount", "events", "summaries", "__proto__", "\\u0000", "你好", "accountId",
  ])
  func `An unknown member of an event is refused at the event, whatever its value`(name: String) {
    for value in ["null", "1", "\"a\"", "[1,{\"b\":[]}]", "{\"surface\":\"APP\"}"] {
      #expect(verdictOfEvent { $0.appending(name, .raw(value)) } == "400 /events/0 unknown_member")
    }
  }

  @Test(arguments: [
    "x", "clientEventId", "eventType", "occurredAt", "surface", "feature", "durationBucket", "events", "summaries",
    "charactercount", "text", "hostApplication",
  ])
  func `An unknown member of a summary is refused at the summary, whatever its value`(name: String) {
    for value in ["null", "1", "\"a\"", "[1,{\"b\":[]}]"] {
      #expect(verdictOfSummary { $0.appending(name, .raw(value)) } == "400 /summaries/0 unknown_member")
    }
  }

  @Test(arguments: [
    "x", "", "clientEventId", "surface", "appVersion", "summaries", "Events", "installationid", "eventS",
  ])
  func `An unknown member at the root is refused at the root, whatever its value`(name: String) {
    for value in ["null", "1", "\"a\"", "[1,{\"b\":[]}]"] {
      #expect(verdict(JSON.body([.event]).appending(name, .raw(value)).canonical) == "400  unknown_member")
    }
  }

  @Test(arguments: ["null", "1", "\"x\"", "true", "[]", "[{}]"])
  func `Another type for the root or an item is a wrong type there`(value: String) {
    #expect(verdict(value) == "400  wrong_type")
    #expect(verdict(value, .keyboardUsage) == "400  wrong_type")
    #expect(verdict(JSON.body([.event, .raw(value)]).canonical) == "400 /events/1 wrong_type")
    #expect(
      verdict(JSON.body([.raw(value), .summary], to: .keyboardUsage).canonical, .keyboardUsage)
        == "400 /summaries/0 wrong_type")
  }

  @Test(arguments: ["null", "1", "\"x\"", "true", "{}", "{\"0\":{}}"])
  func `Another type for the items is a wrong type there`(value: String) {
    #expect(verdict("{\"events\":\(value),\"installationId\":\"\(identity)\"}") == "400 /events wrong_type")
    #expect(
      verdict("{\"summaries\":\(value),\"installationId\":\"\(identity)\"}", .keyboardUsage)
        == "400 /summaries wrong_type")
  }

  @Test func `Items may not be missing, none, or more than fifty`() {
    #expect(verdict("{}") == "400 /events missing_member")
    #expect(verdict("{}", .keyboardUsage) == "400 /summaries missing_member")
    #expect(verdict("{\"installationId\":\"\(identity)\"}") == "400 /events missing_member")
    for (endpoint, item, name) in [
      (IngestionEndpoint.events, JSON.event, "events"), (.keyboardUsage, .summary, "summaries"),
    ] {
      for count in [0, 1, 49, 50, 51, 52, 100, 250] {
        let body = JSON.body(Array(repeating: item, count: count), to: endpoint)
        #expect(
          verdict(body.canonical, endpoint) == ((1...50).contains(count) ? "batch" : "400 /\(name) item_count"),
          "\(count)")
      }
    }
  }
}
