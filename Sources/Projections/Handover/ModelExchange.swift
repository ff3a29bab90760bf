internal import EventLog

/// The model-specific operations that replace the generation in use.
package struct ModelExchange: Sendable {
    let folder: ModelFolder
    /// The requests of ``renewal``.
    let own = OwnHandover()
    let reads: @Sendable (_ schemaVersion: Int) -> Bool
    /// Verifies and opens a generation that was handed over. Blocks, until `isStopping` returns true.
    let open: @Sendable (Handover, _ isStopping: () -> Bool) throws(ReadModelError) -> WaitingModel
    /// Builds a generation of the program's own schema version. Nil if not needed, or not in LMDB.
    let renewal: (@Sendable (_ isStopping: @escaping @Sendable () -> Bool) throws(ReadModelError) -> Void)?
    /// Opens an empty generation in place of a removed one; nil if unsupported.
    let remake: (@Sendable (_ lost: Generation) throws(ReadModelError) -> WaitingModel)?

    package init(
        _ folder: ModelFolder, reads: @escaping @Sendable (_ schemaVersion: Int) -> Bool,
        open: @escaping @Sendable (Handover, _ isStopping: () -> Bool) throws(ReadModelError) -> WaitingModel,
        remake: (@Sendable (_ lost: Generation) throws(ReadModelError) -> WaitingModel)? = nil
    ) {
        (self.folder, self.reads, self.open, self.remake, renewal) = (folder, reads, open, remake, nil)
    }

    init<Model: Projection>(_ box: ModelBox<Model>, _ folder: ModelFolder, served: Int, _ log: EventLog) {
        self.folder = folder
        reads = { Model.reads($0) }
        @Sendable func waiting(_ opened: OpenModel) throws(ReadModelError) -> WaitingModel {
            try WaitingModel(try Model(opened.store), opened, log, box: box)
        }
        open = { (handover, isStopping) throws(ReadModelError) in
            try waiting(try OpenModel.open(handover, in: folder, log: log, unless: isStopping))
        }
        remake = { (lost) throws(ReadModelError) in
            try waiting(try OpenModel.fresh(.missing, version: Model.schemaVersion, in: folder, after: lost))
        }
        guard served != Model.schemaVersion else {
            renewal = nil
            return
        }
        renewal = { [own] (isStopping) throws(ReadModelError) in try Renewal<Model>(folder, own, log, isStopping).run() }
    }
}
