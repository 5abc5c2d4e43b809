import TestSupport
import Testing

@testable import Server

private enum Side: Int, MetricLabel {
  case left, right
  static var labelName: StaticString { "side" }
  var label: StaticString {
    switch self {
    case .left: "le\"ft\\"
    case .right: "ri\nght"
    }
  }
}

private enum Size: Int, MetricLabel {
  case small, medium, large
  static var labelName: StaticString { "size" }
  var label: StaticString {
    switch self {
    case .small: "s"
    case .medium: "m"
    case .large: "l"
    }
  }
}

private func text(_ source: any MetricSource, prefix: StaticString = "") -> String {
  let registry = MetricsRegistry()
  registry.register(source, prefix: prefix)
  return String(decoding: registry.render(), as: UTF8.self)
}

@Suite struct MetricTests {
  @Test func aCounterCountsUp() {
    let counter = Counter("things_total", "Things\\ seen.\nReally \"seen\".")
    counter.increment()
    counter.increment(by: 41)
    #expect(counter.value == 42)
    #expect(
      text(counter, prefix: "p_")
        == "# HELP p_things_total Things\\\\ seen.\\nReally \"seen\".\n# TYPE p_things_total counter\np_things_total 42\n"
    )
  }

  @Test func aGaugeGoesUpAndDown() {
    let gauge = Gauge("depth", "Depth.")
    gauge.add(3)
    gauge.add(-5)
    #expect(text(gauge).hasSuffix("# TYPE depth gauge\ndepth -2\n"))
    gauge.set(7)
    #expect(gauge.value == 7)
  }

  @Test func aFamilyHasASeriesForEveryCombination() throws {
    let family = CounterFamily<LabelPair<Side, Size>>("things_total", "Things.")
    for (sideIndex, side) in Side.allCases.enumerated() {
      for (sizeIndex, size) in Size.allCases.enumerated() {
        family[side, size].increment(by: UInt64(10 * sideIndex + sizeIndex))
      }
    }
    let page = try PrometheusPage(text(family))
    #expect(page.families["things_total"]?.samples.count == 6)
    #expect(page.value("things_total", ["side": "le\"ft\\", "size": "l"]) == 2)
    #expect(page.value("things_total", ["side": "ri\nght", "size": "s"]) == 10)
    #expect(page.value("things_total", ["side": "ri\nght", "size": "l"]) == 12)
  }

  @Test func aFamilyWithOneLabelIsAddressedByIt() throws {
    let family = CounterFamily<Size>("things_total", "Things.")
    family[.medium].increment()
    #expect(
      text(family).hasSuffix("things_total{size=\"s\"} 0\nthings_total{size=\"m\"} 1\nthings_total{size=\"l\"} 0\n"))
  }

  @Test func aHistogramPutsABoundIntoItsOwnBucket() {
    let histogram = Histogram("sizes", "Sizes.", buckets: [1, 10])
    for value in [-5, 0, 1, 2, 10, 11, 1_000] { histogram.observe(value) }
    #expect(histogram.count == 7)
    #expect(
      text(histogram)
        == """
        # HELP sizes Sizes.
        # TYPE sizes histogram
        sizes_bucket{le="1"} 3
        sizes_bucket{le="10"} 5
        sizes_bucket{le="+Inf"} 7
        sizes_sum 1024
        sizes_count 7

        """)
  }

  @Test func durationsAreShownInSecondsExactly() {
    let histogram = Histogram("wait_seconds", "Waits.", buckets: [Duration.microseconds(500), .seconds(1)])
    for _ in 0..<10 { histogram.observe(.microseconds(100)) }
    histogram.observe(microseconds: 1_000_001)
    histogram.observe(microseconds: -1)
    histogram.observe(.seconds(-1))
    histogram.observe(.nanoseconds(999))
    #expect(
      text(histogram)
        == """
        # HELP wait_seconds Waits.
        # TYPE wait_seconds histogram
        wait_seconds_bucket{le="0.0005"} 13
        wait_seconds_bucket{le="1"} 13
        wait_seconds_bucket{le="+Inf"} 14
        wait_seconds_sum 1.001001
        wait_seconds_count 14

        """)
  }

  @Test func aHistogramFamilyKeepsLabelsAndBuckets() throws {
    let family = DurationFamily<Size>("wait_seconds", "Waits.", buckets: [.milliseconds(2.5)])
    family[.large].observe(.milliseconds(2))
    let page = try PrometheusPage(text(family))
    #expect(page.value("wait_seconds_bucket", ["size": "l", "le": "0.0025"]) == 1)
    #expect(page.value("wait_seconds_sum", ["size": "l"]) == 0.002)
    #expect(page.value("wait_seconds_count", ["size": "s"]) == 0)
  }

  @Test func valuesOfEveryKindAreNumbersOfTheFormat() {
    var text = ExpositionText()
    text.sample("a", UInt64.max)
    text.sample("b", Int64.min)
    for value in [0.5, 1e-9, 1e300, .infinity, -.infinity, .nan] { text.sample("c", value) }
    #expect(
      String(decoding: text.bytes, as: UTF8.self)
        == "a 18446744073709551615\nb -9223372036854775808\nc 0.5\nc 1e-09\nc 1e+300\nc +Inf\nc -Inf\nc NaN\n")
  }

  @Test func concurrentUpdatesAreExact() async {
    let counter = Counter("c", "")
    let gauge = Gauge("g", "")
    let histogram = Histogram("h", "", buckets: [0, 1, 2])
    let family = CounterFamily<Size>("f", "")
    await withTaskGroup(of: Void.self) { group in
      for task in 0..<8 {
        group.addTask {
          for index in 0..<50_000 {
            counter.increment()
            gauge.add(index % 2 == 0 ? 3 : -2)
            histogram.observe(index % 4)
            family[Size.allCases[task % 3]].increment()
          }
        }
      }
    }
    #expect(counter.value == 400_000)
    #expect(gauge.value == 200_000)
    #expect(histogram.count == 400_000)
    #expect(
      text(histogram).hasSuffix(
        "h_bucket{le=\"0\"} 100000\nh_bucket{le=\"1\"} 200000\nh_bucket{le=\"2\"} 300000\n"
          + "h_bucket{le=\"+Inf\"} 400000\nh_sum 600000\nh_count 400000\n"))
    #expect(Size.allCases.map { family[$0].value } == [150_000, 150_000, 100_000])
  }

  @Test func aScrapeDuringObservationsIsStillAHistogram() async throws {
    let histogram = Histogram("h", "", buckets: [0, 1, 2])
    let pages = await withTaskGroup(of: [String].self) { group in
      group.addTask {
        for index in 0..<200_000 { histogram.observe(index % 5) }
        return []
      }
      group.addTask { (0..<200).map { _ in text(histogram) } }
      return await group.reduce(into: []) { $0 += $1 }
    }
    for page in pages { _ = try PrometheusPage(page) }
  }

  @Test func aNameIsRegisteredOnce() async {
    await #expect(processExitsWith: .failure) {
      let registry = MetricsRegistry()
      registry.register(Counter("a_total", ""), prefix: "p_")
      registry.register(Gauge("a_total", ""), prefix: "p_")
    }
    await #expect(processExitsWith: .failure) { MetricsRegistry().register(Counter("a-b", "")) }
    await #expect(processExitsWith: .failure) { _ = Histogram("h", "", buckets: [2, 1]) }
  }
}
