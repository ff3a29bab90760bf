import ArgumentParser

/// How results are printed.
enum OutputFormat: String, ExpressibleByArgument, CaseIterable {
    /// Lines for people.
    case text
    /// One JSON object on each line.
    case jsonl
}
