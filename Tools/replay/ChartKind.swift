import ArgumentParser

/// What a chart shows.
enum ChartKind: String, ExpressibleByArgument, CaseIterable {
    /// Each week's new customers, and how many of them came in each week after: a heat map.
    case retention
    /// The same, all weeks put together: a line.
    case curve
    /// How many days cards take to be full: bars.
    case fill
    /// At which count of stamps cards are left: bars.
    case abandonment
    /// A shop's weeks before, during and after a campaign: lines.
    case effect
}
