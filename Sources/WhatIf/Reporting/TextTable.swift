/// Columns of text: the first to the left, numbers to the right.
struct TextTable {
    private static let gap = "  "

    private var rows: [[String]]

    init(_ titles: [String]) {
        rows = [titles]
    }

    mutating func add(_ row: [String]) {
        rows.append(row)
    }

    /// Without spaces at the ends of lines.
    var lines: [String] {
        let count = rows.map(\.count).max() ?? 0
        let widths = (0..<count).map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { row in
            let cells = row.enumerated().map { column, cell in
                let spaces = String(repeating: " ", count: widths[column] - cell.count)
                return column == 0 ? cell + spaces : spaces + cell
            }
            let line = cells.joined(separator: Self.gap)
            return String(line[..<(line.lastIndex { $0 != " " }.map { line.index(after: $0) } ?? line.startIndex)])
        }
    }
}
