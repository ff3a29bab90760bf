internal import CLMDB

/// A live `MDB_txn`, copyable on purpose: the noncopyable types around it own the transaction, and give each returned pointer its lifetime.
@safe struct TransactionHandle {
    let pointer: OpaquePointer
    let environment: UInt32

    /// With a table of the wrong kind, LMDB could read beyond the end of a short key.
    @inline(__always)
    func check(_ table: Table, integer: Bool, _ call: StaticString) throws(LMDBError) {
        if table.environment == environment, (table.kind == .integer) == integer { return }
        throw refusal(of: table, call)
    }

    @inline(__always)
    func checkOwner(_ table: Table, _ call: StaticString) throws(LMDBError) {
        if table.environment == environment { return }
        throw refusal(of: table, call)
    }

    @inline(never)
    private func refusal(of table: Table, _ call: StaticString) -> LMDBError {
        let text = table.environment == environment ? "a table of kind \(table.kind)" : "a table of another environment"
        return unsafe LMDBError.misuse(call, text, transaction: pointer)
    }

    @inline(__always)
    func require(_ number: Int32, _ call: StaticString) throws(LMDBError) {
        if number == 0 { return }
        throw unsafe LMDBError.failed(call, number, transaction: pointer)
    }

    /// False for "not found".
    @inline(__always)
    func found(_ number: Int32, _ call: StaticString) throws(LMDBError) -> Bool {
        if number == 0 { return true }
        if number == MDB_NOTFOUND { return false }
        throw unsafe LMDBError.failed(call, number, transaction: pointer)
    }

    /// Bytes in a page of LMDB.
    @inline(__always)
    @unsafe func get(_ table: Table, _ key: MDB_val) throws(LMDBError) -> Span<UInt8>.Storage? {
        var key = unsafe key
        var value = unsafe MDB_val()
        guard try found(unsafe mdb_get(pointer, table.handle, &key, &value), "mdb_get") else { return nil }
        return unsafe value.buffer
    }

    func count(_ table: Table) throws(LMDBError) -> Int {
        try checkOwner(table, "mdb_stat")
        var statistics = MDB_stat()
        try require(unsafe mdb_stat(pointer, table.handle, &statistics), "mdb_stat")
        return Int(statistics.ms_entries)
    }

    @unsafe func openCursor(_ table: Table) throws(LMDBError) -> OpaquePointer {
        try checkOwner(table, "mdb_cursor_open")
        var cursor: OpaquePointer?
        try require(unsafe mdb_cursor_open(pointer, table.handle, &cursor), "mdb_cursor_open")
        return unsafe cursor!
    }
}
