import EventLog
import Histories
import LMDB
import Loyalty
import Seeds

@testable import Audit
@testable import Projections
@testable import ReadModels

/// A random history in a data folder, with the read models built.
struct AuditSample {
    let history: RandomHistory
    let data: TestData

    /// - Parameters:
    ///   - modelled: the number of facts that the models have applied; later facts are only in the log.
    ///   - ages: whether the history's campaigns set a time at which cards expire.
    init(_ name: String, count: Int = 500, modelled: Int? = nil, ages: Bool = false) throws {
        var history = RandomHistory(
            random: SeededRandom.announced(name), ages: ages, milestones: ages, joins: true, teams: true,
            searches: true)
        history.grow(to: count)
        self.history = history
        data = TestData()
        let log = try data.log()
        let appender = try log.appender()
        let first = history.facts.prefix(modelled ?? count * 2)
        try log.append(first, with: appender)
        for model in ReadModels.models { try Self.build(model, data, log) }
        try log.append(history.facts.dropFirst(first.count), with: appender)
        try log.close()
    }

    /// Wraps an existing data folder and the history that it was made from.
    init(history: RandomHistory, data: TestData) { (self.history, self.data) = (history, data) }

    static func build<Model: Projection>(
        _ model: Model.Type, _ data: TestData, _ log: EventLog, _ options: UpdateOptions = .building
    ) throws {
        _ = try ModelBuilder(models: data.models, log: log, options: options).build(model)
    }

    /// Changes the current generation of a model through the storage layer.
    ///
    /// - Parameter change: receives the model's tables by name.
    func tamper<Model: Projection>(
        _ model: Model.Type, _ change: (ModelStore, [String: Table], inout WriteTransaction) throws -> Void
    ) throws {
        let folder = ModelFolder(models: data.models, model: Model.name)
        let environment = try Environment(directory: folder.path(of: folder.current!), access: .readWrite)
        let store = try ModelStore(model: Model.name, environment: environment)
        let tables = Dictionary(uniqueKeysWithValues: try Model.tables.map { ($0.name, try store.table($0)) })
        var transaction = try environment.write()
        try change(store, tables, &transaction)
        try transaction.commit()
    }
}

extension ModelDigest {
    /// The digest of a model's generation in use.
    init<Model: Projection>(stored model: Model.Type, in models: String) throws {
        let stored = try StoredModel.open(model, in: models)
        try self.init(of: model, in: stored.store, stored.tables)
    }
}
