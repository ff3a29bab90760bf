import EventLog
import Foundation
import LMDB

/// The key store's open file: data keys by account, accounts by phone, and notes about the store itself.
struct KeyFile: Sendable {
    enum Entry: String {
        case mark = "master"
        /// The root secret, wrapped by the master secret; absent if the master secret is the root.
        case root = "root"
        /// Present while unused pages may still hold destroyed keys or old rows of phones.
        case unscrubbed = "unscrubbed"
        case erasures = "erasures"
        case log = "log"
        /// The part of the log that a follower's keys include.
        case followed = "followed"

        var name: [UInt8] { Array(rawValue.utf8) }
    }

    let environment: Environment
    let dataKeys: Table
    let meta: Table
    /// Not usable if the file is open for reading only.
    let names: Table

    /// Opens or creates the store, or opens it for reading while another process writes. Checks every page first, unless `isChecked`.
    ///
    /// - Throws: `KeyStoreError.damaged`, or the storage's `LMDBError`.
    init(directory: String, access: Environment.Access = .readWrite, map: MapLimit = .init(), isChecked: Bool = false) throws {
        var options = Environment.Options()
        map.set(&options)
        options.zeroesPages = true  // Key material must not reach the disk in the unused part of a page.
        environment = try Self.open(directory, access, options, isChecked)
        // Scrubbing replaces the file by a copy with the umask's permissions. A reader of another user cannot change them and need not.
        if access == .readWrite {
            try? FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: directory + "/data.mdb")
        }
        dataKeys = try environment.table("dataKeys")
        meta = try environment.table("meta")
        // Readers do not need "names", and a file of an older release does not have it.
        names = access == .readWrite ? try environment.table("names") : meta
    }

    private static func open(
        _ directory: String, _ access: Environment.Access, _ options: Environment.Options, _ isChecked: Bool
    ) throws -> Environment {
        do throws(LMDBError) {
            if access == .readOnly { return try Environment.whole(directory, options: options) }
            let environment = try Environment(directory: directory, access: access, options: options)
            if !isChecked { try environment.requireWholePages() }
            return environment
        } catch { throw KeyStoreError.damage(in: directory, error) ?? error as any Error }
    }

    func value(_ table: Table, _ name: [UInt8]) throws(LMDBError) -> [UInt8]? {
        let environment = self.environment  // A transaction borrows a local, not a property.
        let snapshot = try environment.snapshot()
        guard let stored = try snapshot.get(table, name.span) else { return nil }
        return (0..<stored.count).map { stored[$0] }
    }

    @available(*, noasync)
    func put(_ rows: [(table: Table, name: [UInt8], value: [UInt8])]) throws(LMDBError) {
        let environment = self.environment
        var change = try environment.write()
        for row in rows { try change.put(row.table, row.name.span, row.value.span) }
        try change.commit()
    }

    /// Removes a data key and rows of ``names``, and notes in the same transaction that the file must be scrubbed (its unused bytes
    /// zeroed). Returns false, without a note, if none existed.
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

    /// Removes and stores rows of ``names``, and stores data keys, in one flushed transaction, with the note that the file must be scrubbed
    /// if `leavesBytes`.
    @available(*, noasync)
    func replace(
        _ removed: some Sequence<[UInt8]>, by rows: [(name: [UInt8], value: [UInt8])], leavesBytes: Bool,
        keys: [(name: [UInt8], value: [UInt8])] = []
    ) throws(LMDBError) {
        let environment = self.environment
        let (entry, value) = (Entry.unscrubbed.name, [1] as [UInt8])
        var change = try environment.write()
        for row in removed { _ = try change.delete(names, row.span) }
        for row in rows { try change.put(names, row.name.span, row.value.span) }
        for key in keys { try change.put(dataKeys, key.name.span, key.value.span) }
        if leavesBytes { try change.put(meta, entry.span, value.span) }
        try change.commit()
    }

    /// Ascending; `after` is a name of this kind, nil to begin at the first.
    func names(beginningWith first: UInt8, after: [UInt8]? = nil, limit: Int = .max) throws(LMDBError) -> [[UInt8]] {
        let environment = self.environment
        let snapshot = try environment.snapshot()
        var found: [[UInt8]] = []
        var cursor = try snapshot.cursor(names)
        let start = after.map { $0 + [0] } ?? [first]
        var isPlaced = try cursor.seek(start.span)
        while isPlaced, found.count < limit {
            let key = cursor.key
            guard key.count > 0, key[0] == first else { break }
            found.append((0..<key.count).map { key[$0] })
            isPlaced = try cursor.next()
        }
        return found
    }

    @available(*, noasync)
    func noteScrubbed() throws(LMDBError) {
        let environment = self.environment
        let entry = Entry.unscrubbed.name
        var change = try environment.write()
        _ = try change.delete(meta, entry.span)
        try change.commit()
    }

    func eachKey(_ body: (_ name: [UInt8], _ wrapped: [UInt8]) throws -> Void) throws {
        let environment = self.environment
        let snapshot = try environment.snapshot()
        var cursor = try snapshot.cursor(dataKeys)
        var isPlaced = try cursor.first()
        while isPlaced {
            let (key, value) = (cursor.key, cursor.value)
            try body((0..<key.count).map { key[$0] }, (0..<value.count).map { value[$0] })
            isPlaced = try cursor.next()
        }
    }
}
