/// What a run of load over HTTP came to.
struct HTTPLoad {
    /// Requests a second.
    let rate: Double
    /// Microseconds of a request.
    let p50: Double
    /// The same of the slowest hundredth, or faster.
    let p99: Double
}
