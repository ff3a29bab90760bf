import EventLog
import Foundation
import Histories
import LMDB
import Loyalty
import LoyaltyCodec
import Seeds
import Testing
import World

@testable import Audit
@testable import PastStates
@testable import Projections
@testable import ReadModels

/// The content of snapshots, and the rejection of files that the tool did not write.
@Suite struct SnapshotTests {
    private func keeping(_ sample: TravelSample) -> SnapshotKeeping { SnapshotKeeping(of: sample.folder, log: sample.log) }

    @Test("Snapshots hold the state that the models had at their positions")
    func snapshotContent() throws {
        let sample = try TravelSample("snapshot content", every: 200)
        let states = try keeping(sample).check()
        #expect(states.map(\.position) == [200, 400, 600].map { Position($0) })
        #expect(states.allSatisfy { $0.fault == nil && $0.bytes > 0 })
        let shelf = SnapshotShelf(of: sample.folder, log: sample.log)
        for name in shelf.names {
            let data = try TestData.with(sample.history.facts.prefix(Int(name.mark.position.rawValue)))
            let log = try data.log()
            for (model, entry) in zip(SnapshotName.models, try shelf.open(name).manifest.models) {
                try AuditSample.build(model, data, log)
                #expect(try Self.digest(model, data) == entry.digest, "the digest of \(model.name), built by the model's own code")
            }
        }
    }

    private static func digest<Model: Projection>(_ model: Model.Type, _ data: TestData) throws -> String {
        try ModelDigest(stored: model, in: data.models).hex
    }

    @Test("Only missing snapshots are made, and all of them can be removed")
    func missingSnapshots() throws {
        let sample = try TravelSample("missing snapshots", every: 200)
        let keeping = keeping(sample)
        #expect(try keeping.make(every: 200).isEmpty)
        let names = SnapshotShelf(of: sample.folder, log: sample.log).names
        try FileManager.default.removeItem(atPath: sample.data.snapshots + "/" + names[1].text)
        #expect(try keeping.make(every: 200).map(\.position) == [Position(400)])
        #expect(try keeping.make(every: 300).map(\.position) == [Position(300)])
        #expect(try keeping.make(every: 1_000).isEmpty)
        #expect(keeping.list().count == 4)
        #expect(try keeping.prune().isEmpty && keeping.prune(all: true).count == 4)
        #expect(keeping.list().isEmpty)
    }

    /// The folder of a snapshot in progress looks like the remains of an interrupted attempt.
    @Test("Snapshots are neither removed nor made by others while some are being made")
    func inProgress() throws {
        let sample = try TravelSample("snapshots being made", every: 0)
        let (maker, other) = (keeping(sample), keeping(sample))
        let shelf = SnapshotShelf(of: sample.folder, log: sample.log)
        var refusals: [AuditError.Code] = []
        let made = try maker.make(every: 200) { _ in
            // A snapshot's folder has this kind of name while its rows are being written.
            let partial = shelf.path + "/p000000000001-0123456789abcdef-v2.2.1.partial"
            try? FileManager.default.createDirectory(atPath: partial, withIntermediateDirectories: true)
            for attempt in [{ _ = try other.prune(all: true) }, { _ = try other.make(every: 100) }] {
                do { try attempt() } catch { refusals.append((error as? AuditError)?.code ?? .log) }
            }
        }
        #expect(made.count == 3 && !refusals.isEmpty && refusals.allSatisfy { $0 == .occupied })
        #expect(shelf.names.count == 3 && shelf.leftovers.count == 1)
        #expect(try other.prune().count == 1 && shelf.leftovers.isEmpty, "the remains of the attempt are removed later")
        #expect(try other.make(every: 100).count == 3)
    }

