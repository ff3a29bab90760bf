import EventLog
import Foundation
import Histories
import LMDB
import Loyalty
import LoyaltyCodec
import Search
import Testing
import World

@testable import Audit
@testable import Projections
@testable import ReadModels

/// The diagnosis distinguishes a row that was changed outside the model from a bug in the model's code.
@Suite struct DamagedRowTests {
    private func diagnosis<Model: Projection>(
        _ sample: AuditSample, _ model: Model.Type = CardProgress.self, stretch: UInt64? = 70
    ) throws -> Diagnosis {
        let found = try sample.audited([model], stretch: stretch)
        let diagnosis = try #require(found.first?.diagnosis, "\(found.news)")
        #expect(diagnosis.cause == .rows && diagnosis.model == Model.name && diagnosis.before == nil)
        #expect(diagnosis.remedy.contains("greentea-rebuild --model \(Model.name)"))
        return diagnosis
    }

    @Test("A changed row is diagnosed with the last event that touched it", arguments: [UInt64(7), 70, 4_096])
    func changedRow(stretch: UInt64) throws {
        let sample = try AuditSample("damaged", count: 300)
        let card = try #require(sample.history.world.cards.values.min { $0.id < $1.id })
        try sample.tamper(CardProgress.self) { store, tables, transaction in
            var wrong = card
            wrong.stamps += 1
            var row: [UInt8] = []
            CardRow.encode(wrong, into: &row)
            try store.put(tables["cards"]!, RowKey(card.id.value), row.span, in: &transaction)
        }
        let diagnosis = try diagnosis(sample, stretch: stretch)
        let last = try #require(sample.history.facts.last { $0.event.card == card.id })
        #expect(diagnosis.position == Position(last.position) && diagnosis.event == FactText.line(last))
        #expect(diagnosis.table == "cards" && diagnosis.key == card.id.text)
        #expect(diagnosis.stored?.contains("\(card.stamps + 1) of") == true)
        #expect(diagnosis.expected?.contains("\(card.stamps) of") == true)
    }

    @Test("A lost row of any model is diagnosed with the last event that changed it")
    func lostRow() throws { for model in ReadModels.models { try expectLost(model) } }

    /// Deletes the first row of the first non-empty table. The diagnosis names the last event that changed this row.
    private func expectLost<Model: Projection>(_ model: Model.Type) throws {
        let sample = try AuditSample("lost \(Model.name)", count: 200)
        try sample.tamper(model) { store, tables, transaction in
            for table in Model.tables {
                guard let key = try Self.firstKey(tables[table.name]!, in: transaction) else { continue }
                _ = try transaction.delete(tables[table.name]!, key.span)
                break
            }
        }
        let diagnosis = try diagnosis(sample, model)
        let table = try #require(Model.tables.firstIndex { $0.name == diagnosis.table })
        #expect(diagnosis.stored == "nothing")
        let log = try sample.data.log(.readOnly)
        let (position, key) = (try #require(diagnosis.position), try #require(diagnosis.key))
        var row = try Self.row(key, of: model, table, log, Position(position.rawValue - 1))
        #expect(row != diagnosis.expected, "the row was different before the named event")
        for later in position.rawValue...log.head.rawValue {
            row = try Self.row(key, of: model, table, log, Position(later))
            #expect(row == diagnosis.expected, "at \(later) the row is as expected")
        }
    }

    private static func firstKey(_ table: Table, in transaction: borrowing WriteTransaction) throws -> [UInt8]? {
        var cursor = try transaction.cursor(table)
        guard try cursor.next() else { return nil }
        var key: [UInt8] = []
        key.append(copying: cursor.key)
        return key
    }

    /// Returns a row as text, from a separate replay.
    private static func row<Model: Projection>(
        _ key: String, of model: Model.Type, _ table: Int, _ log: EventLog, _ position: Position
    ) throws -> String {
        let rows = try Replay(of: log, until: .position(position), models: [Model.name]).tables(of: Model.name)[table]
        var row = CanonicalRow()
        for index in 0..<rows.count {
            rows.row(index, into: &row)
            let value = row.value
            if Model.tables[table].text(key: row.key.bytes) == key { return Model.tables[table].text(value: value.span) }
        }
        return "nothing"
    }

    @Test("A row that no event made is diagnosed as such")
    func extraRow() throws {
        let sample = try AuditSample("extra", count: 200)
        try sample.tamper(CardProgress.self) { store, tables, transaction in
            try store.put(tables["cards"]!, RowKey(.max), [1].span, in: &transaction)
        }
        let diagnosis = try diagnosis(sample)
        #expect(diagnosis.position == nil && diagnosis.expected == "nothing")
        #expect("\(diagnosis)".contains("no event ever touched"))
    }

    @Test("A model's unreadable file is diagnosed, and the other models are still compared")
    func unreadableFile() throws {
        let sample = try AuditSample("torn", count: 200)
        let folder = ModelFolder(models: sample.data.models, model: CardProgress.name)
        let path = folder.path(of: try #require(folder.current)) + "/data.mdb"
        let file = try Data(contentsOf: URL(fileURLWithPath: path))
        try file.prefix(3 * 4_096).write(to: URL(fileURLWithPath: path))
        let found = try sample.audited(ReadModels.models)
        #expect(found.first?.mismatch?.kind == .damaged)
        #expect(found.first?.diagnosis?.cause == .rows)
        #expect(found.status.models.dropFirst().allSatisfy { $0.mismatch == nil && $0.position != nil })
    }

    /// SQLite stores text unencoded, so changing a letter in the file changes a row.
    @Test("A changed row of the discovery model is diagnosed with the event that gave it its value")
    func discoveryRow() throws {
        let sample = try AuditSample("discovery", count: 200)
        _ = try Rebuild(DataFolder(sample.data.path), log: try sample.data.log(.readOnly)).discovery()
        #expect(try sample.audited([], discovery: true).first?.mismatch == nil)
        let folder = ModelFolder(models: sample.data.models, model: Discovery.name)
        let url = URL(fileURLWithPath: folder.path(of: try #require(folder.current)) + "/discovery.sqlite")
        var file = try Data(contentsOf: url)
        let place = try #require(file.range(of: Data("Tea Road".utf8)))
        file.replaceSubrange(place, with: Data("Tea Rood".utf8))
        try file.write(to: url)
        let found = try sample.audited([], discovery: true)
        let diagnosis = try #require(found.first?.diagnosis, "\(found.news)")
        #expect(diagnosis.cause == .rows && diagnosis.table == "shops", "\(diagnosis)")
        #expect(diagnosis.stored?.contains("Rood") == true && diagnosis.expected?.contains("Road") == true)
        let log = try sample.data.log(.readOnly)
        let (position, key) = (try #require(diagnosis.position), try #require(diagnosis.key))
        let before = try DiscoveryContent.replayed(log, through: Position(position.rawValue - 1)).value(of: key, in: "shops")
        let after = try DiscoveryContent.replayed(log, through: position).value(of: key, in: "shops")
        #expect(before != after && after == diagnosis.expected)
    }
}
