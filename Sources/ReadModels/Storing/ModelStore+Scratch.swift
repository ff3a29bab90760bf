internal import LMDB

extension ModelStore {
    /// A model's rows in a folder of their own that nobody reads and nothing names: for trying out what its code makes of the log.
    ///
    /// - Parameter directory: empty, or a copy of such a folder; made where there is none.
    /// - Throws: ``ReadModelError/Code/storage``, ``ReadModelError/Code/damaged``.
    package static func scratch(_ model: String, in directory: String) throws(ReadModelError) -> ModelStore {
        var options = Environment.Options()
        options.durability = .none
        do {
            return try ModelStore(model: model, environment: try Environment(directory: directory, access: .readWrite, options: options))
        } catch {
            throw ReadModelError(any: error, model: model)
        }
    }
}
