/// Builds a page of the Prometheus text exposition format 0.0.4.
///
/// All text comes from the source code; numbers are the only thing that is made at run time.
public struct ExpositionText: Sendable {
  /// The page so far, UTF-8.
  public private(set) var bytes: [UInt8] = []
  /// Goes in front of every name that is written next, for example `osg_analytics_`.
  var prefix: StaticString = ""

  init() { bytes.reserveCapacity(32 * 1024) }

  /// Writes the `HELP` and `TYPE` lines of a metric.
  public mutating func heading(_ name: StaticString, _ help: StaticString, _ kind: MetricKind) {
    bytes.append("# HELP ")
    bytes.append(prefix)
    bytes.append(name)
    bytes.append(UInt8(ascii: " "))
    appendEscaped(help, quotes: false)
    bytes.append("\n# TYPE ")
    bytes.append(prefix)
    bytes.append(name)
    bytes.append(UInt8(ascii: " "))
    bytes.append(kind.label)
    bytes.append(UInt8(ascii: "\n"))
  }

  /// Writes a sample with a whole number.
  public mutating func sample(
    _ name: StaticString, labels: [(name: StaticString, value: StaticString)] = [], _ value: some FixedWidthInteger
  ) {
    sampleName(name, suffix: "", labels: labels, bound: nil)
    bytes.append(decimal: value)
    bytes.append(UInt8(ascii: "\n"))
  }

  /// Writes a sample with a real number.
  public mutating func sample(
    _ name: StaticString, labels: [(name: StaticString, value: StaticString)] = [], _ value: Double
  ) {
    sampleName(name, suffix: "", labels: labels, bound: nil)
    if value.isNaN {
      bytes.append("NaN")
    } else if value.isInfinite {
      bytes.append(value < 0 ? "-Inf" : "+Inf")
    } else {
      bytes.append(contentsOf: value.description.utf8)
    }
    bytes.append(UInt8(ascii: "\n"))
  }

  /// Writes a cumulative bucket of a histogram, up to a bound in ticks, or `+Inf` for `nil`.
  mutating func bucket(
    _ name: StaticString, labels: [(name: StaticString, value: StaticString)], upTo bound: Ticks?, _ count: UInt64
  ) {
    sampleName(name, suffix: "_bucket", labels: labels, bound: .some(bound))
    bytes.append(decimal: count)
    bytes.append(UInt8(ascii: "\n"))
  }

  /// Writes the sum and the count that end a histogram's samples.
  mutating func total(
    _ name: StaticString, labels: [(name: StaticString, value: StaticString)], sum: Ticks, count: UInt64
  ) {
    sampleName(name, suffix: "_sum", labels: labels, bound: nil)
    sum.write(to: &bytes)
    bytes.append(UInt8(ascii: "\n"))
    sampleName(name, suffix: "_count", labels: labels, bound: nil)
    bytes.append(decimal: count)
    bytes.append(UInt8(ascii: "\n"))
  }

  private mutating func sampleName(
    _ name: StaticString, suffix: StaticString, labels: [(name: StaticString, value: StaticString)], bound: Ticks??
  ) {
    bytes.append(prefix)
    bytes.append(name)
    bytes.append(suffix)
    if !labels.isEmpty || bound != nil {
      var separator = UInt8(ascii: "{")
      for label in labels {
        bytes.append(separator)
        separator = UInt8(ascii: ",")
        bytes.append(label.name)
        bytes.append("=\"")
        appendEscaped(label.value, quotes: true)
        bytes.append(UInt8(ascii: "\""))
      }
      if let bound {
        bytes.append(separator)
        bytes.append("le=\"")
        if let bound { bound.write(to: &bytes) } else { bytes.append("+Inf") }
        bytes.append(UInt8(ascii: "\""))
      }
      bytes.append(UInt8(ascii: "}"))
    }
    bytes.append(UInt8(ascii: " "))
  }

  /// `HELP` escapes the backslash and the line feed; a label value the quotation mark too.
  private mutating func appendEscaped(_ text: StaticString, quotes: Bool) {
    text.withUTF8Buffer { source in
      for byte in source {
        switch byte {
        case UInt8(ascii: "\\"): bytes.append("\\\\")
        case UInt8(ascii: "\n"): bytes.append("\\n")
        case UInt8(ascii: "\"") where quotes: bytes.append("\\\"")
        default: bytes.append(byte)
        }
      }
    }
  }
}

/// A number of equal parts of a unit, so that sums are integers and exact: microseconds of seconds, or plain counts.
struct Ticks: Sendable {
  var count: UInt64
  /// How many make up one: a power of ten.
  var perUnit: UInt64

  /// Writes the exact decimal number of units, without trailing zeros: 500 microseconds are `0.0005`.
  func write(to bytes: inout [UInt8]) {
    bytes.append(decimal: count / perUnit)
    var rest = count % perUnit
    guard rest > 0 else { return }
    bytes.append(UInt8(ascii: "."))
    var scale = perUnit / 10
    while rest > 0 {
      bytes.append(UInt8(ascii: "0") + UInt8(rest / scale))
      rest %= scale
      scale /= 10
    }
  }
}
