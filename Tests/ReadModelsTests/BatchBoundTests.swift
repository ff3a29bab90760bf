import EventLog
import Histories
import LMDB
import Loyalty
import Seeds
import Testing

@testable import Projections
@testable import ReadModels

/// The number of changes in a batch bounds its memory, so each model must count its changes.
@Suite struct BatchBoundTests {
    private static let changesMax = 32
    /// Rows that a batch cannot write without reaching the bound, also between two checks of it.
    private static let rowsOfManyChanges = 4 * changesMax

    private static func build<Model: Projection>(
        _ type: Model.Type, _ data: TestData, _ log: EventLog, _ changesMax: Int
    ) throws -> (batches: Int, rows: Int) {
        var batches = 0
        let options = UpdateOptions(eventsPerBatch: .max / 2, changesPerBatch: changesMax, cachedMax: 1_000)
        let lock = try BuildLock(ModelFolder(models: data.models, model: Model.name))
        let builder = ModelBuilder(models: data.models, log: log, options: options)
        let tables = Model.tables
        let counting = ContentCheck { (store, _) throws(ReadModelError) in
            ContentCheck.Verdict(digest: "", rows: try rows(of: tables, in: store))
        }
        let built = try builder.complete(type, under: lock, checking: counting) { (step) throws(ReadModelError) in
            if case .advanced = step { batches += 1 }
        }
        return (batches, built.rows)
    }

    private static func rows(of tables: [ModelTable], in store: ModelStore) throws(ReadModelError) -> Int {
        let opened = try tables.map { (table) throws(ReadModelError) in try store.table(table) }
        return try store.reading { (snapshot) throws(ReadModelError) in
            var rows = 0
            for table in opened {
                do { rows += try snapshot.count(table) } catch { throw store.wrapped(error) }
            }
            return rows
        }
    }

    @Test("Every model that writes many rows ends its batch early")
    func manyChanges() throws {
        var history = RandomHistory(random: SeededRandom.announced("batch bound"))
        history.grow(to: 3_000)
        let (data, bounded) = (try TestData.with(history.facts), try TestData.with(history.facts))
        let (log, boundedLog) = (try data.log(.readOnly), try bounded.log(.readOnly))
        var large = 0
        for model in ReadModels.models {
            let whole = try Self.build(model, data, log, .max)
            #expect(whole.batches == 1, "\(model.name)")
            // A model of few rows, such as `Deadlines`, never reaches the bound.
            guard whole.rows > Self.rowsOfManyChanges else { continue }
            large += 1
            #expect(try Self.build(model, bounded, boundedLog, Self.changesMax).batches > 1, "\(model.name)")
        }
        #expect(large > ReadModels.models.count / 2, "the history is large enough for most models")
    }
}
