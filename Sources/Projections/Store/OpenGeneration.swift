package import EventLog

/// A generation of a model that is open for writing, in any storage engine; see ``ModelFolder`` for the files.
package protocol OpenGeneration: Sendable {
    /// Opens or creates a generation. `reason` is that of a new one.
    ///
    /// - Throws: ``ReadModelError/Code/locked`` if a builder has taken the generation.
    static func make(_ generation: Generation, _ reason: BuildReason, in folder: ModelFolder) throws(ReadModelError) -> Self

    /// Opens a generation that is not in use, emptied if it is unreadable or perhaps incomplete. The caller must check ``fits(_:)``.
    ///
    /// - Parameter patienceSeconds: the wait until others have closed the files.
    static func resume(with generation: Generation, in folder: ModelFolder, patienceSeconds: Double) throws(ReadModelError) -> Self

    var folder: ModelFolder { get }
    var generation: Generation { get }
    /// Nil if the rows were kept.
    var reason: BuildReason? { get }

    /// The stored position with its fingerprint.
    func mark() throws(ReadModelError) -> ModelMark

    /// Flushes the folder, marks it as complete, and stores a checksum of its file, if it is not larger than `sealedBytesMax`. Nothing may
    /// write to it afterwards.
    func close(sealedBytesMax: Int) throws(ReadModelError)
}

/// Attempts to create a generation with a free number, because a builder may take the number first.
private let freshAttempts = 3

extension OpenGeneration {
    package static func resume(with generation: Generation, in folder: ModelFolder) throws(ReadModelError) -> Self {
        try resume(with: generation, in: folder, patienceSeconds: ProjectionLimits.patienceSeconds)
    }

    /// Whether the log has the stored fingerprint at the model's position; true at the start. If not, the model is of another log or of
    /// lost events.
    package func fits(_ log: EventLog) throws(ReadModelError) -> Bool {
        let mark = try mark()
        do throws(EventLogError) { return try ModelMark(mark.position, in: log) == mark } catch {
            throw ReadModelError(any: error, model: folder.model)
        }
    }

    /// Puts an empty generation into use. After a crash before `current` is written, the next opening removes the folder.
    ///
    /// - Parameter lost: a removed generation, whose number is not used again.
    package static func fresh(
        _ reason: BuildReason, version: Int, in folder: ModelFolder, after lost: Generation? = nil
    ) throws(ReadModelError) -> Self {
        let opened = try numbered(reason, version, folder, lost)
        try folder.use(opened.generation)
        // So that a rollback returns neither to the unusable generation nor to an older one.
        try folder.forgetPrevious()
        try folder.removeStrays()
        return opened
    }

    private static func numbered(
        _ reason: BuildReason, _ version: Int, _ folder: ModelFolder, _ lost: Generation?
    ) throws(ReadModelError) -> Self {
        for _ in 1..<freshAttempts {
            do throws(ReadModelError) { return try make(folder.next(schemaVersion: version, after: lost), reason, in: folder) } catch {
                guard error.code == .locked else { throw error }
            }
        }
        return try make(folder.next(schemaVersion: version, after: lost), reason, in: folder)
    }

    /// Blocks, until `isStopping` returns true.
    ///
    /// - Throws: ``ReadModelError/Code/mismatch`` if the file has changed since it was sealed, if the generation is not the one that was
    ///   handed over, or if `isStopping` has returned true.
    package static func open(
        _ handover: Handover, in folder: ModelFolder, log: EventLog, unless isStopping: () -> Bool
    ) throws(ReadModelError) -> Self {
        // The opening removes the checksum.
        guard folder.seal(of: handover.generation).holds(as: handover.seal, unless: isStopping) else {
            throw ReadModelError(
                .mismatch, model: folder.model, position: handover.mark.position,
                "the file of \(handover.generation.text) is not the one that was checked and sealed")
        }
        let opened = try resume(with: handover.generation, in: folder)
        let (mark, fits) = (try opened.mark(), try opened.fits(log))
        if opened.reason == nil, fits, mark == handover.mark { return opened }
        throw ReadModelError(
            .mismatch, model: folder.model, position: mark.position,
            "\(handover.generation.text) was handed over at position \(handover.mark.position) of this log and is not there")
    }
}

extension OpenGeneration {
    /// - Throws: ``ReadModelError``. A ``ReadModelError/Code/mismatch`` removes a generation that is not `known`.
    @available(*, noasync)
    package static func complete(
        version: Int, of log: EventLog, under lock: BuildLock, known: Generation?,
        following follower: (Self) throws(ReadModelError) -> any ModelFollower,
        checking check: (Self, Position) throws(ReadModelError) -> ContentCheck.Verdict, _ observe: ModelBuilder.Observer
    ) throws(ReadModelError) -> BuiltGeneration {
        let opened = try begun(version, log, lock, known)
        let resumedAt = try opened.mark().position
        try observe(.opened(generation: opened.generation.text, at: resumedAt))
        let (position, applied) = try fill(try follower(opened), log, observe)
        let mark = try opened.mark()
        guard mark.position == position else {
            throw ReadModelError(
                .mismatch, model: lock.folder.model, position: mark.position, "the new generation was filled up to \(position)")
        }
        try observe(.checking(position))
        let verdict: ContentCheck.Verdict
        do throws(ReadModelError) { verdict = try check(opened, position) } catch {
            // Removed, so that no later build continues it.
            if error.code == .mismatch, known == nil { try lock.drop(opened.generation) }
            throw error
        }
        try opened.close(sealedBytesMax: .max)
        try observe(.closed(position))
        return BuiltGeneration(
            opened.generation, at: mark, digest: verdict.digest, seal: lock.folder.seal(of: opened.generation).text ?? "",
            rows: verdict.rows, applied: applied, resumedAt: resumedAt)
    }

    private static func begun(_ version: Int, _ log: EventLog, _ lock: BuildLock, _ known: Generation?) throws(ReadModelError) -> Self {
        if let known {
            let opened = try resume(with: known, in: lock.folder)
            if try opened.fits(log) { return opened }
            throw ReadModelError(.mismatch, model: lock.folder.model, "\(known.text) belongs to another log")
        }
        if let unfinished = lock.unfinished(schemaVersion: version) {
            do throws(ReadModelError) {
                let opened = try resume(with: unfinished, in: lock.folder)
                if try opened.fits(log) { return opened }
            } catch {
                guard error.code == .damaged else { throw error }
            }
        }
        return try resume(with: try lock.begin(schemaVersion: version), in: lock.folder)
    }

    /// Returns the position, and how many events were applied.
    @available(*, noasync)
    private static func fill(
        _ follower: consuming any ModelFollower, _ log: EventLog, _ observe: ModelBuilder.Observer
    ) throws(ReadModelError) -> (Position, Int) {
        var head = log.head
        // A running server makes the log grow meanwhile. It applies the last events during the hand-over.
        repeat {
            while follower.position < head {
                try follower.advance(towards: head)
                try observe(.advanced(follower.position, head: head))
            }
            head = log.head
        } while head.rawValue > follower.position.rawValue + ProjectionLimits.handoverLagEvents
        try follower.settle()
        return (follower.position, follower.applied)
    }
}
