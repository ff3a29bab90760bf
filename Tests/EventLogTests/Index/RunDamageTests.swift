import Foundation
import LMDB
import Patience
import Seeds
import Synchronization
import Testing

@testable import EventLog

/// Tests index files that are missing, truncated, exchanged or altered. Look-ups then answer from the log, nothing traps, and the index is
/// repaired.
@Suite(.temporaryFolder) struct RunDamageTests {
    private func filled(_ history: inout RandomHistory) throws -> (Sandbox, Oracle) {
        let sandbox = try Sandbox()
        let oracle = Oracle(events: history.events(60))
        for number in 0..<3 { try sandbox.append(Array(oracle.events[number * 20..<number * 20 + 20])) }
        return (sandbox, oracle)
    }

    private func expectAnswers(_ log: EventLog, _ oracle: Oracle, _ history: inout RandomHistory, _ seed: UInt64) throws {
        for _ in 0..<2 { try oracle.expectAnswers(of: log, &history, seed) }
        for tag in RandomHistory.values.prefix(4).flatMap({ [card($0), shop($0)] }) {
            let expected = oracle.positions(.tags(tag), after: 0, through: .max, backwards: false, limit: .max)
            let found = try log.positions(matching: .tags(tag))
            #expect(found == expected, "seed \(seed): \(tag)")
        }
    }

    /// Alters each byte of a file in turn. Every alteration must be detected, except in the padding between blocks, which nothing reads.
    @Test("Each changed byte of a run is detected, or lies in the padding")
    func eachAlteredByteOfARunIsDetectedOrHarmless() throws {
        let generator = SeededRandom.announced("eachAlteredByteOfARunIsDetectedOrHarmless"), seed = generator.seed
        var history = RandomHistory(generator: generator)
        let runs = try StoredRuns(factor: 9)
        try runs.flush(history.events(20))
        let run = runs.keeper.runs[0], path = runs.store.path(of: run.number)
        let whole = try Data(contentsOf: URL(fileURLWithPath: path))
        var blocks: [[UInt8]] = []
        for number in 0..<2 {
            var bytes: [UInt8] = []
            try BlockFile(path, number: UInt64(run.number), seal: run.seal, .plain).read(number, into: &bytes)
            blocks.append(bytes)
        }
        var detected = 0
        for offset in whole.indices {
            var altered = whole
            altered[offset] ^= UInt8(1 << history.generator.int(0...7))
            try altered.write(to: URL(fileURLWithPath: path))
            guard let file = try? BlockFile(path, number: UInt64(run.number), seal: run.seal, .mapped) else {
                detected += 1
                continue
            }
            for number in 0..<2 {
                guard let span = try? file.block(number) else {
                    detected += 1
                    continue
                }
                var bytes: [UInt8] = []
                bytes.append(copying: span)
                #expect(bytes == blocks[number], "byte \(offset), seed \(seed)")
            }
        }
        let used = blocks.reduce(0) { $0 + $1.count } + 2 * 16 + 40
        #expect(detected == used, "every byte except the padding is checked")
    }

    /// Each round changes one random bit of a run's file. The index's answers must equal the results of a scan of all events.
    @Test("The answers of a damaged index are those of a full scan")
    func answersOfADamagedIndexAreThoseOfAScan() throws {
        let generator = SeededRandom.announced("answersOfADamagedIndexAreThoseOfAScan"), seed = generator.seed
        var history = RandomHistory(generator: generator)
        let (sandbox, oracle) = try filled(&history)
        try sandbox.copy(sandbox.index, over: sandbox.path + "/whole")
        for round in 0..<60 {
            try sandbox.copy(sandbox.path + "/whole", over: sandbox.index)
            let url = URL(fileURLWithPath: sandbox.index + "/run-\(round % 3 + 1)")
            var bytes = try Data(contentsOf: url)
            // In such a small run, blocks, filters and directories are in the first bytes of their pages, so a bit is changed there.
            let page = history.generator.int(0...bytes.count / 4_096)
            let offset = page * 4_096 + history.generator.int(0...(page == bytes.count / 4_096 ? bytes.count % 4_096 - 1 : 600))
            bytes[offset] ^= UInt8(1 << history.generator.int(0...7))
            try bytes.write(to: url)
            let log = try sandbox.open()
            try expectAnswers(log, oracle, &history, seed)
            try log.close()
        }
    }

