import Foundation
import LMDB
import Testing

@testable import EventLog

/// The persistent part of an index without the memory part, together with the indexed events. Tests flush and merge it step by step.
final class StoredRuns {
    let store: RunStore
    private(set) var keeper: RunKeeper
    private(set) var oracle: Oracle
    let path: String
    private let factor: Int
    private var copies = 0

    convenience init(factor: Int) throws {
        let folder = try #require(TemporaryFolder.current, "the suite is not .temporaryFolder")
        try self.init(folder + "/" + UUID().uuidString, factor, Oracle())
    }

    private init(_ path: String, _ factor: Int, _ oracle: Oracle) throws {
        (self.path, self.factor, self.oracle) = (path, factor, oracle)
        store = try RunStore.keep(path, log: nil) { _ in true }
        keeper = RunKeeper(store, factor: factor)
    }

    /// Opens a copy of the files as a crash at this moment would leave them. `change` may modify the copied folder first.
    func afterACrash(_ change: (String) throws -> Void = { _ in }) throws -> StoredRuns {
        copies += 1
        let copy = "\(path)-\(copies)"
        try FileManager.default.copyItem(atPath: path, toPath: copy)
        try change(copy)
        return try StoredRuns(copy, factor, oracle)
    }

    /// Removes the copies made by ``afterACrash(_:)``.
    func removeCopies() {
        for copy in 1...max(1, copies) { try? FileManager.default.removeItem(atPath: "\(path)-\(copy)") }
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

    /// Stores a memory part that begins after the stored events. The events of the part are not added to the oracle.
    func flush(_ part: MemoryPart) throws {
        try keeper.flush(part, IndexCoverage(position: part.next - 1))
    }

    /// Does one step of merging. Returns false if there was nothing to do.
    func step() throws -> Bool { try keeper.step() }

    /// Merges until there is nothing left to merge.
    func settle() throws { while try step() {} }

    /// The names of all files of runs, in order.
    func files() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: path).filter { $0.hasPrefix("run-") }.sorted()
    }
}
