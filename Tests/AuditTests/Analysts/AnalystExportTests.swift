import EventLog
import Foundation
import Histories
import Loyalty
import LoyaltyCodec
import Projections
import Seeds
import Testing
import World

@testable import Audit
@testable import PastStates
@testable import ReadModels

/// Exports of a log as tables. An export is complete and reproducible, and all its tables show the state at one position of the log. An
/// export that fails leaves no output.
@Suite struct AnalystExportTests {
    private func sample(_ name: String, _ count: Int = 600) -> (RandomHistory, () throws -> TestData) {
        var history = RandomHistory(random: SeededRandom.announced(name), milestones: true)
        history.grow(to: count)
        let facts = history.facts
        return (history, { try TestData.with(facts) })
    }

    @Test("Every table of every model is exported, and no two exported tables have the same name")
    func everyTable() {
        for model in ReadModels.models {
            for table in model.tables {
                #expect(ModelExport.all.contains { $0.model == model.name && $0.modelTable == table.name }, "\(model.name), \(table.name)")
            }
        }
        #expect(Set(AnalystExport.tableNames).count == AnalystExport.tableNames.count)
    }

    @Test("Every row of every model is exported")
    func everyRow() throws {
        let (history, data) = sample("rows")
        let summary = try AnalystSample(try data()).summary
        #expect(summary.position == UInt64(history.facts.count))
        let rows = Dictionary(uniqueKeysWithValues: summary.tables.map { ($0.name, $0.rows) })
        #expect(rows["events"] == history.facts.count && rows["shops"] == history.world.shops.count)
        let digests = StateDigest(of: try Replay(of: try data().log(.readOnly))).models
        for digest in digests {
            let tables = ModelExport.all.filter { $0.model == digest.model && $0.table.name != "card_history" }
            #expect(tables.reduce(0) { $0 + (rows[$1.table.name] ?? 0) } == digest.rows, "\(digest.model)")
        }
    }

    @Test("Exported cards, reviews and shops match the state on which the service decides commands")
    func decidedState() throws {
        let (history, data) = sample("cards", 900)
        let tables = try AnalystSample(try data(), .jsonl)
        let cards = try tables.objects("cards")
        #expect(cards.count == history.world.cards.count)
        for row in cards {
            let card = try #require((row["card"] as? String).flatMap { CardID(text: $0) }.flatMap { history.world.cards[$0] })
            #expect(row["stamps"] as? Int == card.stamps && row["state"] as? String == "\(card.status)" && row["goal"] as? Int == card.goal)
            #expect(row["holder"] as? String == card.holder.text && row["version"] as? Int == Int(card.version))
            #expect(row["redeemed"] as? Bool == card.isRewarded)
        }
        for row in try tables.objects("reviews") {
            let review = try #require((row["review"] as? String).flatMap { ReviewID(text: $0) }.flatMap { history.world.reviews[$0] })
            #expect(row["removed"] as? Bool == review.isRemoved && row["author"] as? String == review.author.text)
        }
        for row in try tables.objects("shops") {
            let shop = try #require((row["shop"] as? String).flatMap { ShopID(text: $0) }.flatMap { history.world.shops[$0] })
            #expect(row["name"] as? String == shop.name && row["staff"] as? Int == shop.staff.count)
        }
    }

    @Test("The row of an exported event has the event's position, actor, tags and payload")
    func eventRow() throws {
        let (history, data) = sample("events", 400)
        let rows = try AnalystSample(try data(), .jsonl, tables: ["events"]).objects("events")
        for (fact, row) in zip(history.facts, rows) {
            #expect(row["position"] as? Int == Int(fact.position) && row["actor"] as? String == fact.actor.text)
            let payload = try #require(row["payload"] as? [String: Any])
            if case .cardStamped(let event) = fact.event {
                #expect(row["card"] as? String == event.card.text && row["account"] as? String == event.holder.text)
                let worth = event.worth == event.stamps ? nil : event.worth
                #expect(payload["stamps"] as? Int == event.stamps && payload["worth"] as? Int == worth)
                #expect(payload.count == (worth == nil ? 1 : 2))
            } else if case .reviewPosted(let event) = fact.event {
                #expect(payload["rating"] as? Int == event.rating)
                #expect((row["sealed"] as? [String: Any])?["text"] as? String == event.text.map { Data($0.bytes).base64EncodedString() })
            } else if case .shopEdited(let event) = fact.event {
                #expect(payload["images"] as? [String] ?? [] == event.images.map(\.text))
                #expect((row["image"] as? String)?.split(separator: " ").map(String.init) ?? [] == event.images.sorted().map(\.text))
            }
        }
    }

    @Test("Two exports of the same log have the same bytes", arguments: AnalystFormat.allCases)
    func sameBytes(format: AnalystFormat) throws {
        let (_, make) = sample("bytes")
        #expect(try AnalystSample(try make(), format).content == AnalystSample(try make(), format).content)
    }

    @Test("An export up to a position or a time is the same as the export of a log that ends there")
    func onePosition() throws {
        let (history, data) = sample("bound", 500)
        let fact = history.facts[249]
        let prefix = try AnalystSample(try TestData.with(history.facts.prefix(250))).content
        #expect(try AnalystSample(try data(), until: .position(Position(250))).content == prefix)
        let count = history.facts.prefix { $0.time <= fact.time }.count
        let then = try AnalystSample(try TestData.with(history.facts.prefix(count))).content
        #expect(try AnalystSample(try data(), until: .time(Timestamp(microseconds: fact.time.microseconds))).content == then)
        #expect(try AnalystSample(try TestData.with([])).summary.tables.allSatisfy { $0.rows == 0 })
    }

