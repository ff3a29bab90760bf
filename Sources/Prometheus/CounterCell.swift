import CoreMetrics
import Synchronization

/// A number that only grows, until the process starts anew.
final class CounterCell: MetricCell, CounterHandler, FloatingPointCounterHandler {
    private let value = Mutex(0.0)

    func increment(by amount: Int64) { increment(by: Double(amount)) }

    /// What would make it smaller is left out: a counter that goes back reads as a restart.
    func increment(by amount: Double) {
        guard amount > 0 else { return }
        value.withLock { $0 += amount }
    }

    func reset() { value.withLock { $0 = 0 } }

    func write(_ name: String, _ labels: MetricLabels, to text: inout String) {
        text += "\(labels.sample(name)) \(MetricText.number(value.withLock { $0 }))\n"
    }
}
