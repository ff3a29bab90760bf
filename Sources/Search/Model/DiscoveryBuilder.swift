package import EventLog
package import Projections
internal import ReadModels

/// Rebuilds the search model in a new generation (a folder with its own database), while the current generation stays in use.
///
/// ``ModelBuilder`` does the same for the other models. A server may run meanwhile. A crash at any time leaves the current generation in
/// use; the next builder continues the half-built generation.
package struct DiscoveryBuilder: Sendable {
    /// Checks a generation's content before the generation comes into use.
    package typealias Check = (DiscoveryContent) throws(ReadModelError) -> Void

    private let log: EventLog

    package init(log: EventLog) { self.log = log }

    /// Completes a generation: begins a new one or continues a half-built one, applies the log's events, and runs the check. Then it
    /// flushes the generation to disk and stores a checksum of its file.
    ///
    /// The generation's database is closed when this function returns.
    ///
    /// - Parameters:
    ///   - lock: the build lock of ``Discovery/folder(in:)``.
    ///   - known: an existing generation to bring up to date instead of a new one, such as the previously used generation.
    /// - Throws: ``ReadModelError``. A generation that fails the check is removed, unless it was passed as `known`.
    @available(*, noasync)
    package func complete(
        under lock: BuildLock, known: Generation? = nil, checking check: Check, _ observe: ModelBuilder.Observer
    ) throws(ReadModelError) -> BuiltGeneration {
        let file = try opened(under: lock, known: known)
        let resumedAt = try file.mark().position
        try observe(.opened(generation: file.generation.text, at: resumedAt))
        let applied = try fill(file, observe)
        let content = try file.content()
        try observe(.checking(content.mark.position))
        do throws(ReadModelError) { try check(content) } catch {
            if error.code == .mismatch, known == nil { try lock.drop(file.generation) }
            throw error
        }
        // The generation is flushed to disk before the model's pointer file names it. So a power failure cannot destroy a generation in
        // use.
        try file.close()
        let seal = lock.folder.seal(of: file.generation)
        do { try seal.write(bytesMax: .max) } catch { throw ReadModelError(discovery: error) }
        try observe(.closed(content.mark.position))
        return BuiltGeneration(
            file.generation, at: content.mark, digest: content.digest, seal: seal.text ?? "", rows: content.rows, applied: applied,
            resumedAt: resumedAt)
    }

    private func opened(under lock: BuildLock, known: Generation?) throws(ReadModelError) -> DiscoveryFile {
        if let known {
            let opened = try DiscoveryFile.goOn(with: known, in: lock.folder)
            if try opened.fits(log) { return opened }
            throw ReadModelError(.mismatch, model: Discovery.name, "\(known.text) belongs to another log")
        }
        if let unfinished = lock.unfinished(schemaVersion: DiscoverySchema.version) {
            do throws(ReadModelError) {
                let opened = try DiscoveryFile.goOn(with: unfinished, in: lock.folder)
                if try opened.fits(log) { return opened }
            } catch {
                guard error.code == .damaged else { throw error }
            }
        }
        return try DiscoveryFile.goOn(with: try lock.begin(schemaVersion: DiscoverySchema.version), in: lock.folder)
    }

    /// Applies events until the generation is close to the log's head: at most ``ProjectionLimits/handoverLagEvents`` events behind it.
    ///
    /// - Returns: the number of events applied.
    @available(*, noasync)
    private func fill(_ file: DiscoveryFile, _ observe: ModelBuilder.Observer) throws(ReadModelError) -> Int {
        var follower = try DiscoveryFollower(file, log: log)
        var head = log.head
        // A running server appends further events meanwhile. After the hand-over, the server itself applies the remaining events.
        repeat {
            while follower.position < head {
                try follower.advance(towards: head)
                try observe(.advanced(follower.position, head: head))
            }
            head = log.head
        } while head.rawValue > follower.position.rawValue + ProjectionLimits.handoverLagEvents
        try follower.settle()
        return follower.applied
    }
}
