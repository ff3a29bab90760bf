/// The bounds of this target.
public enum MetricLimits {
    /// Series of one name, each some hundred bytes: labels that come from outside must not fill the memory. What comes beyond is
    /// counted nowhere, and `metrics_series_refused_total` says how often that was.
    public static let seriesPerNameMax = 2_000
    /// Bounds of histograms of seconds: from half a millisecond, which is an answer from memory, to what nobody waits for.
    public static let secondsBounds: [Double] = [0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
    /// Bounds of histograms of counts: powers of two, to the largest batch that there is.
    public static let countBounds: [Double] = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1_024, 2_048, 4_096]
}
