public import CoreMetrics
import Synchronization

/// The registry of metrics, and the text that Prometheus scrapes.
///
/// It is a `MetricsFactory` of swift-metrics, so that measuring code depends only on that package. Characters that a Prometheus name must
/// not have, such as dots and dashes, become underscores. Durations become histograms in seconds, and aggregating recorders become
/// histograms of counts. Both have fixed bounds (``MetricLimits``), so that histograms of several processes can be added up.
///
/// Any thread may use it. Creating a metric takes a lock and builds text, so keep references to frequently used metrics.
public final class PrometheusRegistry: MetricsFactory {
    struct Family {
        let kind: MetricKind
        var help: String?
        var series: [MetricLabels: any MetricCell] = [:]
    }

    struct State {
        var families: [String: Family] = [:]
        var refused: UInt64 = 0
    }

    let state = Mutex(State())

    public init() {}

    /// Sets the help text of a metric.
    public func describe(_ name: String, _ help: String) {
        let name = MetricText.name(name)
        helps.withLock { $0[name] = help }
    }

    let helps = Mutex<[String: String]>([:])

    public func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        cell(label, dimensions, .counter) { CounterCell() }
    }

    public func makeFloatingPointCounter(label: String, dimensions: [(String, String)]) -> any FloatingPointCounterHandler {
        cell(label, dimensions, .counter) { CounterCell() }
    }

    public func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        cell(label, dimensions, .gauge) { GaugeCell() }
    }

    public func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
        guard aggregate else { return cell(label, dimensions, .gauge) { GaugeCell() } }
        return cell(label, dimensions, .histogram) { HistogramCell(bounds: MetricLimits.countBounds) }
    }

    public func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        cell(label, dimensions, .histogram) { HistogramCell(bounds: MetricLimits.secondsBounds) }
    }

    // Destroying a metric does nothing. A series stays in the exposition for as long as the process runs, because a counter that disappears
    // and returns looks like a restart.

    public func destroyCounter(_ handler: any CounterHandler) {}
    public func destroyFloatingPointCounter(_ handler: any FloatingPointCounterHandler) {}
    public func destroyMeter(_ handler: any MeterHandler) {}
    public func destroyRecorder(_ handler: any RecorderHandler) {}
    public func destroyTimer(_ handler: any TimerHandler) {}

    /// Returns the series of a name and labels, and creates it if it is missing. If the name has too many series, or belongs to a metric of
    /// another kind, a new series is returned but not stored. Then measuring works, but the series is not shown.
    private func cell<Cell: MetricCell>(
        _ label: String, _ dimensions: [(String, String)], _ kind: MetricKind, make: () -> Cell
    ) -> Cell {
        let (name, labels) = (MetricText.name(label), MetricLabels(dimensions))
        return state.withLock { state in
            let family = state.families[name] ?? Family(kind: kind)
            if let known = family.series[labels] as? Cell, family.kind == kind { return known }
            let cell = make()
            guard family.kind == kind, family.series[labels] == nil, family.series.count < MetricLimits.seriesPerNameMax else {
                state.refused += 1
                return cell
            }
            state.families[name, default: family].series[labels] = cell
            return cell
        }
    }
}

extension PrometheusRegistry {
    private static let refusedName = "metrics_series_refused_total"

    /// Raises a counter to a total that is counted elsewhere. A smaller total changes nothing.
    public func count(_ name: String, _ dimensions: [(String, String)] = [], upTo total: Double) {
        (makeFloatingPointCounter(label: name, dimensions: dimensions) as? CounterCell)?.raise(to: total)
    }

    /// The media type of ``text``.
    public static let contentType = "text/plain; version=0.0.4; charset=utf-8"

    /// All metrics in the Prometheus text exposition format, version 0.0.4. Metrics are sorted by name, and the series of a metric by
    /// labels; `metrics_series_refused_total` comes last.
    public var text: String {
        let (families, refused) = state.withLock { ($0.families, $0.refused) }
        let helps = helps.withLock { $0 }
        var text = ""
        for (name, family) in families.sorted(by: { $0.key < $1.key }) {
            if let help = helps[name] { text += "# HELP \(name) \(MetricText.help(help))\n" }
            text += "# TYPE \(name) \(family.kind.rawValue)\n"
            for (labels, cell) in family.series.sorted(by: { $0.key < $1.key }) { cell.write(name, labels, to: &text) }
        }
        if let help = helps[Self.refusedName] { text += "# HELP \(Self.refusedName) \(MetricText.help(help))\n" }
        text += "# TYPE metrics_series_refused_total counter\nmetrics_series_refused_total \(refused)\n"
        return text
    }
}

/// The kind of a metric, in the terms of the exposition format.
enum MetricKind: String, Sendable {
    case counter
    case gauge
    case histogram
}

/// The limits of metrics, each with its reason.
public enum MetricLimits {
    /// The maximum number of series per name, so that labels from outside cannot fill the memory. Further series are not stored, and
    /// `metrics_series_refused_total` counts the attempts.
    public static let seriesPerNameMax = 2_000
    /// Bounds of histograms of seconds: from half a millisecond, the time of an answer from memory, to ten seconds.
    public static let secondsBounds: [Double] = [0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
    /// Bounds of histograms of counts: powers of two, up to four times the maximum number of requests that one commit answers.
    public static let countBounds: [Double] = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1_024, 2_048, 4_096]
}
