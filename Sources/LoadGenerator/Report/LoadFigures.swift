import Histogram

/// Times by route.
struct LoadFigures: Sendable {
    /// The times of one route, or of all, in microseconds.
    struct Route: Sendable, Codable {
        let name: String
        let answers: UInt64
        let p50: UInt64
        let p99: UInt64
        let p999: UInt64
        let slowest: UInt64
        /// Answers by status.
        let statuses: [String: Int]

        init(name: String, times: Histogram<UInt64>, statuses: [Int: Int]) {
            self.name = name
            answers = times.totalCount
            (p50, p99, p999) = (times.valueAtPercentile(50), times.valueAtPercentile(99), times.valueAtPercentile(99.9))
            slowest = times.max
            self.statuses = Dictionary(uniqueKeysWithValues: statuses.map { ("\($0)", $1) })
        }
    }

    /// Of all routes together.
    let mix: Route
    let routes: [Route]
    let answers: Int
    let refusals: Int
}
