public import ReadModels

/// What changed in one table of a read model between two moments.
public struct TableDiff: Sendable {
    /// The model's name.
    public let model: String
    public let table: ModelTable
    public internal(set) var added = 0
    public internal(set) var removed = 0
    public internal(set) var changed = 0
    /// The first ones in key order, as many as were asked for.
    public internal(set) var changes: [RowChange] = []

    init(_ model: String, _ table: ModelTable) { (self.model, self.table) = (model, table) }

    public var isEmpty: Bool { added + removed + changed == 0 }
}
