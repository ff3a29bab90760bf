internal import EventLog
internal import Foundation
internal import LMDB

/// The rebuild tool's part of a hand-over: it puts a complete generation into use, itself or by the running server. If a server opens it
/// and ends before the switch, the tool completes, compares and seals it again, at most five times.
package struct HandoverOffer: Sendable {
    /// The process that put the generation into use.
    package enum Switcher: String, Sendable, Hashable {
        case server
        case tool
    }

    private static let takenFactor = 10.0

    private let folder: ModelFolder
    private let files: HandoverFiles
    private let log: String
    private let waitSecondsMax: Double

    package init(_ folder: ModelFolder, log: String, waitSecondsMax: Double) {
        (self.folder, self.log, self.waitSecondsMax) = (folder, log, waitSecondsMax)
        files = HandoverFiles(in: folder)
    }

    /// Puts the generation into use and waits for that. The caller MUST hold the model's ``BuildLock``.
    ///
    /// - Throws: ``ReadModelError/Code/unanswered`` if a server that had begun may still switch. After other errors, the old generation is
    ///   in use.
    package func make(_ handover: Handover, isStopping: () -> Bool = { false }) throws(ReadModelError) -> Switcher {
        files.clear()
        let start = ContinuousClock.now
        while true {
            if try switchAlone(handover) { return .tool }
            if let answer = files.answered, answer.generation == handover.generation { return try heard(answer, handover) }
            // The file is also gone if the server has ended and another has started.
            if !files.isAsked && !files.isTaken {
                // A new request would remove an answer that came since.
                if let answer = files.answered, answer.generation == handover.generation { return try heard(answer, handover) }
                // The server may have switched and failed to write its answer. On a full disk, a new request would fail as well.
                if folder.current == handover.generation { return .server }
                try files.ask(handover)
            }
            let waited = (ContinuousClock.now - start) / .seconds(1)
            if waited >= waitSecondsMax || isStopping(), try giveUp(handover, waited, isStopping()) { return .server }
            Thread.sleep(forTimeInterval: ProjectionLimits.hurriedSeconds)
        }
    }

    /// Whether a generation was opened since it was sealed. It MUST be completed, checked and sealed before another offer.
    package func wasOpened(_ generation: Generation) -> Bool {
        folder.generations.contains(generation) && folder.seal(of: generation).text == nil
    }

    /// Puts the generation into use here. Returns false if a server runs; none can start while this holds the log's writer lock.
    private func switchAlone(_ handover: Handover) throws(ReadModelError) -> Bool {
        guard try writerLock() != nil else { return false }
        // Read without the lock, so that a starting server does not wait. If a process opens the generation meanwhile, the second check
        // fails.
        try requireSealed(handover) { $0.holds(as: handover.seal) }
        guard let lock = try writerLock() else { return false }
        defer { withExtendedLifetime(lock) {} }
        try requireSealed(handover) { $0.text == handover.seal }
        files.clear()
        try folder.switchOver(to: handover.generation)
        // The hand-over succeeds even if an old generation cannot be removed; `Rebuild` reports it.
        if !handover.keepsOld { _ = try? folder.forgetPrevious() }
        try? folder.removeStrays()
        return true
    }

    private func writerLock() throws(ReadModelError) -> FileLock? {
        do throws(LMDBError) {
            return try FileLock(writerOf: log)
        } catch {
            guard error.code == .locked else { throw ReadModelError(any: error, model: folder.model) }
            return nil
        }
    }

    /// A generation in use may be changed by a server.
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

    /// Withdraws the request, or waits longer (``takenFactor``) if the server has taken it.
    ///
    /// - Throws: ``ReadModelError/Code/unanswered``.
    private func giveUp(_ handover: Handover, _ waited: Double, _ isStopping: Bool) throws(ReadModelError) -> Bool {
        // Withdrawn before `current` is read, so that no server can begin the switch afterwards.
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

/// The request to the server to put a generation with all events up to ``mark`` into use.
///
/// The file has one `name value` per line. The last line is `end`, so that an incomplete file is detected.
package struct Handover: Hashable, Sendable {
    package let generation: Generation
    package let mark: ModelMark
    /// The SHA-256 of the content compared with a replay; empty if it was not compared.
    package let digest: String
    package let seal: String
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
    package let generation: Generation
    package let refusal: String?

    package init(_ generation: Generation, refusal: String?) {
        self.generation = generation
        self.refusal = refusal.map { $0.split(whereSeparator: \.isNewline).joined(separator: " ") }
    }

    package var text: String { generation.text + " " + (refusal.map { "refused: " + $0 } ?? "in use") + "\n" }

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
