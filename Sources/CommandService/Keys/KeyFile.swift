import EventLog
import LMDB

/// The key store's file, open: data keys by account, accounts by phone, and what the store notes about itself.
struct KeyFile: Sendable {
    /// Entries of ``meta``.
    enum Entry: String {
        /// Made with the root secret: tells whether keys belong to this folder.
        case mark = "master"
        /// The root secret, wrapped by the master secret. Not there where the master secret itself is the root.
        case root = "root"
        /// There while the file may hold, in pages that are in use no more, keys that were destroyed.
        case unscrubbed = "unscrubbed"
        /// How far the log was searched for erasures: ``ErasureNote``.
        case erasures = "erasures"

        var name: [UInt8] { Array(rawValue.utf8) }
    }

    let environment: Environment
    let dataKeys: Table
    let meta: Table
    /// Both ways between phones and accounts: ``KeyStore/Row``.
    let names: Table

    /// Opens or creates it, or opens it beside its writer for reading only.
    init(directory: String, access: Environment.Access = .readWrite, map: MapLimit = .init()) throws(LMDBError) {
        var options = Environment.Options()
        map.set(&options)
        options.zeroesPages = true  // Key material must not reach the disk in the unused part of a page.
        environment = try Environment(directory: directory, access: access, options: options)
        dataKeys = try environment.table("dataKeys")
        meta = try environment.table("meta")
        // A reader wants ``meta`` alone, and the file may be from a release without this table.
        names = access == .readWrite ? try environment.table("names") : meta
    }

    /// The bytes under a name, copied.
    func value(_ table: Table, _ name: [UInt8]) throws(LMDBError) -> [UInt8]? {
        let environment = self.environment  // A transaction borrows a local, not a property.
        let snapshot = try environment.snapshot()
        guard let stored = try snapshot.get(table, name.span) else { return nil }
        return (0..<stored.count).map { stored[$0] }
    }

    /// Stores in one flushed transaction.
    @available(*, noasync)
    func put(_ rows: [(table: Table, name: [UInt8], value: [UInt8])]) throws(LMDBError) {
        let environment = self.environment
        var change = try environment.write()
        for row in rows { try change.put(row.table, row.name.span, row.value.span) }
        try change.commit()
    }

    /// Removes a data key and rows of ``names``, and notes in the same transaction that the file is to be scrubbed.
    ///
    /// - Returns: whether there was any of them.
    @available(*, noasync)
    func removeKey(_ name: [UInt8], names rows: [[UInt8]] = []) throws(LMDBError) -> Bool {
        let environment = self.environment
        let (entry, value) = (Entry.unscrubbed.name, [1] as [UInt8])
        var change = try environment.write()
        var isThere = try change.delete(dataKeys, name.span)
        for row in rows where try change.delete(names, row.span) { isThere = true }
        guard isThere else { return false }
        try change.put(meta, entry.span, value.span)
        try change.commit()
        return true
    }

    /// Removes and stores rows of ``names`` in one flushed transaction. If any are removed, it notes that the file is to be scrubbed.
    @available(*, noasync)
    func replace(_ removed: [[UInt8]], by rows: [(name: [UInt8], value: [UInt8])]) throws(LMDBError) {
        let environment = self.environment
        let (entry, value) = (Entry.unscrubbed.name, [1] as [UInt8])
        var change = try environment.write()
        for row in removed { _ = try change.delete(names, row.span) }
        for row in rows { try change.put(names, row.name.span, row.value.span) }
        if !removed.isEmpty { try change.put(meta, entry.span, value.span) }
        try change.commit()
    }

    /// The names of the rows of ``names`` that begin with a byte.
    func names(beginningWith first: UInt8) throws(LMDBError) -> [[UInt8]] {
        let environment = self.environment
        let snapshot = try environment.snapshot()
        var found: [[UInt8]] = []
        var cursor = try snapshot.cursor(names)
        let start = [first]
        var isPlaced = try cursor.seek(start.span)
        while isPlaced {
            let key = cursor.key
            guard key.count > 0, key[0] == first else { break }
            found.append((0..<key.count).map { key[$0] })
            isPlaced = try cursor.next()
        }
        return found
    }

    /// Takes the note away again.
    @available(*, noasync)
    func noteScrubbed() throws(LMDBError) {
        let environment = self.environment
        let entry = Entry.unscrubbed.name
        var change = try environment.write()
        _ = try change.delete(meta, entry.span)
        try change.commit()
    }

    /// Every data key as it is stored, by account.
    func allKeys() throws(LMDBError) -> [(name: [UInt8], wrapped: [UInt8])] {
        let environment = self.environment
        let snapshot = try environment.snapshot()
        var rows: [(name: [UInt8], wrapped: [UInt8])] = []
        var cursor = try snapshot.cursor(dataKeys)
        var isPlaced = try cursor.first()
        while isPlaced {
            let (key, value) = (cursor.key, cursor.value)
            rows.append(((0..<key.count).map { key[$0] }, (0..<value.count).map { value[$0] }))
            isPlaced = try cursor.next()
        }
        return rows
    }
}
