internal import Audit
internal import Foundation
internal import LMDB
internal import LoyaltyCodec
public import Projections
internal import ReadModels

/// The changes of one table of a read model between two moments.
public struct TableDiff: Sendable {
    public let model: String
    public let table: ModelTable
    public internal(set) var added = 0
    public internal(set) var removed = 0
    public internal(set) var changed = 0
    /// In key order, up to the requested number.
    public internal(set) var changes: [RowChange] = []

    init(_ model: String, _ table: ModelTable) { (self.model, self.table) = (model, table) }

    public var isEmpty: Bool { added + removed + changed == 0 }
}

/// One row that differs between two moments.
public struct RowChange: Hashable, Sendable {
    public let key: [UInt8]
    /// Nil if there was no row.
    public let before: [UInt8]?
    /// Nil if there was no row.
    public let after: [UInt8]?

    /// A line with `+`, `-` or `~`, and the row with readable ids.
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

/// Walks in key order through the earlier state in a file and the later one in memory.
struct TableWalk {
    let earlier: SortedTable
    let later: CanonicalTable
    let keyBytes: Int

    func forEach(_ body: (RowChange) -> Void) throws(SnapshotFault) {
        var (index, row) = (0, CanonicalRow())
        if later.count > 0 { later.row(0, into: &row) }
        func next() {
            index += 1
            if index < later.count { later.row(index, into: &row) }
        }
        try earlier.forEach(from: [UInt8](repeating: 0, count: keyBytes)) { (key, value) throws(SnapshotFault) in
            while index < later.count, KeyOrder.compare(row.key.bytes, key) < 0 {
                body(RowChange(key: row.key.array, before: nil, after: row.value))
                next()
            }
            let before = [UInt8](copying: value)
            if index < later.count, KeyOrder.compare(row.key.bytes, key) == 0 {
                if before != row.value { body(RowChange(key: row.key.array, before: before, after: row.value)) }
                next()
            } else {
                body(RowChange(key: [UInt8](copying: key), before: before, after: nil))
            }
            return true
        }
        while index < later.count {
            body(RowChange(key: row.key.array, before: nil, after: row.value))
            next()
        }
    }
}

/// One model's earlier rows in sorted files, so that memory holds only the later state.
struct EarlierTables {
    private let path: String
    private let tables: [(described: ModelTable, rows: Int, digest: String)]

    /// - Parameter path: a folder that contains nothing else.
    init(of model: any Projection.Type, _ replay: Replay, in path: String) throws {
        self.path = path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        tables = try zip(model.tables, replay.tables(of: model.name)).map { described, table in
            var (writer, row) = (try SortedTableWriter(path + "/" + described.name, keyBytes: described.keyBytes), CanonicalRow())
            for index in 0..<table.count {
                table.row(index, into: &row)
                try writer.add(key: row.key.bytes, value: row.value.span)
            }
            return (described, writer.rows, try writer.finish())
        }
    }

    func table(_ index: Int) throws(SnapshotFault) -> SortedTable {
        let (described, rows, digest) = tables[index]
        return try SortedTable(path + "/" + described.name, digest: digest, rows: rows, keyBytes: described.keyBytes)
    }

    func remove() { try? FileManager.default.removeItem(atPath: path) }
}

extension TableDiff {
    /// The numbers of changed rows, then the rows in ``changes``; no lines without a change.
    public var lines: [String] {
        if isEmpty { return [] }
        let kept = changes.map { "  " + $0.text(in: table) }
        let rest = added + removed + changed - changes.count
        return ["\(model) \(table.name)  added \(added)  removed \(removed)  changed \(changed)"] + kept
            + (rest > 0 ? ["  … and \(rest) more"] : [])
    }

    /// The same as ``lines``, as JSON objects.
    public var jsonLines: [String] {
        if isEmpty { return [] }
        let place = [("model", JSONText.string(model)), ("table", JSONText.string(table.name))]
        let counts = [("added", "\(added)"), ("removed", "\(removed)"), ("changed", "\(changed)")]
        return [JSONText.object(place + counts)]
            + changes.map { change in
                JSONText.object(
                    place + [
                        ("key", JSONText.string(table.text(key: change.key.span))), ("before", text(change.before)),
                        ("after", text(change.after)),
                    ])
            }
    }

    private func text(_ value: [UInt8]?) -> String {
        guard let value else { return "null" }
        return JSONText.string(table.text(value: value.span))
    }
}
