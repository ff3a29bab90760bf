import CoreMetrics
import Images
import Prometheus
import Synchronization

/// The work that pictures make, looked at when somebody asks. Any task may ask.
final class PictureMetrics: Sendable {
    private let registry: PrometheusRegistry
    /// Events that the counters have been told of, by the counter's label.
    private let counted = Mutex<[String: UInt64]>([:])

    init(_ registry: PrometheusRegistry) {
        self.registry = registry
        for (name, help) in Self.helps { registry.describe(name, help) }
    }

    func set(_ activity: PictureActivity) {
        Meter(label: "greentea_picture_jobs", dimensions: [("state", "running")], factory: registry).set(Double(activity.running))
        Meter(label: "greentea_picture_jobs", dimensions: [("state", "waiting")], factory: registry).set(Double(activity.waiting))
        count("greentea_picture_children_total", [], activity.children)
        for limit in PictureActivity.Limit.allCases {
            count("greentea_picture_refusals_total", [("limit", limit.rawValue)], activity.refused[limit] ?? 0)
        }
    }

    private func count(_ name: String, _ dimensions: [(String, String)], _ total: UInt64) {
        let label = name + (dimensions.first?.1 ?? "")
        let new = counted.withLock { counted in
            let before = counted[label] ?? 0
            counted[label] = max(before, total)
            return total > before ? total - before : 0
        }
        Counter(label: name, dimensions: dimensions, factory: registry).increment(by: Int64(clamping: new))
    }

    private static let helps = [
        ("greentea_picture_jobs", "Pictures and thumbnails that are made, or wait for that."),
        ("greentea_picture_children_total", "Child processes that were started for a picture."),
        ("greentea_picture_refusals_total", "Pictures that were refused, by the limit that they hit."),
    ]
}
