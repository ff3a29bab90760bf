import EventLog
import Merkle
import Seeds
import Testing

/// Tests the log's own hash tree. It must cover all events of the log after any batches, reopenings and failures.
@Suite(.temporaryFolder) struct LogTreeTests {
    /// The root of the tree over `records`, computed by the recursive definition in RFC 6962 §2.1. This function shares only the hash
    /// functions of ``TreeHasher`` with the tested tree.
    private func oracle(_ records: ArraySlice<[UInt8]>) -> NodeHash {
        var hasher = TreeHasher()
        guard let only = records.first, records.count > 1 else { return records.first.map { hasher.leaf($0) } ?? TreeHasher.emptyRoot }
        _ = only
        var half = 1
        while half * 2 < records.count { half *= 2 }
        let middle = records.startIndex + half
        return hasher.node(oracle(records[..<middle]), oracle(records[middle...]))
    }

    private func records(of log: EventLog) throws -> [[UInt8]] {
        var records: [[UInt8]] = []
        try log.scan { _, record in
            var bytes: [UInt8] = []
            for index in record.bytes.indices { bytes.append(record.bytes[index]) }
            records.append(bytes)
            return true
        }
        return records
    }

    private func append(_ count: Int, to appender: Appender) throws {
        try appender.stage((0..<count).map { event(.stamped, card(UInt128($0)), payload: [UInt8](repeating: 7, count: $0 % 40)) })
        try appender.commit()
    }

    @Test("The root after each batch is that of the definition")
    func everyRootOfEveryBatchIsThatOfTheDefinition() throws {
        let sandbox = try Sandbox()
        for batches in [[1, 1, 2], [250, 5, 1], [3, 300]] {
            let log = try sandbox.open()
            let appender = try log.appender()
            for batch in batches { try append(batch, to: appender) }
            let records = try records(of: log)
            #expect(try log.root() == oracle(records[...]))
            for size in [0, 1, 2, 3, 4, 7, 255, 256, 257, records.count - 1] where size <= records.count {
                #expect(try log.root(through: Position(UInt64(size))) == oracle(records[..<size]), "size \(size)")
            }
            try log.close()
        }
    }

    /// The tree is large enough for tile level 2 to have an entry.
    @Test("A large tree continues after a reopening")
    func aTreeOfManyLeavesGrowsOnAfterReopening() throws {
        let sandbox = try Sandbox()
        var edge = TreeEdge()
        for count in [65_530, 6, 1, 300] {
            let log = try sandbox.open()
            try append(count, to: try log.appender())
            try log.close()
        }
        let log = try sandbox.open(.readOnly)
        var entries: [TreeEntry] = []
        for record in try records(of: log) { edge.append(record, completing: &entries) }
        #expect(try log.root() == edge.root && edge.size == 65_837)
        let second = entries.filter { $0.level == 2 }
        #expect(try second.count == 1 && log.tree.hashes(level: 2, in: 0..<1) == second.map(\.hash))
    }

    @Test("Proofs from the log lead to its roots")
    func proofsLeadToTheRoots() throws {
        var generator = SeededRandom.announced("proofsLeadToTheRoots")
        let seed = generator.seed
        let log = try Sandbox().open()
        let appender = try log.appender()
        for _ in 0..<12 { try append(generator.int(1...80), to: appender) }
        let records = try records(of: log)
        for _ in 0..<100 {
            let size = generator.int(1...records.count)
            let (old, index) = (generator.int(0...size), generator.int(1...size))
            let (now, then) = (Position(UInt64(size)), Position(UInt64(old)))
            let root = try log.root(through: now)
            let inclusion = try log.inclusionProof(of: Position(UInt64(index)), in: now)
            try inclusion.verify(records[index - 1], root: root)
            #expect(throws: MerkleError.self, "seed \(seed)") { try inclusion.verify(records[index - 1] + [0], root: root) }
            try log.consistencyProof(from: then, to: now).verify(oldRoot: log.root(through: then), newRoot: root)
        }
    }

    @Test("A proof for a missing position is refused")
    func whatThereIsNotCannotBeProved() throws {
        let log = try Sandbox().open()
        try append(3, to: try log.appender())
        let asked: [() throws -> Void] = [
            { _ = try log.root(through: Position(4)) },
            { _ = try log.inclusionProof(of: Position(4), in: Position(4)) },
            { _ = try log.inclusionProof(of: Position(3), in: Position(2)) },
            { _ = try log.inclusionProof(of: .start, in: Position(3)) },
            { _ = try log.consistencyProof(from: Position(4), to: Position(4)) },
        ]
        for ask in asked {
            let error = #expect(throws: EventLogError.self) { try ask() }
            #expect(error?.code == .afterBeyondHead)
        }
    }

    /// A log of the first version has no tree. The first opening for writing creates the tree, and later openings keep it.
    @Test("A log of the first version gets its tree when it is opened for writing")
    func anOldLogGetsItsTree() throws {
        let sandbox = try OldLogTests.restored()
        try expectNoTree(in: sandbox)
        let written = try sandbox.open()
        let root = try written.root()
        #expect(root == oracle(try records(of: written)[...]))
        #expect(root.hex == Self.oldRoot, "the golden file's bytes, and so its root, never change")
        try written.close()
    }

    private func expectNoTree(in sandbox: Sandbox) throws {
        let log = try sandbox.open(.readOnly)
        #expect(throws: EventLogError.self) { try log.root() }
    }

    private static let oldRoot = "da15e31d1d42f0e98b3f100133aea836673126a8c0c236a2d01d9a63210131cb"

    @Test("After a failed commit the tree covers exactly the stored events", arguments: FaultyDurability.Fault.allCases)
    func afterAFailedCommitTheTreeCoversWhatIsThere(_ fault: FaultyDurability.Fault)
        throws
    {
        let sandbox = try Sandbox()
        try fail(fault, in: sandbox)
        let log = try sandbox.open()
        try append(3, to: try log.appender())
        #expect(log.head == Position(fault == .lost ? 8 : 12))
        #expect(try log.root() == oracle(try records(of: log)[...]))
    }

    private func fail(_ fault: FaultyDurability.Fault, in sandbox: Sandbox) throws {
        let durability = FaultyDurability()
        var options = EventLog.Options()
        options.durability = durability
        let log = try sandbox.open(options: options)
        let appender = try log.appender()
        try append(5, to: appender)
        durability.failNext(fault)
        #expect(throws: EventLogError.self) { try append(4, to: appender) }
        try log.close()
    }
}
