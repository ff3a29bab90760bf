import CoreMetrics
import Synchronization

/// One series: the values of a metric with one set of labels.
protocol MetricCell: Sendable {
    func write(_ name: String, _ labels: MetricLabels, to text: inout String)
}

/// A number that only grows, until a reset or restart.
final class CounterCell: MetricCell, CounterHandler, FloatingPointCounterHandler {
    private let value = Mutex(0.0)

    func increment(by amount: Int64) { increment(by: Double(amount)) }

    /// Ignores other than positive amounts: a decreasing counter looks like a restart.
    func increment(by amount: Double) {
        guard amount > 0 else { return }
        value.withLock { $0 += amount }
    }

    /// Ignores a smaller total, because concurrent scrapes deliver totals in any order.
    func raise(to total: Double) { value.withLock { $0 = max($0, total) } }

    func reset() { value.withLock { $0 = 0 } }

    func write(_ name: String, _ labels: MetricLabels, to text: inout String) {
        text += "\(labels.sample(name)) \(MetricText.number(value.withLock { $0 }))\n"
    }
}

final class GaugeCell: MetricCell, MeterHandler, RecorderHandler {
    private let value = Mutex(0.0)

    func set(_ value: Int64) { set(Double(value)) }
    func set(_ value: Double) { self.value.withLock { $0 = value } }
    func increment(by amount: Double) { value.withLock { $0 += amount } }
    func decrement(by amount: Double) { value.withLock { $0 -= amount } }
    func record(_ value: Int64) { set(Double(value)) }
    func record(_ value: Double) { set(value) }

    func write(_ name: String, _ labels: MetricLabels, to text: inout String) {
        text += "\(labels.sample(name)) \(MetricText.number(value.withLock { $0 }))\n"
    }
}

/// Counts of values in fixed ranges, and their sum.
final class HistogramCell: MetricCell, RecorderHandler, TimerHandler {
    private struct State {
        /// For each bound, and beyond the last.
        var counts: [UInt64]
        var sum = 0.0
    }

    private let bounds: [Double]
    private let state: Mutex<State>

    init(bounds: [Double]) {
        self.bounds = bounds
        state = Mutex(State(counts: Array(repeating: 0, count: bounds.count + 1)))
    }

    func record(_ value: Int64) { record(Double(value)) }

    func record(_ value: Double) {
        guard !value.isNaN else { return }
        // The label `le` means "less or equal".
        let place = bounds.firstIndex { value <= $0 } ?? bounds.count
        state.withLock { state in
            state.counts[place] += 1
            state.sum += value
        }
    }

    /// Nanoseconds are shown as seconds.
    func recordNanoseconds(_ duration: Int64) { record(Double(duration) / 1e9) }

    func write(_ name: String, _ labels: MetricLabels, to text: inout String) {
        let (counts, sum) = state.withLock { ($0.counts, $0.sum) }
        var total: UInt64 = 0
        for (place, count) in counts.enumerated() {
            total += count
            let bound = place < bounds.count ? MetricText.number(bounds[place]) : "+Inf"
            text += "\(labels.sample(name + "_bucket", adding: "le=\"\(bound)\"")) \(total)\n"
        }
        text += "\(labels.sample(name + "_sum")) \(MetricText.number(sum))\n"
        text += "\(labels.sample(name + "_count")) \(total)\n"
    }
}
