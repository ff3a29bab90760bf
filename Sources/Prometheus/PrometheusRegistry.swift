public import CoreMetrics
import Synchronization

/// The registry of metrics (a `MetricsFactory`), and the text that Prometheus scrapes. Invalid characters in names become underscores.
/// Durations and aggregating recorders become histograms with fixed bounds (``MetricLimits``), so that several processes' histograms can be
/// added up.
///
/// Any thread may use it. Creating a metric takes a lock and builds text, so keep references.
public final class PrometheusRegistry: MetricsFactory {
    struct Family {
        let kind: MetricKind
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

    // Destroying a metric does nothing: a counter that disappears and returns looks like a restart.

    public func destroyCounter(_ handler: any CounterHandler) {}
    public func destroyFloatingPointCounter(_ handler: any FloatingPointCounterHandler) {}
    public func destroyMeter(_ handler: any MeterHandler) {}
    public func destroyRecorder(_ handler: any RecorderHandler) {}
    public func destroyTimer(_ handler: any TimerHandler) {}

    /// The series of a name and labels, created if missing. With too many series, or another kind under the name, a new one works but is
    /// not shown.
    private func cell<Cell: MetricCell>(_ label: String, _ dimensions: [(String, String)], _ kind: MetricKind, make: () -> Cell) -> Cell {
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

    /// A smaller total changes nothing.
    public func count(_ name: String, _ dimensions: [(String, String)] = [], upTo total: Double) {
        (makeFloatingPointCounter(label: name, dimensions: dimensions) as? CounterCell)?.raise(to: total)
    }

    public static let contentType = "text/plain; version=0.0.4; charset=utf-8"

    /// Metrics by name, series by labels; `metrics_series_refused_total` comes last.
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

enum MetricKind: String, Sendable {
    case counter
    case gauge
    case histogram
}

/// The limits of metrics.
public enum MetricLimits {
    /// Series per name, so that labels from outside cannot fill the memory. `metrics_series_refused_total` counts the refused.
    public static let seriesPerNameMax = 2_000
    /// From an answer out of memory (half a millisecond) to ten seconds.
    public static let secondsBounds: [Double] = [0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
    /// Powers of two, up to four times the requests of one commit.
    public static let countBounds: [Double] = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1_024, 2_048, 4_096]
}
