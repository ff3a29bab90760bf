import EventLog
import Histories
import Loyalty
import Seeds
import Testing

@testable import Projections
@testable import ReadModels

/// The number of changes in a batch bounds its memory, so each model must count its changes.
@Suite struct BatchBoundTests {
    private static func batches<Model: Projection>(
        of type: Model.Type, _ data: TestData, _ log: EventLog, _ changesMax: Int
    ) throws -> Int {
        var batches = 0
        let options = UpdateOptions(eventsPerBatch: .max / 2, changesPerBatch: changesMax, cachedMax: 1_000)
        let lock = try BuildLock(ModelFolder(models: data.models, model: Model.name))
        let builder = ModelBuilder(models: data.models, log: log, options: options)
        _ = try builder.complete(type, under: lock, checking: .none) { (step) throws(ReadModelError) in
            if case .advanced = step { batches += 1 }
        }
        return batches
    }

    @Test("Every model but that of deadlines ends its batch early after many changes")
    func manyChanges() throws {
        var history = RandomHistory(random: SeededRandom.announced("batch bound"))
        history.grow(to: 3_000)
        let data = try TestData.with(history.facts)
        let log = try data.log(.readOnly)
        for model in ReadModels.models {
            #expect(try Self.batches(of: model, data, log, .max) == 1, "\(model.name)")
        }
        let bounded = try TestData.with(history.facts)
        let boundedLog = try bounded.log(.readOnly)
        // `Deadlines` is exempt, because few deadlines are pending in a history.
        for model in ReadModels.models where model.name != Deadlines.name {
            #expect(try Self.batches(of: model, bounded, boundedLog, 32) > 1, "\(model.name)")
        }
    }
}