    @Test("A flipped byte in a file of a snapshot is reported by the check and changes no answer")
    func flippedByte() throws {
        let sample = try TravelSample("flipped snapshots", count: 320, every: 300, indexed: 10)
        let name = try #require(SnapshotShelf(of: sample.folder, log: sample.log).names.first)
        let folder = sample.data.snapshots + "/" + name.text
        let subjects = try subjects(sample)
        let expected = try subjects.map { try answer($0, sample, usingSnapshots: false) }
        for file in try FileManager.default.contentsOfDirectory(atPath: folder).sorted() {
            let url = URL(fileURLWithPath: folder + "/" + file)
            let whole = try Data(contentsOf: url)
            for offset in Set([0, whole.count / 3, whole.count - 1]) where whole.indices.contains(offset) {
                var damaged = whole
                damaged[offset] ^= 0x20
                try damaged.write(to: url)
                let states = try keeping(sample).check()
                #expect(states.count == 1 && states[0].fault?.contains("damaged") == true, "\(file), byte \(offset)")
                for (subject, lines) in zip(subjects, expected) {
                    #expect(try answer(subject, sample, usingSnapshots: true) == lines, "\(subject.text), \(file), byte \(offset)")
                }
                #expect(try keeping(sample).prune(all: false) == [name.text])
                try restore(sample, name, file, whole)
            }
        }
    }

    /// Makes the snapshot again and checks that `file` has the same bytes as before.
    private func restore(_ sample: TravelSample, _ name: SnapshotName, _ file: String, _ whole: Data) throws {
        #expect(try keeping(sample).make(every: 300).map(\.name) == [name.text])
        #expect(try Data(contentsOf: URL(fileURLWithPath: sample.data.snapshots + "/\(name.text)/\(file)")) == whole)
    }

    private func subjects(_ sample: TravelSample) throws -> [PastSubject] {
        let days = try #require(TravelSample.days())
        let cards = sample.history.world.cards.keys.sorted()
        return [.card(cards[0]), .card(cards[cards.count / 2]), .ratings(nil), .statistics(sample.history.shops[0], days)]
    }

    private func answer(_ subject: PastSubject, _ sample: TravelSample, usingSnapshots: Bool) throws -> [String] {
        let travel = Travel(in: sample.folder, log: sample.log, usingSnapshots: usingSnapshots, usingIndex: false)
        let answer = try travel.answer(subject, at: try travel.moment(.position(Position(310))))
        return answer.lines + answer.jsonLines
    }

