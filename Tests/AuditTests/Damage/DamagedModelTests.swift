import EventLog
import Foundation
import Histories
import LMDB
import Loyalty
import LoyaltyCodec
import Patience
import Search
import Seeds
import Testing
import World

@testable import Audit
@testable import Projections
@testable import ReadModels

/// Pages of read models that are overwritten at rest, or while they are served. No such page may end the process.
@Suite(.timeLimit(.minutes(15))) struct DamagedModelTests {
    /// The new content of a page.
    enum Content: CaseIterable, CustomStringConvertible {
        case random, zeros, otherPage

        var description: String { "\(self == .random ? "random bytes" : self == .zeros ? "zeros" : "another page")" }
    }

    static let pageBytes = 4_096

    /// The current file of each model.
    static func files(_ data: TestData) throws -> [String: String] {
        var files: [String: String] = [:]
        for name in ReadModels.names + [Discovery.name] {
            let folder = name == Discovery.name ? Discovery.folder(in: data.models) : ModelFolder(models: data.models, model: name)
            files[name] = folder.path(of: try #require(folder.current)) + "/" + folder.dataFile
        }
        return files
    }

    /// Overwrites a page in place.
    ///
    /// - Returns: whether that has changed a byte; nil if the file has no such page.
    @discardableResult
    static func overwrite(_ path: String, page: Int, _ content: Content, _ seed: inout SeededRandom) throws -> Bool? {
        let bytes = try Data(contentsOf: URL(filePath: path))
        let pages = bytes.count / pageBytes
        guard page < pages else { return nil }
        let other = (page + 1) % pages * pageBytes
        let new =
            switch content {
            case .random: Data((0..<pageBytes).map { _ in UInt8(seed.int(0...255)) })
            case .zeros: Data(count: pageBytes)
            case .otherPage: bytes[other..<other + pageBytes]
            }
        let file = try FileHandle(forUpdating: URL(filePath: path))
        try file.seek(toOffset: UInt64(page * pageBytes))
        try file.write(contentsOf: new)
        try file.close()
        return Array(new) != Array(bytes[page * pageBytes..<(page + 1) * pageBytes])
    }

    /// Overwrites a page of each model.
    ///
    /// - Returns: for each file that has such a page, whether a byte has changed.
    static func overwrite(page: Int, of data: TestData, _ content: Content, _ seed: inout SeededRandom) throws -> [String: Bool] {
        var changed: [String: Bool] = [:]
        for (name, path) in try files(data).sorted(by: { $0.key < $1.key }) {
            // SQLite does not notice that a page was replaced by another table's page with the same keys. The auditor does.
            if content == .otherPage, name == Discovery.name, !StateFile(in: URL(filePath: path).deletingLastPathComponent().path).isClean {
                continue
            }
            changed[name] = try overwrite(path, page: page, content, &seed)
        }
        return changed
    }

    /// The digests of all models as they are stored.
    static func stored(_ data: TestData) throws -> [String: String] {
        var digests = [Discovery.name: try DiscoveryContent.stored(in: data.models).digest]
        for model in ReadModels.models { digests[model.name] = try ModelDigest(stored: model, in: data.models).hex }
        return digests
    }

    /// The digests of all models that a replay of the log gives.
    static func replayed(_ data: TestData) throws -> [String: String] {
        let log = try data.log(.readOnly)
        var digests = [Discovery.name: try DiscoveryContent.replayed(log, through: log.head).digest]
        for digest in StateDigest(of: try Replay(of: log, until: .head)).models { digests[digest.model] = digest.hex }
        return digests
    }

    /// The log, and the models that follow it, as a server has them open.
    struct Open {
        let log: EventLog
        let models: ReadModels

        init(_ data: TestData) throws {
            log = try data.log()
            let discovery = try Discovery(directory: data.models, log: log)
            models = try ReadModels(directory: data.models, log: log, others: [try discovery.waiting(for: log)])
        }

        func settle() throws {
            try eventually("the models are whole and at the head") {
                models.status.allSatisfy { $0.failure == nil && $0.loss == nil } && models.position >= log.head
            }
        }

        func close() throws {
            try models.close()
            try log.close()
        }
    }

    /// Starts the models, waits until they are at the head, and stops them.
    ///
    /// - Returns: the names of the models that were rebuilt because of damage.
    @discardableResult
    static func start(_ data: TestData) throws -> Set<String> {
        let open = try Open(data)
        try open.settle()
        let rebuilt = open.models.status.filter { $0.built == .damaged }.map(\.name)
        try open.close()
        return Set(rebuilt)
    }

    @Test("Any page of any model may be overwritten at rest: the next start rebuilds that model from the log", arguments: Content.allCases)
    func atRest(_ content: Content) throws {
        let data = try AuditSample("damaged at rest", count: 250).data
        try Self.start(data)
        let expected = try Self.replayed(data)
        var seed = SeededRandom.announced("damaged at rest by \(content)")
        var page = 0
        while true {
            let damaged = try Self.overwrite(page: page, of: data, content, &seed)
            if damaged.isEmpty { break }
            #expect(try Self.start(data) == Set(damaged.filter(\.value).keys), "page \(page)")
            #expect(try Self.stored(data) == expected, "page \(page)")
            page += 1
        }
        #expect(page > 5)
    }

    @Test(
        "After a kill, any page may have been overwritten meanwhile: the next start serves what the log says", arguments: Content.allCases)
    func afterAKill(_ content: Content) throws {
        let data = try AuditSample("damaged by a kill", count: 250).data
        try Self.start(data)
        let expected = try Self.replayed(data)
        var seed = SeededRandom.announced("damaged by a kill and \(content)")
        var (page, rebuilt) = (0, 0)
        while true {
            for path in try Self.files(data).values {
                let directory = URL(filePath: path).deletingLastPathComponent().path
                try StateFile(in: directory).markOpen()
                try? FileManager.default.removeItem(atPath: directory + "/seal")
            }
            if try Self.overwrite(page: page, of: data, content, &seed).isEmpty { break }
            rebuilt += try Self.start(data).count
            #expect(try Self.stored(data) == expected, "page \(page)")
            page += 1
        }
        #expect(page > 5 && rebuilt > 5)
    }

    @Test("Pages that are overwritten under a server are found before the auditor follows them, and the models are rebuilt beside")
    func whileServed() throws {
        // The models are built while they are open: at the head, their threads have read what they need, and meet no damaged page first.
        let data = try AuditSample("damaged while served", count: 250).data
        let expected = try Self.replayed(data)
        var seed = SeededRandom.announced("damaged while served")
        try damageServed(data, &seed)
        #expect(try Self.stored(data) == expected)
        #expect(try Self.start(data).isEmpty)
    }

    @Test("A write-ahead log that is cut off or removed under a server is damage, and the model is rebuilt", arguments: [true, false])
    func writeAheadLog(isCut: Bool) throws {
        let data = try AuditSample("write-ahead log", count: 100).data
        do {
            let open = try Open(data)
            try open.settle()
            let path = try #require(Self.files(data)[Discovery.name]) + "-wal"
            if isCut {
                try FileHandle(forUpdating: URL(filePath: path)).truncate(atOffset: 0)
            } else {
                try FileManager.default.removeItem(atPath: path)
            }
            open.models.search()
            try eventually("the model was rebuilt") { open.models.status.first { $0.name == Discovery.name }?.remade == 1 }
            try open.settle()
            try open.close()
        }
        #expect(try Self.stored(data) == Self.replayed(data))
    }

    /// Damages the models of a server, and audits them before and after they are rebuilt.
    private func damageServed(_ data: TestData, _ seed: inout SeededRandom) throws {
        let open = try Open(data)
        try open.settle()
        // SQLite's pages are still in its write-ahead log, which has a test of its own.
        for (name, path) in try Self.files(data) where name != Discovery.name {
            for page in 2..<30 { try Self.overwrite(path, page: page, .random, &seed) }
        }
        let damaged = { open.models.status.filter { $0.name != Discovery.name } }
        let told = Told()
        let auditor = ShadowAuditor(open.models, in: DataFolder(data.path), log: open.log, schedule: .off) { told.add($0) }
        auditor.run()
        try eventually("all models were rebuilt") { damaged().allSatisfy { $0.remade == 1 } }
        try open.settle()
        try eventually("the damaged generations are removed") {
            try damaged().allSatisfy { model in
                let path = ModelFolder(models: data.models, model: model.name).path
                return try FileManager.default.contentsOfDirectory(atPath: path).count { Generation(text: $0) != nil } == 1
            }
        }
        auditor.run()
        #expect(auditor.status.models.allSatisfy { $0.mismatch == nil && $0.failure == nil && $0.position != nil }, "\(auditor.status)")
        #expect(damaged().allSatisfy { $0.remade == 1 && $0.lastLoss?.code == .damaged }, "\(open.models.status)")
        try open.close()
    }

    @Test("A model whose opening or second audit in a row has ended a process is rebuilt without being opened")
    func notes() throws {
        let data = try AuditSample("noted", count: 100).data
        try Self.start(data)
        let folder = ModelFolder(models: data.models, model: CardProgress.name)
        let note = try RiskNote(#require(folder.current), in: folder)
        note.begin(.auditing)
        #expect(try Self.start(data).isEmpty, "one audit that was cut off is forgiven")
        note.begin(.auditing)
        #expect(try Self.start(data) == [CardProgress.name])
        RiskNote(try #require(folder.current), in: folder).begin(.opening)
        #expect(try Self.start(data) == [CardProgress.name])
        #expect(try Self.start(data).isEmpty)
        #expect(try Self.stored(data) == Self.replayed(data))
        #expect(!FileManager.default.fileExists(atPath: folder.path + "/risk"), "nothing is left of the note")
    }

    @Test("A large file that no process closed is searched before it is opened only if the process before ended unsearched")
    func largeFile() throws {
        let data = try AuditSample("large", count: 250).data
        try Self.start(data)
        let folder = ModelFolder(models: data.models, model: CardProgress.name)
        let generation = try #require(folder.current)
        let path = folder.path(of: generation)
        let file = try FileHandle(forUpdating: URL(filePath: path + "/" + folder.dataFile))
        try file.truncate(atOffset: UInt64(ProjectionLimits.inspectedBytesMax) + 1)
        try StateFile(in: path).markOpen()
        #expect(try folder.requireWhole(generation) == false)
        RiskNote(generation, in: folder).end(.serving)
        #expect(try folder.requireWhole(generation) == false, "the process before had searched it")
        #expect(try folder.requireWhole(generation), "the process before had not")
        RiskNote(generation, in: folder).end(.opening)
        var seed = SeededRandom.announced("large")
        for page in 2..<30 { try Self.overwrite(path + "/" + folder.dataFile, page: page, .random, &seed) }
        #expect(try folder.requireWhole(generation) == false)
        #expect(throws: ReadModelError.self) { try folder.requireWhole(generation) }
    }

    @Test("A row that does not decode is an error of the read that meets it, and the model is rebuilt")
    func damagedRow() throws {
        let sample = try AuditSample("undecodable", count: 200)
        try Self.start(sample.data)
        let open = try Open(sample.data)
        let card = try #require(sample.history.world.cards.values.min { $0.id < $1.id })
        try open.overwrite(CardProgress.self, "cards", RowKey(card.id.value), [1, 2, 3])
        #expect(throws: ReadModelError.self) { try open.models.cards.card(card.id) }
        try eventually("the model was rebuilt") { open.models.status.first?.remade == 1 }
        #expect(try open.models.cards.card(card.id) == card)
        try open.close()
    }

    @Test("A number of the wrong size ends no process, and the model is rebuilt")
    func shortNumber() throws {
        let sample = try AuditSample("short number", count: 300)
        try Self.start(sample.data)
        let open = try Open(sample.data)
        let card = try #require(sample.history.world.cards.values.min { $0.id < $1.id })
        try open.overwrite(Notices.self, "holders", RowKey(card.holder.value, and: card.shop.value), [1])
        #expect(throws: ReadModelError.self) { try open.models.notices.places(of: card.holder) }
        try eventually("the model was rebuilt") { open.models.status.first { $0.name == Notices.name }?.remade == 1 }
        #expect(throws: Never.self) { try open.models.notices.places(of: card.holder) }
        try open.close()
    }
}

extension DamagedModelTests.Open {
    /// Replaces a row of an open model.
    fileprivate func overwrite<Model: Projection>(_ model: Model.Type, _ table: String, _ key: RowKey, _ row: [UInt8]) throws {
        let store = try #require(models.store(of: Model.name))
        let environment = store.environment
        let table = try store.table(#require(Model.tables.first { $0.name == table }))
        var transaction = try environment.write()
        try store.put(table, key, row.span, in: &transaction)
        try transaction.commit()
    }
}