    @Test("A flipped bit of a filter hides no event")
    func aFlippedBitOfAFilterHidesNothing() throws {
        let sandbox = try Sandbox()
        try sandbox.append((1...500).map { event(.stamped, card(UInt128($0))) })
        let url = URL(fileURLWithPath: sandbox.index + "/run-1")
        let whole = try Data(contentsOf: url)
        let manifest = try #require(RunManifest(in: sandbox.index))
        var part: [UInt8] = []
        let file = try BlockFile(url.path, number: 1, seal: manifest.runs[0].seal, .plain)
        try file.read(Int(manifest.runs[0].blocks), into: &part)
        let partAt = try #require(whole.range(of: Data(part.prefix(80)))).lowerBound
        // Clears all bits of the part's filter. A look-up that trusted this filter would find no tag.
        var altered = whole
        let directoryAt = part.count - Int(manifest.runs[0].blocks) * IndexLayout.directoryEntryBytes
        for offset in partAt + IndexLayout.filterAt..<partAt + directoryAt { altered[offset] = 0 }
        try altered.write(to: url)
        let log = try sandbox.open()
        for number: UInt64 in 1...500 { #expect(try log.lastPosition(of: card(UInt128(number))) == Position(number)) }
        #expect(try log.lastPosition(of: card(501)) == nil)
    }

    /// The system may drop a page of a mapped file, and read it again from a disk on which it has changed.
    @Test("A page of a run that changes after its use hides no event", arguments: ["zeroed", "with changed bytes"])
    func aPageThatChangesWhileInUseHidesNothing(_ damage: String) throws {
        let sandbox = try Sandbox()
        try sandbox.append((1...2_000).map { event($0.isMultiple(of: 2) ? .stamped : .closed, card(UInt128($0)), shop(UInt128($0 % 7))) })
        let (path, whole) = (sandbox.index + "/run-1", sandbox.path + "/whole")
        let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        try #require(bytes.count > 12 * 4_096, "blocks, a filter and a directory")
        try sandbox.copy(sandbox.index, over: whole)
        for page in stride(from: 0, to: bytes.count, by: 4_096) {
            var changed = Array(bytes[page..<min(page + 4_096, bytes.count)])
            if damage == "zeroed" {
                for index in changed.indices { changed[index] = 0 }
            } else {
                // Numbers of blocks and parts, in the first bytes, stay right.
                for index in stride(from: 30, to: changed.count, by: 11) { changed[index] ^= 0xFF }
            }
            try sandbox.copy(whole, over: sandbox.index)
            let log = try sandbox.open()
            try expectEachEvent(in: log, "before the page at \(page) changes")
            let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
            try file.seek(toOffset: UInt64(page))
            try file.write(contentsOf: Data(changed))
            try file.close()
            try expectEachEvent(in: log, "the page at \(page) is \(damage)")
            try log.close()
        }
    }

    private func expectEachEvent(in log: EventLog, _ when: Comment) throws {
        for number: UInt64 in 1...2_000 { #expect(try log.lastPosition(of: card(UInt128(number))) == Position(number), when) }
        for number: UInt64 in 0..<7 {
            let members = (UInt64(1)...2_000).filter { $0 % 7 == number }.map { Position($0) }
            #expect(try log.positions(matching: .tags(shop(UInt128(number)))) == members, when)
        }
        #expect(try log.lastPosition(of: card(2_001)) == nil, when)
    }

    @Test("A missing, cut or exchanged run is made again", arguments: ["missing", "cut", "exchanged", "of another length"])
    func aDamagedRunIsMadeAnew(_ damage: String) throws {
        var history = RandomHistory(generator: SeededRandom(seed: 21))
        let (sandbox, oracle) = try filled(&history)
        let (first, second) = (URL(fileURLWithPath: sandbox.index + "/run-1"), URL(fileURLWithPath: sandbox.index + "/run-2"))
        let bytes = try Data(contentsOf: second)
        switch damage {
        case "missing": try FileManager.default.removeItem(at: second)
        case "cut": try bytes.prefix(bytes.count / 2).write(to: second)
        case "exchanged": try Data(contentsOf: first).write(to: second)
        default: try (bytes + Data([0])).write(to: second)
        }
        do {
            let log = try sandbox.open()
            try expectAnswers(log, oracle, &history, 21)
            try expectHealed(log)
            try expectAnswers(log, oracle, &history, 21)
            try log.close()
        }
        let again = try sandbox.open()
        #expect(again.indexStatus?.damagedRuns == 0 && again.indexStatus?.replayedEvents == 0)
        try expectAnswers(again, oracle, &history, 21)
    }

    /// Some blocks are read by no look-up for years.
    @Test("A damaged block is repaired in the background", arguments: [true, false])
    func aBlockThatIsFoundDamagedIsHealedInTheBackground(byLookUp: Bool) throws {
        var history = RandomHistory(generator: SeededRandom(seed: 22))
        let (sandbox, oracle) = try filled(&history)
        let url = URL(fileURLWithPath: sandbox.index + "/run-2")
        var bytes = try Data(contentsOf: url)
        bytes[40] ^= 1
        try bytes.write(to: url)
        let log = try sandbox.open()
        #expect(log.indexStatus?.damagedRuns == 0, "nothing has met the damage yet")
        if byLookUp { try expectAnswers(log, oracle, &history, 22) } else { log.inspectIndex() }
        try expectHealed(log)
        #expect(!FileManager.default.fileExists(atPath: url.path))
        try expectAnswers(log, oracle, &history, 22)
    }

    /// Waits until the flusher has repaired all damaged runs. Each round wakes the flusher, which repairs in small steps.
    private func expectHealed(_ log: EventLog) throws {
        let index = try #require(log.index)
        try eventually("all damaged runs are repaired") {
            index.store.wake.signal()
            _ = index.keeper.withLock { $0.runs.count }
            return index.status.damagedRuns == 0
        }
        #expect(index.status.failure == nil)
    }

    @Test("A run whose file a merge has removed is not reported as missing")
    func mergedRunsAreNotMissing() throws {
        var history = RandomHistory(generator: SeededRandom(seed: 6))
        let runs = try StoredRuns(factor: 2)
        for _ in 0..<2 { try runs.flush(history.events(40)) }
        let read = runs.store.list
        try runs.settle()
        #expect(read.runs.count == 2 && runs.store.list.runs.count == 1)
        #expect(runs.store.missing(of: read).isEmpty)
        try FileManager.default.removeItem(atPath: runs.store.path(of: runs.store.list.runs[0].run.number))
        #expect(runs.store.missing(of: runs.store.list).count == 1)
    }

    /// A reader that opened the index before a merge keeps its answers. A reader that opens the index after the merge uses the newer
    /// manifest.
    @Test("A reader that opens after a merge uses the newer manifest, and an earlier one keeps its answers")
    func aReaderBesideTheWriterTakesTheNewerManifest() throws {
        var history = RandomHistory(generator: SeededRandom(seed: 5))
        let runs = try StoredRuns(factor: 2)
        try runs.flush(history.events(40))
        let reader = try #require(RunStore.look(runs.path))
        try runs.flush(history.events(40))
        try runs.settle()
        #expect(runs.keeper.runs.count == 1)
        // The reader still answers as of the time when it was opened, although the run's file has been removed since.
        #expect(try reader.newest(of: shop(1), type: nil, through: 80) ?? 0 <= 40)
        let newer = try #require(RunStore.look(runs.path))
        #expect(try newer.newest(of: shop(1), type: nil, through: 80) ?? 0 > 40)
    }
}
