internal import LMDB
internal import ReadModels

/// Where a comparison finds the rows of models.
enum ModelSource: Sendable {
    /// In their folders, `DATA/derived/models`; another process may be at work there.
    case folders(String)
    /// Open in this process.
    case live(ReadModels)

    /// A model's rows, with its tables in their order. LMDB wants those opened before a snapshot begins.
    func open<Model: Projection>(_ model: Model.Type) throws(ReadModelError) -> (store: ModelStore, tables: [Table]) {
        switch self {
        case .folders(let models):
            let stored = try StoredModel.open(model, in: models)
            return (stored.store, stored.tables)
        case .live(let models):
            guard let store = models.store(of: Model.name) else {
                throw ReadModelError(.missing, model: Model.name, "no such model is open here")
            }
            return (store, try Model.tables.map { (table) throws(ReadModelError) in try store.table(table) })
        }
    }

    /// Whether these rows are still those of the generation in use. In a folder, another process decides, and nobody waits for a reader.
    func isInUse(_ store: ModelStore) -> Bool {
        switch self {
        case .folders: true
        case .live(let models): models.store(of: store.model) === store
        }
    }
}
