import CoreMetrics
import Testing

@testable import Prometheus

/// The exposition format, line by line.
@Suite(.timeLimit(.minutes(15))) struct ExpositionTests {
    private let registry = PrometheusRegistry()

    private func lines(of name: String) -> [String] {
        registry.text.split(separator: "\n").map(String.init).filter { $0.contains(name) }
    }

    @Test("A counter adds up its increments, ignores negative ones, and is shown with its help and labels")
    func aCounterCounts() {
        let counter = Counter(label: "tea.cups-sold", dimensions: [("size", "L"), ("kind", "oolong")], factory: registry)
        counter.increment(by: 2)
        counter.increment()
        counter.increment(by: -5)
        registry.describe("tea.cups-sold", "Cups, \\ and\nall.")
        #expect(
            lines(of: "tea") == [
                "# HELP tea_cups_sold Cups, \\\\ and\\nall.", "# TYPE tea_cups_sold counter",
                #"tea_cups_sold{kind="oolong",size="L"} 3"#,
            ])
    }

    @Test("Handles with the same name and labels update one series")
    func oneSeries() {
        for _ in 0..<2 { Counter(label: "cups", dimensions: [("a", "1"), ("b", "2")], factory: registry).increment() }
        Counter(label: "cups", dimensions: [("b", "2"), ("a", "1")], factory: registry).increment()
        #expect(lines(of: "cups{") == [#"cups{a="1",b="2"} 3"#])
    }

    @Test("A gauge goes up and down")
    func aGaugeGoesUpAndDown() {
        let gauge = Meter(label: "depth", factory: registry)
        gauge.set(5)
        gauge.increment(by: 1.5)
        gauge.decrement(by: 4)
        #expect(lines(of: "depth") == ["# TYPE depth gauge", "depth 2.5"])
    }

    @Test("A histogram's buckets are cumulative, and a value at a bound belongs to its bucket")
    func cumulativeBuckets() {
        let recorder = Recorder(label: "batch", dimensions: [("x", "y")], factory: registry)
        for size in [1, 2, 2, 3, 5_000] { recorder.record(size) }
        let shown = lines(of: "batch")
        #expect(shown.first == "# TYPE batch histogram")
        #expect(shown.contains(#"batch_bucket{x="y",le="1"} 1"#))
        #expect(shown.contains(#"batch_bucket{x="y",le="2"} 3"#))
        #expect(shown.contains(#"batch_bucket{x="y",le="4"} 4"#))
        #expect(shown.contains(#"batch_bucket{x="y",le="4096"} 4"#))
        #expect(shown.suffix(3) == [#"batch_bucket{x="y",le="+Inf"} 5"#, #"batch_sum{x="y"} 5008"#, #"batch_count{x="y"} 5"#])
        #expect(shown.count == MetricLimits.countBounds.count + 4)
    }

    @Test("Durations are shown in seconds")
    func durationsAreSeconds() {
        Timer(label: "took_seconds", factory: registry).recordNanoseconds(1_500_000)
        let shown = lines(of: "took")
        #expect(shown.contains(#"took_seconds_bucket{le="0.001"} 0"#))
        #expect(shown.contains(#"took_seconds_bucket{le="0.0025"} 1"#))
        #expect(shown.contains("took_seconds_sum 0.0015"))
    }

    @Test(
        "A label's value is escaped as the text format requires",
        arguments: [
            (#"a"b"#, #"a\"b"#), (#"a\b"#, #"a\\b"#), ("a\nb", #"a\nb"#), ("茶 tea", "茶 tea"), ("", ""), ("{x=\"1\"}", #"{x=\"1\"}"#),
        ])
    func escapedValues(_ value: String, _ shown: String) {
        Counter(label: "c", dimensions: [("v", value)], factory: registry).increment()
        #expect(lines(of: "c{") == ["c{v=\"\(shown)\"} 1"])
    }

    @Test(
        "A name of a metric or label is made legal with underscores",
        arguments: [("http.server-time", "http_server_time"), ("9lives", "_9lives"), ("茶", "_"), ("a:b", "a:b"), ("", "_")])
    func namesAreMadeLegal(_ name: String, _ shown: String) {
        #expect(MetricText.name(name) == shown)
        #expect(MetricText.labelName(name) == shown.replacing(":", with: "_"))
    }

    @Test(
        "A number is shown exactly, in the notation of the text format",
        arguments: [(0.0, "0"), (-1, "-1"), (0.1, "0.1"), (.infinity, "+Inf"), (-.infinity, "-Inf"), (.nan, "NaN"), (1e300, "1e+300")])
    func exactNumbers(_ number: Double, _ shown: String) {
        #expect(MetricText.number(number) == shown)
    }

    @Test("A name has one kind of metric and a limited number of series, and refused series are counted")
    func refusedSeries() {
        Counter(label: "n", factory: registry).increment()
        Meter(label: "n", factory: registry).set(7)
        #expect(lines(of: "n ").contains("n 1"))
        for number in 0..<(MetricLimits.seriesPerNameMax + 5) {
            Counter(label: "many", dimensions: [("i", "\(number)")], factory: registry).increment()
        }
        #expect(lines(of: "many{").count == MetricLimits.seriesPerNameMax)
        #expect(lines(of: "refused").last == "metrics_series_refused_total 6")
    }

    @Test("Concurrent updates are not lost")
    func concurrentUpdates() async {
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask { [registry] in
                    for _ in 0..<1_000 {
                        Counter(label: "all", factory: registry).increment()
                        Timer(label: "time", factory: registry).recordNanoseconds(1)
                    }
                }
            }
        }
        #expect(lines(of: "all").last == "all 8000")
        #expect(lines(of: "time").last == "time_count 8000")
    }
}
