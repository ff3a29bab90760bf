internal import EventLog
internal import Foundation

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

    /// Verifies the ``FileSeal`` that a hand-over names, which the opening removes.
    ///
    /// - Throws: ``ReadModelError/Code/mismatch``, also when `isStopping` returns true.
    package static func requireSealed(
        _ handover: Handover, in folder: ModelFolder, unless isStopping: () -> Bool
    ) throws(ReadModelError) {
        if folder.seal(of: handover.generation).holds(as: handover.seal, unless: isStopping) { return }
        throw ReadModelError(
            .mismatch, model: folder.model, position: handover.mark.position,
            "the file of \(handover.generation.text) is not the one that was checked and sealed")
    }

    /// Checks that the opened generation is the one that was handed over.
    ///
    /// - Parameter isKept: whether it has kept its rows, and its last event belongs to this log.
    /// - Throws: ``ReadModelError/Code/mismatch``.
    package static func requireMark(
        _ mark: ModelMark, _ isKept: Bool, of handover: Handover, in folder: ModelFolder
    ) throws(ReadModelError) {
        if isKept, mark == handover.mark { return }
        throw ReadModelError(
            .mismatch, model: folder.model, position: mark.position,
            "\(handover.generation.text) was handed over at position \(handover.mark.position) of this log and is not there")
    }

    init<Model: Projection>(_ box: ModelBox<Model>, _ folder: ModelFolder, served: Int, _ log: EventLog) {
        self.folder = folder
        reads = { Model.reads($0) }
        open = { (handover, isStopping) throws(ReadModelError) in try Self.open(handover, box, folder, log, unless: isStopping) }
        remake = { (lost) throws(ReadModelError) in
            let opened = try OpenModel.remake(Model.self, after: lost, in: folder)
            return try WaitingModel(try Model(opened.store), opened, log, box: box)
        }
        guard served != Model.schemaVersion else {
            renewal = nil
            return
        }
        renewal = { [own] (isStopping) throws(ReadModelError) in try Renewal<Model>(folder, own, log, isStopping).run() }
    }

    private static func open<Model: Projection>(
        _ handover: Handover, _ box: ModelBox<Model>, _ folder: ModelFolder, _ log: EventLog, unless isStopping: () -> Bool
    ) throws(ReadModelError) -> WaitingModel {
        try requireSealed(handover, in: folder, unless: isStopping)
        let opened = try OpenModel.resume(with: handover.generation, in: folder)
        let fits = try opened.fits(log)
        try requireMark(try opened.store.mark(), opened.reason == nil && fits, of: handover, in: folder)
        return try WaitingModel(try Model(opened.store), opened, log, box: box)
    }
}
