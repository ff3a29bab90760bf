import Foundation
import Glibc
import Synchronization
import Testing

@testable import EventLog
@testable import LMDB

/// Tests the order and the cost of repairing unusable runs of the index.
@Suite(.temporaryFolder) struct RunRepairTests {
    /// Opens a log of `count` events together with its index, whose only run covers all of the events.
    private func stored(_ count: Int) throws -> (log: EventLog, store: RunStore) {
        let sandbox = try Sandbox()
        try sandbox.append((0..<count).map { event(.stamped, card(UInt128($0 % 50 + 1))) })
        let log = try sandbox.open(.readOnly)
        return (log, try RunStore.keep(sandbox.index, log: log.storage) { _ in true })
    }

    private func expectAnswers(_ store: RunStore, _ count: Int) throws {
        for number in 1...50 {
            let newest = UInt64(count - (count - number) % 50)
            #expect(try store.newest(of: card(UInt128(number)), type: nil, through: .max) == newest)
        }
    }

    private func files(_ store: RunStore) throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: store.directory).count { $0.hasPrefix("run-") }
    }

    @Test("A long run is rebuilt with only a few files at any time", arguments: [2, 3, 8])
    func fewFiles(factor: Int) throws {
        let (log, store) = try stored(1_000)
        defer { withExtendedLifetime(log) {} }
        store.noteDamage(of: store.list.runs[0])
        var keeper = RunKeeper(store, factor: factor, repairedEvents: 2)
        var (most, steps) = (0, 0)
        while try keeper.step() {
            most = max(most, try files(store))
            steps += 1
        }
        // The folder may contain the damaged run, the output of a merge, and at most `factor` runs of each size.
        let sizes = Int((log2(500) / log2(Double(factor))).rounded(.up))
        #expect(steps > 500 && most <= 2 + factor * sizes, "\(most) files")
        #expect(store.list.damaged == 0 && keeper.runs.first?.first == 1 && keeper.runs.last?.last == 1_000)
        #expect(try files(store) == keeper.runs.count, "merged runs have no file any more")
        try expectAnswers(store, 1_000)
    }

    @Test("A run that could not be opened because descriptors ran out is reopened, not rebuilt")
    func openedAgain() throws {
        let (log, store) = try stored(200)
        defer { withExtendedLifetime(log) {} }
        let run = store.list.runs[0].run
        let closed = RunFile(run) { () throws(LMDBError) in throw LMDBError(number: EMFILE, call: "open", path: "run") }
        #expect(closed.isClosed && !closed.isDamaged)
        store.replace([closed])
        try expectAnswers(store, 200)
        #expect(store.list.damaged == 0 && store.damages.load(ordering: .relaxed) == 0, "look-ups scan the log and mark no run as damaged")
        var keeper = RunKeeper(store, factor: 8)
        #expect(try keeper.step())
        #expect(keeper.runs == [run] && !store.list.runs[0].isClosed && store.list.runs[0].file != nil)
        #expect(try !keeper.step())
        try expectAnswers(store, 200)
    }

    @Test("A run that is unreadable or missing is treated as damaged")
    func unreadable() throws {
        let (log, store) = try stored(10)
        defer { withExtendedLifetime(log) {} }
        let run = store.list.runs[0].run
        for (number, call, isDamaged) in [(EIO, "pread", true), (ENOENT, "open", true), (EMFILE, "open", false), (ENOMEM, "mmap", false)] {
            let file = RunFile(run) { () throws(LMDBError) in throw LMDBError(number: number, call: call, path: "run") }
            #expect(file.isDamaged == isDamaged && file.isClosed == !isDamaged, "\(call) \(number)")
        }
    }

    @Test("If a run still cannot be opened, the attempt fails and is repeated later")
    func stillClosed() throws {
        let (log, store) = try stored(10)
        defer { withExtendedLifetime(log) {} }
        let run = store.list.runs[0].run
        let path = store.path(of: run.number)
        store.replace([RunFile(run) { () throws(LMDBError) in throw LMDBError(number: EMFILE, call: "open", path: "run") }])
        var keeper = RunKeeper(store, factor: 8)
        // A symbolic link to itself cannot be opened.
        try FileManager.default.moveItem(atPath: path, toPath: path + "-aside")
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: path)
        #expect(throws: EventLogError.self) { try keeper.step() }
        #expect(store.list.runs[0].isClosed)
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.moveItem(atPath: path + "-aside", toPath: path)
        #expect(try keeper.step() && !store.list.runs[0].isClosed)
    }

    @Test("While one run cannot be opened, another one is reopened")
    func oneStillClosed() throws {
        let sandbox = try Sandbox()
        let store = try RunStore.keep(sandbox.path + "/runs", log: nil) { _ in true }
        var keeper = RunKeeper(store, factor: 8)
        for last: UInt64 in [20, 40] { try flush(last - 19...last, into: &keeper) }
        let runs = keeper.runs
        store.replace(
            runs.map { run in RunFile(run) { () throws(LMDBError) in throw LMDBError(number: EMFILE, call: "open", path: "run") } })
        keeper = RunKeeper(store, factor: 8)
        let path = store.path(of: runs[0].number)
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: path)
        #expect(try keeper.step() && store.list.runs.map(\.isClosed) == [true, false])
        #expect(throws: EventLogError.self) { try keeper.step() }
        #expect(try store.newest(of: card(40), type: nil, through: .max) == 40)
    }

    /// Begins to repair a log's only run, which has 64 events, in steps of four events. Stops when the repair has read `scanned` events.
    private func repairing(_ store: RunStore, through scanned: UInt64) throws -> RunKeeper {
        store.noteDamage(of: store.list.runs[0])
        var keeper = RunKeeper(store, factor: 2, repairedEvents: 4)
        while keeper.scannedEvents < scanned { #expect(try keeper.step()) }
        return keeper
    }

    private func expectRepaired(_ keeper: RunKeeper, _ store: RunStore, scanned: UInt64) throws {
        #expect(keeper.scannedEvents == scanned)
        #expect(store.list.damaged == 0 && keeper.runs.first?.first == 1)
        #expect(try files(store) == keeper.runs.count, "neither merged runs nor failed merges leave a file")
        try expectAnswers(store, 64)
    }

    /// Returns the number in the name of the store's newest file.
    private func newest(_ store: RunStore) throws -> UInt32 {
        try #require(try FileManager.default.contentsOfDirectory(atPath: store.directory).compactMap { RunFile.number(in: $0) }.max())
    }

    @Test("If a repair cannot open or write a merge's file, the merge is retried, and no event is read twice", arguments: [false, true])
    func mergeOfRepairRetried(isDiskFull: Bool) throws {
        let (log, store) = try stored(64)
        defer { withExtendedLifetime(log) {} }
        var keeper = try repairing(store, through: 32)
        // A symbolic link to itself cannot be opened. Data cannot be written through a link to `/dev/full`, which acts as a full disk.
        let obstacles = try (1...3).map { try store.path(of: newest(store) + $0) }
        for path in obstacles {
            try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: isDiskFull ? "/dev/full" : path)
        }
        for _ in obstacles {
            #expect(throws: EventLogError.self) { try keeper.step() }
            #expect(keeper.scannedEvents == 32 && store.list.damaged == 1)
        }
        for path in obstacles { try FileManager.default.removeItem(atPath: path) }
        while try keeper.step() {}
        #expect(keeper.runs.last?.last == 64)
        try expectRepaired(keeper, store, scanned: 64)
    }

    @Test("A repair whose result cannot be published because the disk is full is published later, and no event is read twice")
    func namingRetried() throws {
        let (log, store) = try stored(64)
        defer { withExtendedLifetime(log) {} }
        var keeper = try repairing(store, through: 60)
        let obstacle = "\(store.directory)/\(RunManifest.name).new"
        for _ in 1...3 {
            // A failed replacement removes what it wrote.
            try FileManager.default.createSymbolicLink(atPath: obstacle, withDestinationPath: "/dev/full")
            #expect(throws: EventLogError.self) { try keeper.step() }
            #expect(keeper.scannedEvents == 64 && store.list.damaged == 1)
        }
        // This flush publishes another manifest. After that, the keeper removes files that only earlier manifests may have named.
        try keeper.flush(MemoryPart(first: 65), IndexCoverage(position: 64, kinds: IndexedKinds(.forTests).bytes))
        while try keeper.step() {}
        try expectRepaired(keeper, store, scanned: 64)
    }

    @Test("If a rebuilt run is itself damaged, it is rebuilt again, and the runs rebuilt before it are kept")
    func damagedAgain() throws {
        let (log, store) = try stored(64)
        defer { withExtendedLifetime(log) {} }
        var keeper = try repairing(store, through: 32)
        let damaged = try #require(FileHandle(forUpdatingAtPath: store.path(of: newest(store))))
        try damaged.write(contentsOf: [0xFF])
        try damaged.close()
        #expect(throws: EventLogError.self) { try keeper.step() }
        while try keeper.step() {}
        try expectRepaired(keeper, store, scanned: 68)
    }

    /// Stores a run of events that have the tags of ``order()`` and ``threeDamagedRuns()``: the card of each position.
    private func flush(_ positions: ClosedRange<UInt64>, into keeper: inout RunKeeper) throws {
        var part = MemoryPart(first: positions.lowerBound)
        for position in positions { try part.insert([card(UInt128(position))], at: position) }
        try keeper.flush(part, IndexCoverage(position: positions.upperBound, kinds: IndexedKinds(.forTests).bytes))
    }

    /// Replaces a record of an open log, and returns the bytes of the replaced record. A record that consists of the byte 9 is unreadable.
    @discardableResult
    private func replaceRecord(_ position: UInt64, of log: EventLog, by bytes: [UInt8] = [9]) throws -> [UInt8] {
        let environment = log.storage.environment
        var transaction = try environment.write()
        var replaced: [UInt8] = []
        if let record = try transaction.get(log.storage.events, position) { replaced.append(copying: record) }
        try transaction.put(log.storage.events, position, bytes.span)
        try transaction.commit()
        return replaced
    }

    /// Opens a log of 60 events, and an index of it that is not the log's own. Each of the index's three runs covers 20 events and is
    /// damaged. A repair reads five events in each step.
    private func threeDamagedRuns() throws -> (log: EventLog, store: RunStore, keeper: RunKeeper) {
        let sandbox = try Sandbox()
        try sandbox.append((1...60).map { event(.stamped, card(UInt128($0))) })
        let log = try sandbox.open()
        let store = try RunStore.keep(sandbox.path + "/runs", log: log.storage) { _ in true }
        var keeper = RunKeeper(store, factor: 8, repairedEvents: 5)
        for last: UInt64 in [20, 40, 60] { try flush(last - 19...last, into: &keeper) }
        for run in store.list.runs { store.noteDamage(of: run) }
        return (log, store, keeper)
    }

    @Test("If the log cannot be read where a run is damaged, the other damaged runs are rebuilt, and that run is tried again")
    func unreadableLog() throws {
        var (log, store, keeper) = try threeDamagedRuns()
        try replaceRecord(3, of: log)
        // One step fails, and each of the two other runs takes four steps.
        for _ in 1...9 { _ = try? keeper.step() }
        #expect(store.list.runs.filter(\.isDamaged).map(\.run.first) == [1] && keeper.scannedEvents == 40)
        for _ in 1...3 { #expect(throws: EventLogError.self) { try keeper.step() } }
        for position: UInt64 in 21...60 {
            #expect(try store.newest(of: card(UInt128(position)), type: nil, through: .max) == position)
        }
    }

    @Test("If the log cannot be read for a while where two runs are damaged, every attempt fails at once, and no event is read twice")
    func unreadableForAWhile() throws {
        var (log, store, keeper) = try threeDamagedRuns()
        let places: [UInt64] = [13, 33]
        let records = try places.map { try replaceRecord($0, of: log) }
        // Each of the first two runs takes two steps and a third one that fails. The last run takes four steps.
        for _ in 1...10 { _ = try? keeper.step() }
        #expect(store.list.runs.filter(\.isDamaged).map(\.run.first) == [1, 21] && keeper.scannedEvents == 40)
        // The flusher's pause grows only while no step succeeds.
        for _ in 1...4 { #expect(throws: EventLogError.self) { try keeper.step() } }
        for (position, record) in zip(places, records) { try replaceRecord(position, of: log, by: record) }
        while try keeper.step() {}
        #expect(store.list.damaged == 0 && keeper.scannedEvents == 60)
        #expect(try files(store) == keeper.runs.count)
        for position: UInt64 in 1...60 {
            #expect(try store.newest(of: card(UInt128(position)), type: nil, through: .max) == position)
        }
    }

    @Test("Damaged runs are rebuilt before anything is merged, unless flushes wait for a merge")
    func order() throws {
        let sandbox = try Sandbox()
        try sandbox.append((1...60).map { event(.stamped, card(UInt128($0))) })
        let log = try sandbox.open(.readOnly)
        let store = try RunStore.keep(sandbox.path + "/runs", log: log.storage) { _ in true }
        var keeper = RunKeeper(store, factor: 2, repairedEvents: 5)
        try flush(1...20, into: &keeper)
        try flush(21...40, into: &keeper)
        while try keeper.step() {}
        #expect(keeper.runs.map(\.level) == [1])
        store.noteDamage(of: store.list.runs[0])
        for position: UInt64 in 41...44 { try flush(position...position, into: &keeper) }
        #expect(keeper.isCrowded)
        while keeper.isCrowded { #expect(try keeper.step() && store.list.damaged == 1) }
        try flush(45...45, into: &keeper)
        let runs = keeper.runs.count
        while store.list.damaged > 0 { #expect(try keeper.step() && keeper.runs.count >= runs, "nothing else is merged meanwhile") }
        while try keeper.step() {}
        for position: UInt64 in 1...45 {
            #expect(try store.newest(of: card(UInt128(position)), type: nil, through: .max) == position)
        }
    }
}
