/// What a metric is, in the words of the exposition format.
enum MetricKind: String, Sendable {
    case counter
    case gauge
    case histogram
}
