import Foundation
import LMDB
import Testing

@testable import EventLog

/// The persistent part of the index alone, flushed and merged step by step, beside the events it was made of.
final class StoredRuns {
    let store: PostingStore
    private(set) var keeper: RunKeeper
    private(set) var oracle: Oracle
    private let path: String
    private let factor: Int
    private var copies = 0

    convenience init(factor: Int) throws {
        let folder = try #require(TemporaryFolder.current, "the suite is not .temporaryFolder")
        try self.init(folder + "/" + UUID().uuidString, factor, Oracle())
    }

    private init(_ path: String, _ factor: Int, _ oracle: Oracle) throws {
        (self.path, self.factor, self.oracle) = (path, factor, oracle)
        store = try PostingStore(DerivedEnvironment(directory: path))
        keeper = try RunKeeper(store, factor: factor)
    }

    /// What a crash at this very moment leaves, opened again.
    func afterACrash() throws -> StoredRuns {
        copies += 1
        let copy = "\(path)-\(copies)"
        try FileManager.default.copyItem(atPath: path, toPath: copy)
        return try StoredRuns(copy, factor, oracle)
    }

    /// Stores events as a run.
    func flush(_ events: [NewEvent]) throws {
        var part = MemoryPart(first: UInt64(oracle.events.count + 1))
        for event in events {
            var bytes: [UInt8] = []
            try RecordEncoder.append(event, to: &bytes)
            guard let record = Record(bytes.span) else { throw EventLogError(.damaged, "no record") }
            part.insert(record, at: part.next, kinds: IndexedKinds(.forTests))
        }
        try flush(part)
        oracle.events += events
    }

    /// Stores a part that begins behind what is stored; the oracle knows nothing of it.
    func flush(_ part: MemoryPart) throws {
        let coverage = IndexMeta(position: part.next - 1, fingerprint: 0, created: Timestamp(microseconds: 0), kinds: [])
        try keeper.flush(part, coverage)
    }

    /// Merges or clears away a little; false when there was nothing to do.
    func step() throws -> Bool { try keeper.step() }

    /// Merges and clears away all there is.
    func settle() throws { while try step() {} }

    /// The keys of all values.
    func keys() throws -> [UInt64] {
        let environment = store.environment
        let snapshot = try environment.snapshot()
        var cursor = try snapshot.cursor(store.table)
        var keys: [UInt64] = []
        while try cursor.next() {
            if keys.last == cursor.integerKey { break }
            keys.append(cursor.integerKey)
        }
        return keys
    }

    /// Changes a stored value behind the index's back; nil removes it.
    func tamper(_ key: UInt64, _ change: ([UInt8]) -> [UInt8]?) throws {
        let environment = store.environment
        var transaction = try environment.write()
        var bytes: [UInt8] = []
        if let value = try transaction.get(store.table, key) { bytes.append(copying: value) }
        if let changed = change(bytes) {
            try transaction.put(store.table, key, changed)
        } else {
            _ = try transaction.delete(store.table, key)
        }
        try transaction.commit()
    }
}
