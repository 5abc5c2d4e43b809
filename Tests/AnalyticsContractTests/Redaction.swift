import AnalyticsContract
import Testing

/// Whatever is printed, dumped or reflected of a redacted value shows its type alone.
@Suite struct Redaction {
  @Test func `An installation, its UUID and its digest show nothing`() {
    expectNothingShows(of: Sample.installation, "InstallationID")
    expectNothingShows(of: Sample.installation.uuid, "UUIDValue")
    expectNothingShows(of: Sample.installation.digest, "Digest")
  }

  @Test func `A version shows nothing`() {
    expectNothingShows(of: version("2.0.0"), "ReleaseVersion")
  }

  @Test func `An event and a summary show nothing`() {
    expectNothingShows(of: Sample.event, "Event")
    expectNothingShows(of: Sample.summary, "KeyboardUsageSummary")
  }

  @Test func `A batch and its items show nothing`() {
    for items in [BatchItems.events([Sample.event, Sample.event]), .summaries([Sample.summary])] {
      expectNothingShows(of: items, "BatchItems")
      expectNothingShows(of: Batch(installation: Sample.installation, items: items), "Batch")
    }
  }
}

// Not private: the name of a private type is printed with an address, whose digits could look like a secret.
struct RedactionWrapper<Value> {
  let value: Value
  let name = "w"
}

struct RedactionFailure<Value: Sendable>: Error {
  let value: Value
}

private func expectNothingShows<Value: Redacted & Hashable & Sendable>(
  of value: Value, _ name: String, sourceLocation: SourceLocation = #_sourceLocation
) {
  #expect("\(value)" == "\(name)(redacted)", sourceLocation: sourceLocation)
  #expect(String(describing: value) == "\(name)(redacted)", sourceLocation: sourceLocation)
  #expect(String(reflecting: value) == "\(name)(redacted)", sourceLocation: sourceLocation)
  #expect(Mirror(reflecting: value).children.isEmpty, sourceLocation: sourceLocation)
  let enclosing: [Any] = [
    value, [value], [[value]], Optional(value) as Any, [Optional(value)], Set([value]), ["k": value], [value: 1],
    (value, value), (label: value, 1), RedactionWrapper(value: value), [RedactionWrapper(value: Optional(value))],
    Result<Value, RedactionFailure<Value>>.success(value),
    Result<Value, RedactionFailure<Value>>.failure(RedactionFailure(value: value)),
    RedactionFailure(value: value), AnyHashable(value), value as any Redacted, ContiguousArray([value]), [value][...],
    CollectionOfOne(value),
  ]
  for whole in enclosing {
    var texts = ["\(whole)", String(describing: whole), String(reflecting: whole)]
    var dumped = ""
    dump(whole, to: &dumped)
    texts.append(dumped)
    var printed = ""
    print(whole, to: &printed)
    debugPrint(whole, to: &printed)
    texts.append(printed)
    for text in texts {
      #expect(text.contains(name), sourceLocation: sourceLocation)
      for secret in secrets {
        #expect(
          !text.contains(secret), "\(secret) in \(text)", sourceLocation: sourceLocation)
      }
    }
  }
}

/// Every trace of the sample values that could show.
private let secrets: [String] = {
  var secrets = [
    "2.0.0", "26.1", "2.1.0", "26.2", "2026-11", "10:00", "AI_FEATURE_FAILED", "aiFeatureFailed", "AI_ASSISTANT",
    "aiAssistant", "BYOK", "KEYBOARD", "keyboard", "PROVIDER", "S3_TO_10", "from3To10s",
    String(Sample.event.occurredAt.microseconds), String(Sample.summary.date.daysSince1970),
    Sample.installation.digest.hexadecimal,
  ]
  for id in [Sample.installation.uuid, Sample.event.clientEventID, Sample.summary.clientSummaryID] {
    secrets += [id.text(), id.text().replacing("-", with: ""), String(id.high), String(id.low)]
    secrets += [String(id.high, radix: 16), String(id.low, radix: 16)]
    secrets += id.text().split(separator: "-").filter { $0.count > 4 }.map(String.init)
  }
  Sample.installation.digest.withUnsafeBytes { bytes in
    for word in 0..<4 {
      secrets.append(String(bytes.loadUnaligned(fromByteOffset: word * 8, as: UInt64.self)))
    }
  }
  version("2.0.0").withUnsafeBytes { secrets.append("\(Array($0))") }
  return secrets + secrets.filter { $0.allSatisfy { $0.isHexDigit || $0 == "-" } }.map { $0.uppercased() }
}()
