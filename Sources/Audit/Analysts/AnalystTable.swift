/// A table as analysts get it.
struct AnalystTable: Sendable {
    /// Its file's name without the ending.
    let name: String
    /// What one row is.
    let about: String
    /// Where the rows come from: `log`, or a model and its table.
    let source: String
    let columns: [AnalystColumn]
}
