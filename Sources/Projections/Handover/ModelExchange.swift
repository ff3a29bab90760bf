internal import EventLog
internal import Foundation

/// The model-specific operations for replacing the generation in use by a generation that a builder has completed, or by an empty one if
/// its files were removed.
package struct ModelExchange: Sendable {
    let folder: ModelFolder
    /// Returns whether this program can serve rows of a schema version.
    let reads: @Sendable (_ schemaVersion: Int) -> Bool
    /// Opens a generation that was handed over, after verifying the checksum of its file. Blocks while the file is read. If `isStopping`
    /// returns true meanwhile, the generation is not opened.
    let open: @Sendable (Handover, _ isStopping: () -> Bool) throws(ReadModelError) -> WaitingModel
    /// Builds a generation of the program's own schema version; nil if the generation in use had that version when it was opened, or if the
    /// model's rows are not in LMDB. Blocks until the new generation is in use or `isStopping` returns true.
    let renewal: (@Sendable (_ isStopping: @escaping @Sendable () -> Bool) throws(ReadModelError) -> Void)?
    /// Opens an empty generation in place of a generation whose files were removed; nil if the model does not support that.
    let remake: (@Sendable (_ lost: Generation) throws(ReadModelError) -> WaitingModel)?

    /// Creates the operations of a model whose rows are not in LMDB. Such a model is rebuilt at the start if this program does not read its
    /// version.
    ///
    /// - Parameters:
    ///   - reads: whether this program serves rows of a schema version.
    ///   - open: opens a generation that was handed over, after ``requireSealed(_:in:unless:)``; it may block. A stop of the model waits
    ///     for it, so it MUST NOT take long after `isStopping` has returned true.
    ///   - remake: puts an empty generation into use, after the files of the generation in use were removed.
    package init(
        _ folder: ModelFolder, reads: @escaping @Sendable (_ schemaVersion: Int) -> Bool,
        open: @escaping @Sendable (Handover, _ isStopping: () -> Bool) throws(ReadModelError) -> WaitingModel,
        remake: (@Sendable (_ lost: Generation) throws(ReadModelError) -> WaitingModel)? = nil
    ) {
        (self.folder, self.reads, self.open, self.remake, renewal) = (folder, reads, open, remake, nil)
    }

    /// Verifies that a generation's file has the checksum (``FileSeal``) that its hand-over names. Call it before opening the generation,
    /// because the opening removes the stored checksum.
    ///
    /// - Parameter isStopping: called while the file is read; if it returns true, the verification ends with the same error.
    /// - Throws: ``ReadModelError/Code/mismatch``.
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
    /// - Parameters:
    ///   - mark: the opened generation's position and fingerprint.
    ///   - isKept: whether the opened generation has kept its rows, and its last event belongs to this log.
    /// - Throws: ``ReadModelError/Code/mismatch``.
    package static func requireMark(
        _ mark: ModelMark, _ isKept: Bool, of handover: Handover, in folder: ModelFolder
    ) throws(ReadModelError) {
        if isKept, mark == handover.mark { return }
        throw ReadModelError(
            .mismatch, model: folder.model, position: mark.position,
            "\(handover.generation.text) was handed over at position \(handover.mark.position) of this log and is not there")
    }

    /// Creates the operations of a model whose rows are in LMDB.
    ///
    /// - Parameter served: the schema version of the generation in use.
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
        renewal = { (isStopping) throws(ReadModelError) in try Renewal<Model>(folder, log, isStopping).run() }
    }

    private static func open<Model: Projection>(
        _ handover: Handover, _ box: ModelBox<Model>, _ folder: ModelFolder, _ log: EventLog, unless isStopping: () -> Bool
    ) throws(ReadModelError) -> WaitingModel {
        try requireSealed(handover, in: folder, unless: isStopping)
        let opened = try OpenModel.goOn(with: handover.generation, in: folder)
        let fits = try opened.fits(log)
        try requireMark(try opened.store.mark(), opened.reason == nil && fits, of: handover, in: folder)
        return try WaitingModel(try Model(opened.store), opened, log, box: box)
    }
}
