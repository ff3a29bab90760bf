public import ReadModels

/// One row that is not the same at two moments.
public struct RowChange: Hashable, Sendable {
    public let key: [UInt8]
    /// Nil where there was none before.
    public let before: [UInt8]?
    /// Nil where there is none any more.
    public let after: [UInt8]?

    /// `+`, `-` or `~`, then the row in readable ids.
    public func text(in table: ModelTable) -> String {
        let name = table.text(key: key.span)
        switch (before, after) {
        case (let before?, let after?): return "~ \(name): \(table.text(value: before.span))  →  \(table.text(value: after.span))"
        case (let before?, nil): return "- \(name): \(table.text(value: before.span))"
        case (nil, let after?): return "+ \(name): \(table.text(value: after.span))"
        case (nil, nil): return "  \(name)"
        }
    }
}
