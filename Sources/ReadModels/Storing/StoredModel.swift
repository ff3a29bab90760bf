internal import Foundation
package import LMDB

/// A model's generation in use, opened for reading only, beside whoever writes it.
package struct StoredModel: Sendable {
    package let store: ModelStore
    package let generation: Generation
    /// The model's tables in their order. LMDB wants them opened before a snapshot begins.
    package let tables: [Table]

    /// Attempts to open before giving up: a rebuild may switch generations between reading the pointer and opening the folder.
    private static let attempts = 3

    /// Opens a model where the tool finds it.
    ///
    /// - Parameter models: the folder of all models.
    /// - Throws: ``ReadModelError/Code/missing``, ``ReadModelError/Code/damaged``, ``ReadModelError/Code/storage``.
    package static func open<Model: Projection>(_ model: Model.Type, in models: String) throws(ReadModelError) -> StoredModel {
        let folder = ModelFolder(models: models, model: Model.name)
        var failure = ReadModelError(.missing, model: Model.name, "there is no model in \(folder.path)")
        for _ in 0..<attempts {
            guard let generation = folder.current else { break }
            guard generation.schemaVersion == Model.schemaVersion else {
                throw ReadModelError(
                    .missing, model: Model.name,
                    "\(folder.path) holds \(generation.text), this program reads version \(Model.schemaVersion)")
            }
            do throws(ReadModelError) {
                return try StoredModel(model, generation, in: folder)
            } catch {
                failure = error
                if error.code != .missing { break }
            }
        }
        throw failure
    }

    private init<Model: Projection>(
        _ model: Model.Type, _ generation: Generation, in folder: ModelFolder
    ) throws(ReadModelError) {
        let environment: Environment
        do throws(LMDBError) {
            environment = try Environment(directory: folder.path(of: generation), access: .readOnly)
        } catch {
            throw ReadModelError(any: error, model: Model.name)
        }
        let store = try ModelStore(model: Model.name, environment: environment)
        tables = try Model.tables.map { (table) throws(ReadModelError) in try store.table(table) }
        self.store = store
        self.generation = generation
    }
}
