internal import CLMDB
internal import Synchronization

extension Environment {
    /// Opens a table, and creates it if the access permits. Open all tables before threads share transactions.
    ///
    /// The first call for a table uses a transaction of its own; later calls return the same value.
    ///
    /// - Throws: ``LMDBError`` `.missing` if read-only and there is no table; `.misuse` if it is of another kind, there are more than
    ///   ``Options/tables``, or this thread has a write transaction.
    public func table(_ name: String, _ kind: Table.Kind = .bytes) throws(LMDBError) -> Table {
        try refuseNested("mdb_dbi_open")
        return try tables.withLock { (tables: inout sending [String: Table]) throws(LMDBError) -> Table in
            let table = if let known = tables[name] { known } else { try openTable(name, kind) }
            guard table.kind == kind else { throw otherKind(name, "is of kind \(table.kind), not \(kind)") }
            tables[name] = table
            return table
        }
    }

    private func openTable(_ name: String, _ kind: Table.Kind) throws(LMDBError) -> Table {
        let writes = access == .readWrite
        try requireLockFile()
        var transaction: OpaquePointer?
        // SAFETY: the transaction is local, and ends on each path. Only a commit keeps the table's handle open.
        let begun = unsafe mdb_txn_begin(handle, nil, writes ? 0 : UInt32(MDB_RDONLY), &transaction)
        try Self.require(begun, "mdb_txn_begin", directory)
        do {
            let table = try unsafe openTable(name, kind, in: transaction!, creates: writes)
            try Self.require(unsafe mdb_txn_commit(transaction), "mdb_txn_commit", directory)
            return table
        } catch  where error.call != "mdb_txn_commit" {
            unsafe mdb_txn_abort(transaction)
            throw error
        }
    }

    @unsafe private func openTable(
        _ name: String, _ kind: Table.Kind, in transaction: OpaquePointer, creates: Bool
    ) throws(LMDBError) -> Table {
        var handle: MDB_dbi = 0
        let flags = UInt32(kind.flags | (creates ? MDB_CREATE : 0))
        let number = unsafe mdb_dbi_open(transaction, name, flags, &handle)
        try Self.require(number, "mdb_dbi_open", directory + ", table " + name)
        var stored: UInt32 = 0
        try Self.require(unsafe mdb_dbi_flags(transaction, handle, &stored), "mdb_dbi_flags", directory)
        // LMDB ignores the passed flags for an existing table.
        guard stored == UInt32(kind.flags) else { throw otherKind(name, "is not of kind \(kind) in the file") }
        return Table(kind: kind, handle: handle, environment: self.number)
    }

    private func otherKind(_ name: String, _ text: String) -> LMDBError {
        LMDBError(.misuse, call: "mdb_dbi_open", path: directory, text: "table \(name) \(text)")
    }
}

extension Table.Kind {
    var flags: Int32 {
        switch self {
        case .bytes: 0
        case .integer: MDB_INTEGERKEY
        }
    }
}

/// A named table of an environment: a number and a kind, which can be copied and shared between threads.
///
/// ## LMDB limitations
/// Only its own environment accepts it. Its kind is stored at creation and cannot change. Keys have 1 to ``Limits/keyBytesMax`` bytes.
public struct Table: Sendable, Hashable {
    /// The types of keys and values, which decide their order.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// Keys and values are bytes. Keys are ordered as unsigned bytes; a prefix comes first.
        case bytes
        /// Keys are `UInt64` in numeric order, and values are bytes.
        case integer
    }

    public let kind: Kind
    let handle: UInt32
    /// Other environments reject the table instead of misreading their own data.
    let environment: UInt32
}
