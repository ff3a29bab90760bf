internal import EventLog
internal import Foundation
internal import LMDB

/// The rebuild tool's part of a hand-over: it puts a complete generation into use. If a server runs, the tool asks it to switch to the
/// generation; otherwise the tool switches.
///
/// Opening a generation removes the checksum of its file (``FileSeal``). If a server opens the generation and ends before it switches, the
/// generation has no checksum and is not in use. The tool then completes that generation, compares it with the replay again, stores a new
/// checksum and repeats the request. It offers a generation at most five times.
package struct HandoverOffer: Sendable {
    /// The process that put the generation into use.
    package enum Switcher: String, Sendable, Hashable {
        /// The server that was running. It now serves the new generation.
        case server
        /// This process, because no server was running.
        case tool
    }

    /// The factor by which the time limit grows when the server has begun to carry out the request. The request can then no longer be
    /// withdrawn, and before its answer the server only has to flush the old generation.
    private static let takenFactor = 10.0

    private let folder: ModelFolder
    private let files: HandoverFiles
    /// The path of the log's folder. A process that has the log's writer lock may change the files that name the generation in use.
    private let log: String
    private let waitSecondsMax: Double

    /// Prepares a hand-over.
    ///
    /// - Parameters:
    ///   - log: `DATA/log`.
    ///   - waitSecondsMax: the maximum number of seconds to wait for the server.
    package init(_ folder: ModelFolder, log: String, waitSecondsMax: Double) {
        (self.folder, self.log, self.waitSecondsMax) = (folder, log, waitSecondsMax)
        files = HandoverFiles(in: folder)
    }

    /// Puts the generation into use and waits until that is done. The caller MUST hold the model's ``BuildLock``.
    ///
    /// - Parameter isStopping: called while waiting; if it returns true, the request is withdrawn.
    /// - Throws: ``ReadModelError/Code/unanswered``, ``ReadModelError/Code/refused``, ``ReadModelError/Code/missing``,
    ///   ``ReadModelError/Code/storage``; after any of them, the old generation is still in use. After ``ReadModelError/Code/unanswered``,
    ///   a server that had begun the switch may still complete it.
    package func make(_ handover: Handover, isStopping: () -> Bool = { false }) throws(ReadModelError) -> Switcher {
        files.clear()
        let start = ContinuousClock.now
        while true {
            if try switchAlone(handover) { return .tool }
            if let answer = files.answered, answer.generation == handover.generation { return try heard(answer, handover) }
            // The request is written at first, and again if its file is gone, because the server has ended and another server has started.
            if !files.isAsked && !files.isTaken {
                // The server may have answered since the last look. A new request would remove that answer.
                if let answer = files.answered, answer.generation == handover.generation { return try heard(answer, handover) }
                // The server may have switched and then failed to write its answer. On a full disk, a new request would fail as well.
                if folder.current == handover.generation { return .server }
                try files.ask(handover)
            }
            let waited = (ContinuousClock.now - start) / .seconds(1)
            if waited >= waitSecondsMax || isStopping(), try giveUp(handover, waited, isStopping()) { return .server }
            Thread.sleep(forTimeInterval: ProjectionLimits.hurriedSeconds)
        }
    }

    /// Whether a generation was opened since its checksum (``FileSeal``) was stored, for example by a server that ended before it switched.
    /// Such a generation is still usable. Before it is offered again, it MUST be completed and checked, and a new checksum MUST be stored.
    package func wasOpened(_ generation: Generation) -> Bool {
        folder.generations.contains(generation) && folder.seal(of: generation).text == nil
    }

    /// Puts the generation into use in this process, because no server runs. Returns false if a server runs. No server can start as long as
    /// this process holds the log's writer lock.
    private func switchAlone(_ handover: Handover) throws(ReadModelError) -> Bool {
        guard try writerLock() != nil else { return false }
        // A starting server must not be kept waiting for the lock while the file is read, so this process reads the file without having the
        // lock. If a process opens the generation meanwhile, it removes the stored checksum, and the second check fails.
        try requireSealed(handover) { $0.holds(as: handover.seal) }
        guard let lock = try writerLock() else { return false }
        defer { withExtendedLifetime(lock) {} }
        try requireSealed(handover) { $0.text == handover.seal }
        files.clear()
        // If a server has already switched to this generation and then ended, this call changes nothing.
        try folder.switchOver(to: handover.generation)
        // The hand-over is done, also if an old generation cannot be removed. `Rebuild` reports the generations that are left.
        if !handover.keepsOld { _ = try? folder.forgetPrevious() }
        try? folder.removeStrays()
        return true
    }

    /// Takes the log's writer lock; nil if a server has it.
    private func writerLock() throws(ReadModelError) -> FileLock? {
        do throws(LMDBError) {
            return try FileLock(writerOf: log)
        } catch {
            guard error.code == .locked else { throw ReadModelError(any: error, model: folder.model) }
            return nil
        }
    }

    /// Requires that a generation has not changed since it was checked. A generation that is already in use is not checked, because a
    /// server may have switched to it and changed its files.
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

    /// Withdraws the request. If the server has already begun to carry the request out, the caller keeps waiting until the longer time
    /// limit (``takenFactor``) ends or `isStopping` is true.
    ///
    /// - Returns: whether the generation is in use, although the server could not write its answer, or ended before it wrote one.
    /// - Throws: ``ReadModelError/Code/unanswered``.
    private func giveUp(_ handover: Handover, _ waited: Double, _ isStopping: Bool) throws(ReadModelError) -> Bool {
        // The request is withdrawn before the generation in use is read. After that, no server can begin the switch.
        let isWithdrawn = files.withdraw()
        if folder.current == handover.generation, files.answered == nil {
            files.clear()
            return true
        }
        let isOver = waited >= Self.takenFactor * waitSecondsMax || isStopping
        guard isWithdrawn || (isOver && files.answered == nil) else { return false }
        let what = isWithdrawn ? "was not put into use" : "the server, which had begun to put it into use, did not answer"
        throw ReadModelError(
            .unanswered, model: folder.model, position: handover.mark.position,
            "\(handover.generation.text) is complete, and \(what) within \(Int(waited.rounded())) s")
    }
}

