import CoreMetrics
import Synchronization

/// One series: the values of one metric with one set of labels.
protocol MetricCell: Sendable {
    /// Appends the series' lines in the Prometheus text format, each with its line end.
    func write(_ name: String, _ labels: MetricLabels, to text: inout String)
}

/// A number that only grows, until it is reset or the process restarts.
final class CounterCell: MetricCell, CounterHandler, FloatingPointCounterHandler {
    private let value = Mutex(0.0)

    func increment(by amount: Int64) { increment(by: Double(amount)) }

    /// Adds a positive amount. Any other amount is ignored, because a counter that decreases looks like a restart.
    func increment(by amount: Double) {
        guard amount > 0 else { return }
        value.withLock { $0 += amount }
    }

    /// Raises the value to a total that is counted elsewhere. Concurrent scrapes may deliver totals in any order, so a total below the
    /// present value is ignored.
    func raise(to total: Double) { value.withLock { $0 = max($0, total) } }

    func reset() { value.withLock { $0 = 0 } }

    func write(_ name: String, _ labels: MetricLabels, to text: inout String) {
        text += "\(labels.sample(name)) \(MetricText.number(value.withLock { $0 }))\n"
    }
}

/// A number that can go up and down.
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

/// The number of recorded values in each of several fixed ranges, and the sum of all recorded values.
final class HistogramCell: MetricCell, RecorderHandler, TimerHandler {
    private struct State {
        /// One count for each bound, and one for values beyond the last bound.
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
        // A value that is equal to a bound is counted at that bound, because the label `le` means "less or equal".
        let place = bounds.firstIndex { value <= $0 } ?? bounds.count
        state.withLock { state in
            state.counts[place] += 1
            state.sum += value
        }
    }

    /// Durations arrive in nanoseconds and are shown in seconds.
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
