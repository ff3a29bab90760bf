internal import EventLog
internal import Foundation

/// How a generation that a builder has completed comes into the place of the one in use: what is particular to one model.
struct ModelExchange: Sendable {
    let folder: ModelFolder
    /// Whether this program serves rows of a schema version.
    let reads: @Sendable (_ schemaVersion: Int) -> Bool
    /// Opens a generation that was handed over, after comparing its file with the seal. Blocks for as long as reading the file takes.
    let open: @Sendable (Handover) throws(ReadModelError) -> WaitingModel
    /// Builds a generation of the program's own version; nil where the one in use has that. Blocks until it is in use or `isStopping`.
    let renewal: (@Sendable (_ isStopping: @escaping @Sendable () -> Bool) throws(ReadModelError) -> Void)?

    /// - Parameter served: the schema version of the generation in use.
    init<Model: Projection>(_ box: ModelBox<Model>, _ folder: ModelFolder, served: Int, _ log: EventLog) {
        self.folder = folder
        reads = { Model.reads($0) }
        open = { (handover) throws(ReadModelError) in try Self.open(handover, box, folder, log) }
        guard served != Model.schemaVersion else {
            renewal = nil
            return
        }
        renewal = { (isStopping) throws(ReadModelError) in try Renewal<Model>(folder, log, isStopping).run() }
    }

    private static func open<Model: Projection>(
        _ handover: Handover, _ box: ModelBox<Model>, _ folder: ModelFolder, _ log: EventLog
    ) throws(ReadModelError) -> WaitingModel {
        // Before it is opened, which takes the seal off.
        guard FileSeal(in: folder.path(of: handover.generation)).holds(as: handover.seal) else {
            throw ReadModelError(
                .mismatch, model: Model.name, position: handover.mark.position,
                "the file of \(handover.generation.text) is not the one that was checked and sealed")
        }
        let opened = try OpenModel.goOn(with: handover.generation, in: folder)
        let mark = try opened.store.mark()
        guard opened.reason == nil, mark == handover.mark, try opened.fits(log) else {
            throw ReadModelError(
                .mismatch, model: Model.name, position: mark.position,
                "\(handover.generation.text) was handed over at position \(handover.mark.position) of this log and is not there")
        }
        return try WaitingModel(try Model(opened.store), opened, log, box: box)
    }
}
