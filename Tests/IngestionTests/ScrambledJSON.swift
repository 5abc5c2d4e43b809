import AnalyticsContract

extension SeededRandom {
  /// A batch in a form that no client sends and the contract allows all the same.
  mutating func scrambled(_ batch: Batch) -> [UInt8] {
    var text = ""
    write(json(batch), to: &text)
    return Array((whiteSpace() + text + whiteSpace()).utf8)
  }

  private mutating func json(_ batch: Batch) -> JSON {
    let everyItem = oneIn(2)
    let atRoot = !everyItem || oneIn(2)
    var items: [JSON] = []
    switch batch.items {
    case .events(let events): for event in events { items.append(json(event)) }
    case .summaries(let summaries): for summary in summaries { items.append(json(summary)) }
    }
    for position in items.indices where everyItem || (atRoot && oneIn(3)) {
      items[position] = items[position].appending("installationId", id(batch.installation.uuid))
    }
    let name = if case .events = batch.items { "events" } else { "summaries" }
    var root = JSON.object([(name, .array(items))])
    if atRoot { root = root.appending("installationId", id(batch.installation.uuid)) }
    return root
  }

  private mutating func json(_ event: Event) -> JSON {
    let kind = event.kind
    let members: [(name: String, value: JSON)] = [
      ("clientEventId", id(event.clientEventID)), ("eventType", .text(kind.type.name)),
      ("occurredAt", time(event.occurredAt)), ("surface", .text(kind.surface.name)),
    ]
    let optional: [(String, String?)] = [
      ("acquisitionChannel", kind.acquisitionChannel?.name), ("feature", kind.feature?.name),
      ("executionMode", kind.executionMode?.name), ("failureCategory", kind.failureCategory?.name),
      ("durationBucket", kind.durationBucket?.name), ("appVersion", event.appVersion?.text),
      ("osVersion", event.osVersion?.text),
    ]
    return .object(members + present(optional))
  }

  private mutating func json(_ summary: KeyboardUsageSummary) -> JSON {
    let counts = summary.counts
    let members: [(name: String, value: JSON)] = [
      ("clientSummaryId", id(summary.clientSummaryID)), ("summaryDate", .text(summary.date.description)),
      ("chineseCharacterCount", .raw("\(counts[.chineseCharacters])")),
      ("englishCharacterCount", .raw("\(counts[.englishCharacters])")),
      ("otherCharacterCount", .raw("\(counts[.otherCharacters])")),
      ("inputSessionCount", .raw("\(counts[.inputSessions])")),
      ("chineseOnlySessionCount", .raw("\(counts[.chineseOnlySessions])")),
      ("englishOnlySessionCount", .raw("\(counts[.englishOnlySessions])")),
      ("mixedLanguageSessionCount", .raw("\(counts[.mixedLanguageSessions])")),
      ("otherOnlySessionCount", .raw("\(counts[.otherOnlySessions])")),
    ]
    return .object(
      members + present([("appVersion", summary.appVersion?.text), ("osVersion", summary.osVersion?.text)]))
  }

  /// The members that have a value; some of the others as `null`, which means the same as leaving them out.
  private mutating func present(_ members: [(String, String?)]) -> [(name: String, value: JSON)] {
    var present: [(name: String, value: JSON)] = []
    for (name, text) in members {
      if let text { present.append((name, .text(text))) } else if oneIn(4) { present.append((name, .raw("null"))) }
    }
    return present
  }

  private mutating func id(_ uuid: UUIDValue) -> JSON {
    var text = ""
    for character in uuid.text() { text += oneIn(2) ? character.uppercased() : String(character) }
    return .text(text)
  }

  private mutating func time(_ instant: Instant) -> JSON {
    var text = String(instant.iso8601(fractionDigits: 6).dropLast())
    if oneIn(2) { text += String(repeating: "9", count: Int.random(in: 1...3, using: &self)) }
    while text.hasSuffix("0") { text.removeLast() }
    if text.hasSuffix(".") { text.removeLast() }
    return .text(text + (oneIn(2) ? "Z" : "+00:00"))
  }

  private mutating func write(_ json: JSON, to text: inout String) {
    switch json {
    case .raw(let token): text += token
    case .text(let value): text += quoted(value)
    case .array(let values):
      text += "[" + whiteSpace()
      for (position, value) in values.enumerated() {
        if position > 0 { text += whiteSpace() + "," + whiteSpace() }
        write(value, to: &text)
      }
      text += whiteSpace() + "]"
    case .object(let members):
      text += "{" + whiteSpace()
      for (position, member) in members.shuffled(using: &self).enumerated() {
        if position > 0 { text += whiteSpace() + "," + whiteSpace() }
        text += quoted(member.name) + whiteSpace() + ":" + whiteSpace()
        write(member.value, to: &text)
      }
      text += whiteSpace() + "}"
    }
  }

  private mutating func whiteSpace() -> String {
    guard oneIn(3) else { return "" }
    return String(
      (0..<Int.random(in: 1...4, using: &self)).map { _ in
        " \t\n\r".unicodeScalars.map(Character.init).randomElement(using: &self)!
      })
  }

  private mutating func quoted(_ text: String) -> String {
    let rate = [1, 2, 10, 1000].randomElement(using: &self)!
    var quoted = "\""
    for scalar in text.unicodeScalars {
      if oneIn(rate) {
        let digits = String(scalar.value, radix: 16, uppercase: oneIn(2))
        quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      } else {
        quoted.unicodeScalars.append(scalar)
      }
    }
    return quoted + "\""
  }
}
