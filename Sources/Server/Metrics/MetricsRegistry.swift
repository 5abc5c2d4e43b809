import Synchronization

/// All metrics of the process, in the order they were registered.
public final class MetricsRegistry: Sendable {
  /// The `Content-Type` of what `render` gives.
  public static let contentType = "text/plain; version=0.0.4; charset=utf-8"

  private struct Entry {
    var prefix: StaticString
    var source: any MetricSource
  }

  private let entries = Mutex<[Entry]>([])

  /// An empty registry.
  public init() {}

  /// Adds a source. A name that is registered already, or that isn't a Prometheus name, is a programming error and
  /// traps: names are literals, so the first start of a test shows it.
  ///
  /// - Parameters:
  ///   - source: what writes the samples.
  ///   - prefix: goes in front of its names.
  public func register(_ source: any MetricSource, prefix: StaticString = "") {
    entries.withLock { entries in
      let taken = Set(entries.flatMap { entry in entry.source.names.map { "\(entry.prefix)\($0)" } })
      for name in source.names {
        precondition(Self.isName("\(prefix)\(name)"), "not a metric name")
        precondition(!taken.contains("\(prefix)\(name)"), "a metric name registered twice")
      }
      entries.append(Entry(prefix: prefix, source: source))
    }
  }

  /// Adds every stored property of an object that is a metric, in the order of declaration: a metric is declared in
  /// one line and can't be forgotten here.
  public func register(membersOf object: Any, prefix: StaticString) {
    for member in Mirror(reflecting: object).children {
      if let source = member.value as? any MetricSource { register(source, prefix: prefix) }
    }
  }

  /// The page for a scrape: Prometheus text exposition format 0.0.4.
  public func render() -> [UInt8] {
    var text = ExpositionText()
    for entry in entries.withLock({ $0 }) {
      text.prefix = entry.prefix
      entry.source.write(to: &text)
    }
    return text.bytes
  }

  private static func isName(_ name: String) -> Bool {
    guard let first = name.utf8.first, !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first) else { return false }
    return name.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
        true
      default: false
      }
    }
  }
}
