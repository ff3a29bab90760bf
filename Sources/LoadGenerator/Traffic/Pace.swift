/// How fast the generator asks.
public enum Pace: Sendable, Equatable {
    /// Each lane sends as soon as it was answered.
    case flatOut
    /// So many requests a second, evenly.
    case steady(perSecond: Double)
    /// So many a second on the mean of a week that goes by in so many seconds.
    case week(meanPerSecond: Double, seconds: Double)
}
