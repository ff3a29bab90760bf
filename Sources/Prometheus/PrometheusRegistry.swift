public import CoreMetrics
import Synchronization

/// Where metrics are kept, and the text that Prometheus reads of them.
///
/// It is a `MetricsFactory` of swift-metrics, so that whoever measures knows only that package. A name's dots and dashes become
/// underscores. Durations become histograms in seconds and recorders that aggregate become histograms of counts, both with fixed
/// bounds (``MetricLimits``), so that histograms of many processes add up.
///
/// Any thread may do anything. Making a metric takes a lock and builds text; keep what you measure with often.
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

    /// Says what a metric means, to be shown with it.
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

    // A series that was shown once is shown for as long as the process runs: a counter that vanishes looks like a restart.

    public func destroyCounter(_ handler: any CounterHandler) {}
    public func destroyFloatingPointCounter(_ handler: any FloatingPointCounterHandler) {}
    public func destroyMeter(_ handler: any MeterHandler) {}
    public func destroyRecorder(_ handler: any RecorderHandler) {}
    public func destroyTimer(_ handler: any TimerHandler) {}

    /// The series of a name and labels, made where there is none. One that would be too many, or of another kind than its name is
    /// already, is made and not kept: whoever measures goes on, and it is not shown.
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