/// The request of a rebuild tool, or of a ``Renewal``, to the server to put a generation into use. The generation contains all events up to
/// the position in ``mark``.
///
/// It is stored as a file in the model's folder, with one `name value` per line. The last line is `end`, so that an incomplete file is
/// detected.
package struct Handover: Hashable, Sendable {
    package let generation: Generation
    /// The generation's position, and the hash of the record at that position.
    package let mark: ModelMark
    /// The SHA-256 of the content that the tool compared with a replay; empty if it was not compared.
    package let digest: String
    /// The checksum of the generation's file after it was closed. The server verifies it before it uses the file.
    package let seal: String
    /// Whether the replaced generation is kept, so that a rollback can return to it.
    package let keepsOld: Bool

    package init(_ generation: Generation, at mark: ModelMark, digest: String, seal: String, keepsOld: Bool) {
        (self.generation, self.mark, self.digest, self.seal, self.keepsOld) = (generation, mark, digest, seal, keepsOld)
    }

    /// The file's content.
    package var text: String {
        """
        generation \(generation.text)
        position \(mark.position)
        fingerprint \(mark.fingerprint)
        digest \(digest)
        seal \(seal)
        keep \(keepsOld)
        end

        """
    }

    /// Parses a request; nil for a text that is incomplete or has another form.
    package init?(text: String) {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        guard lines.count == 8, lines[6] == "end", lines[7].isEmpty else { return nil }
        func value(_ index: Int, _ name: String) -> String? {
            lines[index].hasPrefix(name + " ") ? String(lines[index].dropFirst(name.count + 1)) : nil
        }
        guard let generation = value(0, "generation").flatMap({ Generation(text: $0) }),
            let position = value(1, "position").flatMap({ UInt64($0) }),
            let fingerprint = value(2, "fingerprint").flatMap({ UInt64($0) }), let digest = value(3, "digest"),
            let seal = value(4, "seal"), let keepsOld = value(5, "keep").flatMap({ Bool($0) })
        else { return nil }
        let mark = ModelMark(position: Position(position), fingerprint: fingerprint)
        self.init(generation, at: mark, digest: digest, seal: seal, keepsOld: keepsOld)
    }
}

/// The server's answer to a ``Handover``, also a file in the model's folder.
package struct HandoverAnswer: Hashable, Sendable {
    /// The requested generation.
    package let generation: Generation
    /// Nil if the generation is now in use; otherwise the reason for the refusal, in one line.
    package let refusal: String?

    package init(_ generation: Generation, refusal: String?) {
        self.generation = generation
        self.refusal = refusal.map { $0.split(whereSeparator: \.isNewline).joined(separator: " ") }
    }

    /// The file's content: one line.
    package var text: String { generation.text + " " + (refusal.map { "refused: " + $0 } ?? "in use") + "\n" }

    /// Parses an answer; nil for a text that is incomplete or has another form.
    package init?(text: String) {
        guard text.hasSuffix("\n"), let space = text.firstIndex(of: " "), let generation = Generation(text: String(text[..<space])) else {
            return nil
        }
        let rest = text[text.index(after: space)...].dropLast()
        if rest == "in use" {
            self.init(generation, refusal: nil)
        } else if rest.hasPrefix("refused: ") {
            self.init(generation, refusal: String(rest.dropFirst("refused: ".count)))
        } else {
            return nil
        }
    }
}
