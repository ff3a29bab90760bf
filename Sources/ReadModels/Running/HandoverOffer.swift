internal import EventLog
internal import Foundation
internal import LMDB

/// The tool's side of a hand-over: brings a complete generation into use, through the server where one runs, else by itself.
package struct HandoverOffer: Sendable {
    /// Who switched.
    package enum Switcher: String, Sendable, Hashable {
        /// The server beside, which serves the new generation now.
        case server
        /// This process, since no server runs.
        case tool
    }

    /// How often a taken request's time limit is granted again: the server has begun and only flushes.
    private static let takenFactor = 10.0

    private let folder: ModelFolder
    private let files: HandoverFiles
    /// The log's folder: who holds its writer lock decides about pointers.
    private let log: String
    private let waitSecondsMax: Double

    /// - Parameters:
    ///   - log: `DATA/log`.
    ///   - waitSecondsMax: how long to wait for the server.
    package init(_ folder: ModelFolder, log: String, waitSecondsMax: Double) {
        (self.folder, self.log, self.waitSecondsMax) = (folder, log, waitSecondsMax)
        files = HandoverFiles(in: folder)
    }

    /// Has the generation put into use. The caller MUST hold the model's ``BuildLock``.
    ///
    /// - Parameter isStopping: asked while waiting; then the request is taken back.
    /// - Throws: ``ReadModelError/Code/unanswered``, ``ReadModelError/Code/refused``, ``ReadModelError/Code/storage``: the old generation
    ///   is in use.
    package func make(_ handover: Handover, isStopping: () -> Bool = { false }) throws(ReadModelError) -> Switcher {
        files.clear()
        let start = ContinuousClock.now
        while true {
            if try switchAlone(handover) { return .tool }
            if let answer = files.answered, answer.generation == handover.generation { return try heard(answer, handover) }
            // At first, and again where a server that was asked has ended and another one has come.
            if !files.isAsked && !files.isTaken { try files.ask(handover) }
            let waited = (ContinuousClock.now - start) / .seconds(1)
            if waited >= waitSecondsMax, !files.isAsked, files.answered == nil, folder.current == handover.generation {
                // In use, and the answer could not be written.
                files.clear()
                return .server
            }
            if waited >= waitSecondsMax || isStopping() { try giveUp(handover, waited, isStopping()) }
            Thread.sleep(forTimeInterval: ReadModelLimits.hurriedSeconds)
        }
    }

    /// Whether somebody has opened a generation since it was sealed, as a server does that ended before it switched: it is as good as it
    /// was, and MUST be completed, checked and sealed again before it is offered again.
    package func wasOpened(_ generation: Generation) -> Bool {
        folder.generations.contains(generation) && folder.seal(of: generation).text == nil
    }

    /// Where no server runs: it cannot start as long as this process holds the log's writer lock.
    private func switchAlone(_ handover: Handover) throws(ReadModelError) -> Bool {
        guard try writerLock() != nil else { return false }
        // Reading a file takes longer than a server that is just starting may be kept out, so that is done without the lock. Whoever opens
        // the generation meanwhile takes the seal off, which is seen with it.
        try requireSealed(handover) { $0.holds(as: handover.seal) }
        guard let lock = try writerLock() else { return false }
        defer { withExtendedLifetime(lock) {} }
        try requireSealed(handover) { $0.text == handover.seal }
        files.clear()
        // A server that ended while it switched may have done it already; then this changes nothing.
        try folder.switchOver(to: handover.generation)
        if !handover.keepsOld { try folder.forgetPrevious() }
        try folder.removeStrays()
        return true
    }

    /// Nil where a server holds it.
    private func writerLock() throws(ReadModelError) -> FileLock? {
        do throws(LMDBError) {
            return try FileLock(writerOf: log)
        } catch {
            guard error.code == .locked else { throw ReadModelError(any: error, model: folder.model) }
            return nil
        }
    }

    /// What is not in use yet MUST be the file that was checked: a server that ended in the middle may have opened it.
    private func requireSealed(_ handover: Handover, _ isSealed: (FileSeal) -> Bool) throws(ReadModelError) {
        if folder.current == handover.generation { return }
        do throws(ReadModelError) {
            try folder.requireThere(handover.generation)
            if isSealed(folder.seal(of: handover.generation)) { return }
        } catch {
            files.clear()
            throw error
        }
        files.clear()
        throw ReadModelError(
            .refused, model: folder.model, position: handover.mark.position,
            "the file of \(handover.generation.text) is not the one that was checked and sealed")
    }

    private func heard(_ answer: HandoverAnswer, _ handover: Handover) throws(ReadModelError) -> Switcher {
        files.clear()
        guard let refusal = answer.refusal else { return .server }
        throw ReadModelError(.refused, model: folder.model, position: handover.mark.position, refusal)
    }

    /// Takes the request back, unless the server was quicker; then it gets more time.
    private func giveUp(_ handover: Handover, _ waited: Double, _ isStopping: Bool) throws(ReadModelError) {
        let isOver = waited >= Self.takenFactor * waitSecondsMax || isStopping
        guard files.withdraw() || (isOver && files.answered == nil) else { return }
        let seconds = Int(waited.rounded())
        throw ReadModelError(
            .unanswered, model: folder.model, position: handover.mark.position,
            "\(handover.generation.text) is complete, and was not put into use within \(seconds) s")
    }
}
