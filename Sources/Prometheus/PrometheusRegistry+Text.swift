import Synchronization

extension PrometheusRegistry {
    /// The media type of ``text``.
    public static let contentType = "text/plain; version=0.0.4; charset=utf-8"

    /// Every metric, by name, each with its series by labels: the Prometheus text exposition format, version 0.0.4.
    public var text: String {
        let (families, refused) = state.withLock { ($0.families, $0.refused) }
        let helps = helps.withLock { $0 }
        var text = ""
        for (name, family) in families.sorted(by: { $0.key < $1.key }) {
            if let help = helps[name] { text += "# HELP \(name) \(MetricText.help(help))\n" }
            text += "# TYPE \(name) \(family.kind.rawValue)\n"
            for (labels, cell) in family.series.sorted(by: { $0.key < $1.key }) { cell.write(name, labels, to: &text) }
        }
        text += "# TYPE metrics_series_refused_total counter\nmetrics_series_refused_total \(refused)\n"
        return text
    }
}