    @Test(
        "A snapshot of another version or log, or without a file, is not used, and the check reports it",
        arguments: ["version", "log", "ahead", "missing"])
    func foreignSnapshot(_ kind: String) throws {
        let sample = try TravelSample("foreign snapshots", count: 320, every: 300)
        let other = try TravelSample("another log", count: 500, every: kind == "ahead" ? 450 : 300)
        let (shelf, foreign) = (sample.data.snapshots, try #require(SnapshotShelf(of: other.folder, log: other.log).names.first))
        let name = try #require(SnapshotShelf(of: sample.folder, log: sample.log).names.first)
        let files = FileManager.default
        switch kind {
        case "version": try files.moveItem(atPath: shelf + "/" + name.text, toPath: shelf + "/" + name.text + ".9")
        case "missing": try files.removeItem(atPath: shelf + "/" + name.text + "/card-progress.cards")
        default:
            try files.removeItem(atPath: shelf + "/" + name.text)
            try files.copyItem(atPath: other.data.snapshots + "/" + foreign.text, toPath: shelf + "/" + foreign.text)
        }
        var notices: [String] = []
        let travel = Travel(in: sample.folder, log: sample.log, usingIndex: false) { notices.append($0) }
        let card = try #require(sample.history.world.cards.keys.min())
        let answer = try travel.answer(.card(card), at: try travel.moment(.position(Position(320))))
        #expect(answer.rows == [try #require(sample.history.world.cards[card]).pastFields])
        // The snapshot of case `ahead` gives no notice. It is later than the position of the question, so the tool does not open it.
        let reasons = ["version": "version", "log": "another log", "missing": "cannot be read"]
        #expect(notices.count == (reasons[kind] == nil ? 0 : 1) && notices.allSatisfy { $0.contains(reasons[kind] ?? "") }, "\(notices)")
        #expect(try keeping(sample).check().allSatisfy { $0.fault != nil })
    }

    @Test("The check reports a snapshot with tables of another one, although its manifest is valid")
    func swappedTables() throws {
        let sample = try TravelSample("swapped tables", count: 620, every: 300)
        let names = SnapshotShelf(of: sample.folder, log: sample.log).names
        let (first, second) = (sample.data.snapshots + "/" + names[0].text, sample.data.snapshots + "/" + names[1].text)
        for file in ["card-progress.cards", "card-progress.cards.index"] {
            try FileManager.default.removeItem(atPath: second + "/" + file)
            try FileManager.default.copyItem(atPath: first + "/" + file, toPath: second + "/" + file)
        }
        #expect(try keeping(sample).check().map { $0.fault == nil } == [true, false])
    }

    @Test("The name and the manifest of a snapshot are read back as written, and refused in any other form")
    func textForms() throws {
        let mark = ModelMark(position: Position(1_000_000), fingerprint: 0xABC)
        let name = SnapshotName(mark)
        #expect(name.text.hasPrefix("p000001000000-0000000000000abc-v") && SnapshotName(text: name.text) == name)
        for text in ["", "p1-0-v2", name.text + ".partial", name.text + "x", "q" + name.text.dropFirst()] {
            #expect(SnapshotName(text: text) == nil, "\(text)")
        }
        let table = SnapshotManifest.Table(name: "cards", rows: 3, index: "00ff")
        let model = SnapshotManifest.Model(name: "card-progress", version: 2, digest: "11", tables: [table])
        let manifest = SnapshotManifest(mark: mark, created: -5, models: [model], times: "22")
        #expect(SnapshotManifest(text: manifest.text) == manifest)
        let bytes = Array(manifest.text.utf8)
        for place in bytes.indices {
            var changed = bytes
            changed[place] ^= 1
            #expect(SnapshotManifest(text: String(decoding: changed, as: UTF8.self)) == nil, "byte \(place)")
        }
    }

    @Test("Look-ups and range scans in a table of many blocks find exactly the written rows")
    func writtenTable() throws {
        var random = SeededRandom.announced("sorted table")
        let data = TestData()
        var rows: [[UInt8]: [UInt8]] = [:]
        for _ in 0..<3_000 {
            let key = (0..<4).map { _ in UInt8.random(in: 0...15, using: &random) }
            rows[key] = [UInt8](repeating: UInt8.random(in: 0...255, using: &random), count: Int.random(in: 0...200, using: &random))
        }
        var writer = try SortedTableWriter(data.path + "/rows", keyBytes: 4)
        let keys = rows.keys.sorted { $0.lexicographicallyPrecedes($1) }
        for key in keys {
            let value = rows[key] ?? []
            try writer.add(key: key.span, value: value.span)
        }
        let digest = try writer.finish()
        let table = try SortedTable(data.path + "/rows", digest: digest, rows: writer.rows, keyBytes: 4)
        #expect(table.blocks > 5 && table.rows == rows.count)
        for _ in 0..<500 {
            let key = (0..<4).map { _ in UInt8.random(in: 0...15, using: &random) }
            #expect(try table.value(of: key) == rows[key])
        }
        for length in 0..<4 {
            let prefix = (0..<length).map { _ in UInt8.random(in: 0...15, using: &random) }
            var found: [[UInt8]] = []
            try table.forEach(under: prefix) { (key, _) throws(SnapshotFault) in
                var bytes: [UInt8] = []
                bytes.append(copying: key)
                found.append(bytes)
            }
            #expect(found == keys.filter { $0.starts(with: prefix) })
        }
    }
}
