/// A page of the Prometheus text exposition format 0.0.4, read strictly: what a lenient scraper forgives is an error.
public struct PrometheusPage: Sendable {
  /// A broken rule and the line it was found in, counted from 1.
  public struct Violation: Error, CustomStringConvertible {
    /// The line and the rule.
    public let description: String
  }

  /// One metric with its heading.
  public struct Family: Sendable {
    /// The text of `HELP`, unescaped.
    public var help: String
    /// `counter`, `gauge` or `histogram`.
    public var type: String
    /// The samples in order.
    public var samples: [Sample] = []
  }

  /// One sample line.
  public struct Sample: Sendable {
    /// The name with `_bucket`, `_sum` or `_count`.
    public var name: String
    /// The labels, unescaped.
    public var labels: [String: String]
    /// The value.
    public var value: Double
  }

  /// Families by name.
  public private(set) var families: [String: Family] = [:]
  /// The names in the order of the page.
  public private(set) var order: [String] = []

  /// The value of the sample with exactly these labels.
  public func value(_ name: String, _ labels: [String: String] = [:]) -> Double? {
    families.values.lazy.flatMap(\.samples).first { $0.name == name && $0.labels == labels }?.value
  }

  /// Reads a page.
  ///
  /// - Throws: `Violation` for the first broken rule.
  public init(_ text: String) throws {
    guard text.hasSuffix("\n") else { throw Violation(description: "the last line has no end") }
    var current: String?
    var helps: [String: String] = [:]
    for (index, line) in text.dropLast().split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      func require(_ condition: Bool, _ rule: String) throws {
        if !condition { throw Violation(description: "line \(index + 1): \(rule)") }
      }
      if line.hasPrefix("# ") {
        let parts = line.split(separator: " ", maxSplits: 3, omittingEmptySubsequences: false)
        try require(parts.count == 4, "a heading needs a name and a text")
        let name = String(parts[2])
        try require(Self.isName(name, colon: true), "not a metric name")
        if parts[1] == "HELP" {
          try require(helps[name] == nil && families[name] == nil, "a second HELP")
          guard let help = Self.unescape(parts[3], quotes: false) else {
            throw Violation(description: "line \(index + 1): a wrong escape")
          }
          helps[name] = help
          current = nil
        } else {
          try require(parts[1] == "TYPE", "an unknown heading")
          try require(helps[name] != nil && families[name] == nil, "TYPE without HELP or given twice")
          try require(["counter", "gauge", "histogram"].contains(parts[3]), "an unknown type")
          families[name] = Family(help: helps[name] ?? "", type: String(parts[3]))
          order.append(name)
          current = name
        }
      } else {
        guard let sample = Self.sample(line) else {
          throw Violation(description: "line \(index + 1): not a sample")
        }
        guard let current, let family = families[current] else {
          throw Violation(description: "line \(index + 1): a sample without a heading")
        }
        let names =
          family.type == "histogram" ? ["_bucket", "_sum", "_count"].map { current + $0 } : [current]
        try require(names.contains(sample.name), "a sample of another metric")
        try require(
          !family.samples.contains { $0.name == sample.name && $0.labels == sample.labels }, "a series twice")
        try require(family.type != "counter" || sample.value >= 0, "a negative counter")
        families[current]?.samples.append(sample)
      }
    }
    for name in order { try Self.checkHistogram(name, families[name]) }
  }

  private static func checkHistogram(_ name: String, _ family: Family?) throws {
    guard let family, family.type == "histogram" else { return }
    var series: [[String: String]: [Sample]] = [:]
    for sample in family.samples {
      var labels = sample.labels
      labels["le"] = nil
      series[labels, default: []].append(sample)
    }
    for (_, samples) in series {
      let buckets = samples.filter { $0.name == name + "_bucket" }
      let bounds = buckets.map { Double($0.labels["le"] == "+Inf" ? "inf" : $0.labels["le"] ?? "") ?? .nan }
      guard bounds.last == .infinity, zip(bounds, bounds.dropFirst()).allSatisfy({ $0 < $1 }),
        zip(buckets, buckets.dropFirst()).allSatisfy({ $0.value <= $1.value }),
        samples.count == buckets.count + 2, samples.last?.name == name + "_count",
        samples.last?.value == buckets.last?.value
      else { throw Violation(description: "\(name): buckets, sum and count don't make a histogram") }
    }
  }

  private static func isName(_ text: some StringProtocol, colon: Bool) -> Bool {
    guard let first = text.unicodeScalars.first, !("0"..."9").contains(first) else { return false }
    return text.unicodeScalars.allSatisfy { scalar in
      ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar) || ("0"..."9").contains(scalar) || scalar == "_"
        || (colon && scalar == ":")
    }
  }

  private static func unescape(_ text: some StringProtocol, quotes: Bool) -> String? {
    var plain = ""
    var rest = Substring(text)
    while let character = rest.popFirst() {
      guard character == "\\" else {
        plain.append(character)
        continue
      }
      switch rest.popFirst() {
      case "\\": plain.append("\\")
      case "n": plain.append("\n")
      case "\"" where quotes: plain.append("\"")
      default: return nil
      }
    }
    return plain
  }

  private static func sample(_ line: Substring) -> Sample? {
    let name = line.prefix { $0 != "{" && $0 != " " }
    guard isName(name, colon: true) else { return nil }
    var rest = line.dropFirst(name.count)
    var labels: [String: String] = [:]
    if rest.first == "{" {
      repeat {
        rest = rest.dropFirst()
        let label = rest.prefix { $0 != "=" }
        rest = rest.dropFirst(label.count)
        guard isName(label, colon: false), labels[String(label)] == nil, rest.hasPrefix("=\"") else { return nil }
        rest = rest.dropFirst(2)
        var raw = ""
        while let character = rest.popFirst(), character != "\"" {
          raw.append(character)
          if character == "\\", let escaped = rest.popFirst() { raw.append(escaped) }
        }
        guard let value = unescape(raw, quotes: true) else { return nil }
        labels[String(label)] = value
      } while rest.first == ","
      guard rest.first == "}" else { return nil }
      rest = rest.dropFirst()
    }
    guard rest.first == " " else { return nil }
    let number = rest.dropFirst()
    switch number {
    case "+Inf": return Sample(name: String(name), labels: labels, value: .infinity)
    case "-Inf": return Sample(name: String(name), labels: labels, value: -.infinity)
    case "NaN": return Sample(name: String(name), labels: labels, value: .nan)
    default:
      guard let first = number.first, first.isNumber || first == "-", let value = Double(number) else { return nil }
      return Sample(name: String(name), labels: labels, value: value)
    }
  }
}

extension PrometheusPage {
  /// Every sample's value, by its name and labels in a fixed order.
  public var values: [String: Double] {
    Dictionary(uniqueKeysWithValues: families.values.flatMap(\.samples).map { ($0.identity, $0.value) })
  }

  /// The identities of the samples that can only grow: counters, and what histograms count.
  public var growing: Set<String> {
    Set(families.values.filter { $0.type != "gauge" }.flatMap(\.samples).map(\.identity))
  }
}

extension PrometheusPage.Sample {
  /// Name and labels in a fixed order.
  public var identity: String {
    name + "{" + labels.sorted { $0.key < $1.key }.map { "\($0.key)=\"\($0.value)\"" }.joined(separator: ",") + "}"
  }
}
