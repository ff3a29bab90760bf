internal import EventLog
internal import LMDB

/// Derived data beside the log, stored like a read model. Data that is trusted after a power cut must be complete: it must contain all rows
/// that were added before a clean close.
package final class DerivedRows {
    private static let rowBytes = 700

    private let derived: DerivedEnvironment
    private let table: Table
    private var rows: UInt64 = 0

    /// Opens the rows of a folder.
    ///
    /// - Throws: the error of opening the environment.
    package init(in directory: String) throws {
        var options = Environment.Options()
        options.mapSizeMax = 1 << 30
        derived = try DerivedEnvironment(directory: directory, options: options)
        table = try derived.environment.table("rows", .integer)
        let environment = derived.environment
        let snapshot = try environment.snapshot()
        if let count = try snapshot.get(table, 0) { rows = count.littleEndian64(at: 0) }
    }

    /// Adds a row, without a flush.
    ///
    /// - Throws: the error of the transaction.
    package func add() throws {
        let environment = derived.environment
        var transaction = try environment.write()
        rows += 1
        var count: [UInt8] = []
        count.append(littleEndian: rows)
        try transaction.put(table, 0, count)
        // The keys are scattered over the tree, so that a missing flush damages many pages.
        try transaction.put(table, rows &* 0x9E37_79B9_7F4A_7C15 | 1, Self.row(rows))
        try transaction.commit()
    }

    /// Closes the environment cleanly. From then on, its content is trusted.
    ///
    /// - Throws: the error of the flush.
    package func close() throws { try derived.close() }

    /// Compares the stored rows with the rows that were added. Does nothing if the opening discarded the earlier content.
    ///
    /// - Throws: ``FaultError`` if a row is missing or different.
    package func check() throws {
        guard derived.origin == .kept else { return }
        let environment = derived.environment
        let snapshot = try environment.snapshot()
        for number in 1...max(1, rows) where number <= rows {
            guard let found = try snapshot.get(table, number &* 0x9E37_79B9_7F4A_7C15 | 1) else {
                throw FaultError("derived data is trusted, but lacks row \(number) of \(rows)")
            }
            var bytes: [UInt8] = []
            bytes.append(copying: found)
            guard bytes == Self.row(number) else { throw FaultError("derived data is trusted, but row \(number) is another one") }
        }
    }

    private static func row(_ number: UInt64) -> [UInt8] { (0..<rowBytes).map { UInt8(truncatingIfNeeded: number &+ UInt64($0)) } }
}
