import CoreMetrics
import Synchronization

/// How often a value lay in which of some fixed ranges, and their sum.
final class HistogramCell: MetricCell, RecorderHandler, TimerHandler {
    private struct State {
        /// One for each bound, and one for what lies beyond the last.
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
        // A bound belongs to its range: `le` is "less or equal".
        let place = bounds.firstIndex { value <= $0 } ?? bounds.count
        state.withLock { state in
            state.counts[place] += 1
            state.sum += value
        }
    }

    /// Durations are shown in seconds.
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