    @Test("Selected tables have the same bytes as in a full export, and an unknown table is refused")
    func selectedTables() throws {
        let (_, data) = sample("some", 300)
        let (all, some) = (try AnalystSample(try data()), try AnalystSample(try data(), tables: ["ratings", "cards"]))
        #expect(try some.files == ["README.md", "cards.csv", "ratings.csv", "schema.json"])
        for file in ["cards.csv", "ratings.csv"] { #expect(try some.bytes(file) == all.bytes(file)) }
        let error = #expect(throws: AuditError.self) { try AnalystSample(try data(), tables: ["card"]) }
        #expect(error?.code == .missing && error?.remedy.contains("cards") == true)
    }

    @Test("The schema describes the tables, columns and sizes of the files, and the guide names each column")
    func schemaFile() throws {
        let (_, data) = sample("schema", 200)
        let tables = try AnalystSample(try data())
        let schema = try #require(try JSONSerialization.jsonObject(with: Data(tables.bytes("schema.json"))) as? [String: Any])
        let described = try #require(schema["tables"] as? [[String: Any]])
        #expect(described.compactMap { $0["name"] as? String } == AnalystExport.tableNames)
        #expect(schema["position"] as? Int == Int(tables.summary.position) && tables.summary.position >= 200)
        let guide = String(decoding: try tables.bytes("README.md"), as: UTF8.self)
        for table in described {
            let names = try #require(table["columns"] as? [[String: Any]]).compactMap { $0["name"] as? String }
            let bytes = try tables.bytes(try #require(table["file"] as? String))
            #expect(bytes.starts(with: Array((names.joined(separator: ",") + "\r\n").utf8)))
            #expect(bytes.count == table["bytes"] as? Int)
            #expect(names.allSatisfy { guide.contains("| `\($0)` |") })
        }
        #expect(guide.contains("COPY (SELECT * FROM 'events.csv') TO 'events.parquet'"))
    }

    @Test("An export to a folder that is not empty is refused and changes nothing")
    func occupiedFolder() throws {
        let (_, data) = sample("occupied", 50)
        let folder = TestData().path
        try Data("mine".utf8).write(to: URL(fileURLWithPath: folder + "/events.csv"))
        let export = try AnalystExport(of: try data().log(.readOnly), as: .csv)
        #expect(#expect(throws: AuditError.self) { try export.run(to: folder) }?.code == .occupied)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["events.csv"])
    }

    /// A tool removes the named folder when a signal ends it, so it must not be told of one that another process still fills.
    @Test("An export names its unfinished folder only once that folder is its own")
    func unfinishedFolder() throws {
        let (_, data) = sample("begun", 50)
        let folder = TestData().path + "/tables"
        let export = try AnalystExport(of: try data().log(.readOnly), as: .csv)
        var begun: [String] = []
        let other = try ClaimedFolder(PartialName.of(folder), mode: nil)
        let error = #expect(throws: AuditError.self) { try export.run(to: folder, begun: { begun.append($0) }) }
        #expect(error?.code == .occupied && begun.isEmpty)
        #expect(FileManager.default.fileExists(atPath: other.path))
        other.remove()
        _ = try export.run(to: folder, begun: { begun.append($0) })
        #expect(begun == [folder + ".partial"])
    }

    @Test("An export with an event that cannot be decoded names its position and leaves no folder")
    func undecodableEvent() throws {
        let (_, make) = sample("poison", 50)
        let data = try make()
        let log = try data.log()
        let appender = try log.appender()
        let bad = try appender.stage(NewEvent(type: .cardStamped, time: Timestamp(microseconds: 1)))
        try appender.commit()
        let folder = TestData().path + "/tables"
        let error = #expect(throws: AuditError.self) { try AnalystExport(of: log, as: .csv).run(to: folder) }
        #expect(error?.code == .event && error?.position == bad)
        #expect(!FileManager.default.fileExists(atPath: folder) && !FileManager.default.fileExists(atPath: folder + ".partial"))
    }

    @Test("The progress of an export never goes back and ends at the announced amount of work")
    func progressEnd() throws {
        let (_, data) = sample("progress", 300)
        let export = try AnalystExport(of: try data().log(.readOnly), as: .jsonl)
        var (last, wentBack) = (0, false)
        _ = try export.run(to: TestData().path + "/tables") {
            wentBack = wentBack || $0 < last
            last = $0
        }
        #expect(last == export.work && !wentBack)
    }

    @Test("A table without described columns is exported with the texts of its keys and values")
    func undescribedTable() throws {
        let (history, data) = sample("words", 200)
        let export = ModelExport(undescribed: try #require(CardProgress.tables.first), of: "card-progress")
        #expect(export.table.name == "card_progress_cards" && export.table.columns.map(\.name) == ["key1_card", "value"])
        let table = try #require(try Replay(of: try data().log(.readOnly), models: ["card-progress"]).tables(of: "card-progress").first)
        var row = CanonicalRow()
        table.row(0, into: &row)
        let values = try #require(try export.rows(ModelRow(row)).first).map(\.text)
        let card = try #require(history.world.cards.keys.min())
        #expect(values[0] == card.text && values[1].contains("stamps for"))
    }
}
