import ArgumentParser

/// How a report is printed.
enum ChartFormat: String, ExpressibleByArgument, CaseIterable {
    /// Lines for people.
    case text
    /// One JSON object.
    case json
}
