import Audit
import EventLog
import Foundation
import Histories
import LMDB
import Loyalty
import LoyaltyCodec
import Testing
import World

@testable import Projections
@testable import ReadModels

/// A comparison reports equal models as equal; for unequal models, it names the changed row.
@Suite struct ComparisonTests {
    private func verdict<Model: Projection>(_ sample: AuditSample, _ model: Model.Type = CardProgress.self) throws -> ModelVerdict {
        try Comparison(models: sample.data.models, log: try sample.data.log(.readOnly)).verdict(of: model)
    }

    private func difference<Model: Projection>(_ sample: AuditSample, _ model: Model.Type = CardProgress.self) throws -> ModelDifference? {
        guard case .different(let difference) = try verdict(sample, model) else { return nil }
        #expect(difference.model == Model.name)
        return difference
    }

    @Test("A model that was built from the log equals its replay")
    func aBuiltModelIsEqual() throws {
        let sample = try AuditSample("equal")
        for model in ReadModels.models {
            guard case .equal(let position, let rows) = try verdict(sample, model) else {
                Issue.record("\(try verdict(sample, model))")
                continue
            }
            #expect(position == Position(UInt64(sample.history.facts.count)))
            // `Deadlines` may have fewer rows, because few deadlines are pending at the end of a history.
            #expect(rows > 20 || model.name == Deadlines.name)
        }
    }

    @Test("A model that is behind the log is compared at its own position")
    func ownPosition() throws {
        let sample = try AuditSample("behind", count: 500, modelled: 321)
        for model in ReadModels.models {
            guard case .equal(Position(321), _) = try verdict(sample, model) else {
                Issue.record("\(try verdict(sample, model))")
                continue
            }
        }
    }

    @Test("A changed row is reported with its table, its key, and the stored and the expected value")
    func aChangedRowIsNamed() throws {
        let sample = try AuditSample("changed")
        let card = try #require(sample.history.world.cards.values.first)
        try sample.tamper(CardProgress.self) { store, tables, transaction in
            var wrong = card
            wrong.stamps += 1
            var row: [UInt8] = []
            CardRow.encode(wrong, into: &row)
            try store.put(tables["cards"]!, RowKey(card.id.value), row.span, in: &transaction)
        }
        let difference = try #require(try difference(sample))
        #expect(difference.kind == .changedRow)
        #expect(difference.table == "cards")
        #expect(difference.key == card.id.text)
        #expect(difference.stored?.contains("\(card.stamps + 1) of") == true)
        #expect(difference.expected?.contains("\(card.stamps) of") == true)
        #expect(try self.difference(sample, ShopRatings.self) == nil)
    }

    @Test("A row that cannot be decoded is a difference that shows the row's bytes")
    func undecodableRow() throws {
        let sample = try AuditSample("undecodable")
        let shop = sample.history.shops[0]
        try sample.tamper(ShopRatings.self) { store, tables, transaction in
            try store.put(tables["ratings"]!, RowKey(shop.value), [1, 2, 3].span, in: &transaction)
        }
        let difference = try #require(try difference(sample, ShopRatings.self))
        // In some histories the shop has no rating. The row that the test wrote is then an extra row instead of a changed one.
        #expect(difference.kind == .changedRow || difference.kind == .extraRow)
        #expect(difference.key == shop.text)
        #expect(difference.stored == "unreadable bytes 010203")
    }

    @Test("A missing row and an extra row are reported with their keys")
    func missingAndExtra() throws {
        let missing = try AuditSample("missing")
        let card = try #require(missing.history.world.cards.values.max { $0.id < $1.id })
        try missing.tamper(CardProgress.self) { store, tables, transaction in
            _ = try transaction.delete(tables["cards"]!, RowKey(card.id.value).bytes)
        }
        #expect(try difference(missing)?.kind == .missingRow)
        #expect(try difference(missing)?.key == card.id.text)
        for (id, name) in [(UInt128(0), "first"), (UInt128.max, "last")] {
            let extra = try AuditSample(name)
            try extra.tamper(CardProgress.self) { store, tables, transaction in
                try store.put(tables["cards"]!, RowKey(id), [1].span, in: &transaction)
            }
            #expect(try difference(extra)?.kind == .extraRow)
            #expect(try difference(extra)?.key == CardID(id).text)
        }
    }

    @Test("A model at a position beyond the log's end is reported as such")
    func beyondLog() throws {
        let sample = try AuditSample("foreign")
        let short = try TestData.with(sample.history.facts.prefix(100))
        let log = try short.log(.readOnly)
        let verdict = try Comparison(models: sample.data.models, log: log).verdict(of: CardProgress.self)
        guard case .different(let difference) = verdict else {
            Issue.record("\(verdict)")
            return
        }
        #expect(difference.kind == .foreignPosition)
    }

    @Test("The comparison of a model that does not exist is an error")
    func missingModel() throws {
        let data = try TestData.with([])
        let error = #expect(throws: AuditError.self) {
            try Comparison(models: data.models, log: try data.log(.readOnly)).verdict(of: CardProgress.self)
        }
        #expect(error?.code == .missing)
    }
}
